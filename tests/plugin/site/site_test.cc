#include "plugin/site/site.h"

#include "plugin/fingerprint/checksum.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::site {
namespace {

constexpr std::uint64_t kStart = 1'700'000'000;

std::uint64_t HashOf(std::string_view text) { return RawChecksum(text).low; }

ContentMark MarkOfText(std::string_view text) { return MarkOf(HashOf(text)); }

/// A crawl of one made-up site: what a URL shows is a function of the URL.
class Crawl {
 public:
  using Content = std::function<std::string(const std::string& url)>;

  explicit Crawl(Content content) : content_(std::move(content)) {}

  void Fetch(const std::string& url) {
    const std::string content = content_(url);
    PageObservation page;
    page.url = url;
    page.time = kStart + ++fetches_;
    page.answer = content.empty() ? Answer::kError : Answer::kContent;
    page.novelty = !content.empty() && found_.insert(content).second ? kWhole : 0;
    page.content = MarkOfText(content);
    page.simhash = HashOf(content);
    site_.AddPage(page);
  }

  /// Fetches those of `urls` that nothing speaks against; how many.
  int Follow(const std::vector<std::string>& urls) {
    int fetched = 0;
    for (const std::string& url : urls) {
      const Action action = site_.AdviceFor(url, 3).action;
      if (action != Action::kSchedule && action != Action::kProbe) continue;
      Fetch(url);
      ++fetched;
    }
    return fetched;
  }

  [[nodiscard]] Advice AdviceFor(std::string_view url) const { return site_.AdviceFor(url, 3); }
  [[nodiscard]] const Site& site() const { return site_; }

 private:
  const Content content_;
  Site site_;
  std::unordered_set<std::string> found_;
  std::uint64_t fetches_ = 0;
};

std::string Number(int i) { return std::to_string(i); }

/// How many of `urls` aren't to be fetched.
int Refused(const Crawl& crawl, const std::vector<std::string>& urls) {
  int refused = 0;
  for (const std::string& url : urls) {
    const Action action = crawl.AdviceFor(url).action;
    refused += action == Action::kSuppress || action == Action::kRewrite ? 1 : 0;
  }
  return refused;
}

std::vector<std::string> Urls(int from, int until, const std::function<std::string(int)>& url) {
  std::vector<std::string> urls;
  for (int i = from; i < until; ++i) urls.push_back(url(i));
  return urls;
}

std::string UpTo(const std::string& url, std::string_view mark) {
  return url.substr(0, url.find(mark));
}

TEST(Site, WithoutPagesAdvisesToFetchEverything) {
  const Site site;
  const Advice advice = site.AdviceFor("http://e.org/a?b=c", 0);
  EXPECT_EQ(advice.action, Action::kSchedule);
  EXPECT_EQ(advice.chance, kFirstChance / 2);
  EXPECT_EQ(site.AdviceFor("http://e.org/a", 0).chance, kFirstChance);
  EXPECT_EQ(ScoreOf(advice.worth, kFirstChance), kWhole / 2);
}

TEST(Site, FindsSessionIdsWithoutAPlainUrl) {
  Crawl crawl([](const std::string& url) { return UpTo(url, "?zx="); });
  // Each page is linked to under several sessions.
  const auto url = [](int i) {
    return "http://e.org/p" + Number(i / 4) + "/x?zx=" + Number(1000 + i);
  };
  const int fetched = crawl.Follow(Urls(0, 800, url));
  EXPECT_LT(fetched, 200 + 60 + 600 / 20);
  // Pages that it never saw: the first session of each is fetched, the others are suppressed.
  crawl.Fetch("http://e.org/p900/x?zx=1");
  const auto other = [](int i) { return "http://e.org/p900/x?zx=" + Number(5000 + i); };
  EXPECT_GE(Refused(crawl, Urls(0, 100, other)), 90);
  EXPECT_EQ(crawl.AdviceFor("http://e.org/p901/x?zx=77").ground, Ground::kNone);
}

TEST(Site, FindsPathParametersOfSessions) {
  Crawl crawl([](const std::string& url) { return UpTo(url, ";"); });
  crawl.Follow(Urls(0, 200, [](int i) {
    return "http://e.org/p" + Number(i / 4) + "/x;jsid=" + Number(1000 + i);
  }));
  crawl.Fetch("http://e.org/p900/x;jsid=5");
  EXPECT_GE(
      Refused(crawl,
              Urls(0, 100, [](int i) { return "http://e.org/p900/x;jsid=" + Number(6000 + i); })),
      90);
}

TEST(Site, RewritesTrackingParametersToThePlainUrl) {
  Crawl crawl([](const std::string& url) { return UpTo(url, "?"); });
  for (int i = 0; i < 100; ++i) {
    const std::string plain = "http://e.org/d" + Number(i % 5) + "x/a" + Number(i);
    crawl.Fetch(plain);
    crawl.Fetch(plain + "?src=" + Number(i % 9));
  }
  int rewritten = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string plain = "http://e.org/d3x/new" + Number(i);
    const Advice advice = crawl.AdviceFor(plain + "?src=4");
    if (advice.action != Action::kRewrite) continue;
    ++rewritten;
    EXPECT_EQ(advice.rewrite_to, plain);
    EXPECT_EQ(advice.ground, Ground::kUrlRule);
    EXPECT_GE(advice.precision, kRewriteUntil);
    EXPECT_GE(advice.support, 11U);
  }
  EXPECT_GE(rewritten, 90);
}

TEST(Site, SuppressesAPrintableViewOfAPageThatItHas) {
  Crawl crawl([](const std::string& url) { return UpTo(url, "?"); });
  for (int i = 0; i < 90; ++i) {
    crawl.Fetch("http://e.org/a/" + Number(i) + "-x");
    crawl.Fetch("http://e.org/a/" + Number(i) + "-x?view=print");
  }
  crawl.Fetch("http://e.org/a/last");
  const Advice advice = crawl.AdviceFor("http://e.org/a/last?view=print");
  EXPECT_TRUE(advice.action == Action::kSuppress || advice.action == Action::kProbe);
  EXPECT_EQ(advice.rewrite_to, "");
}

TEST(Site, FindsViewsThatNameTheirPageInAParameter) {
  // Old versions have contents of their own.
  Crawl crawl([](const std::string& url) {
    const std::size_t title = url.find("title=");
    if (title == std::string::npos || url.find("&old=") != std::string::npos) return url;
    return "http://e.org/w/" + UpTo(url.substr(title + 6), "&");
  });
  for (int i = 0; i < 60; ++i) {
    const std::string name = "Page_" + Number(i) + "x";
    crawl.Fetch("http://e.org/w/" + name);
    crawl.Fetch("http://e.org/w/i.php?title=" + name + "&print=yes");
    crawl.Fetch("http://e.org/w/i.php?title=" + name + "&old=" + Number(i * 7));
  }
  crawl.Fetch("http://e.org/w/Known");
  int rewritten = 0;
  for (int i = 0; i < 100; ++i) {
    const Advice advice =
        crawl.AdviceFor("http://e.org/w/i.php?title=New_" + Number(i) + "&print=yes");
    rewritten += advice.rewrite_to == "http://e.org/w/New_" + Number(i) ? 1 : 0;
  }
  EXPECT_GE(rewritten, 90);
  EXPECT_EQ(crawl.AdviceFor("http://e.org/w/i.php?title=Known&print=yes").action,
            Action::kSuppress);
  EXPECT_EQ(crawl.AdviceFor("http://e.org/w/i.php?title=Known&old=3").ground, Ground::kNone);
}

/// Translations that aren't there yet repeat the original; others don't.
TEST(Site, FoldersThatRepeatAnotherAreToldFromThoseThatDoNot) {
  Crawl crawl([](const std::string& url) {
    std::string content = url;
    const std::size_t language = content.find("/de/");
    if (language != std::string::npos) content.replace(language, 4, "/en/");
    return content;
  });
  for (int i = 0; i < 30; ++i) {
    for (const char* language : {"en", "de", "fr"}) {
      crawl.Fetch("http://e.org/doc/" + std::string(language) + "/a" + Number(i) + "x.html");
    }
  }
  EXPECT_LT(crawl.AdviceFor("http://e.org/doc/de/new.html").chance, Percent(10));
  EXPECT_GT(crawl.AdviceFor("http://e.org/doc/fr/new.html").chance, Percent(90));
}

TEST(Site, UrlsThatARuleSpeaksAgainstAreWorthLittle) {
  Crawl crawl([](const std::string& url) { return UpTo(url, "?"); });
  for (int i = 0; i < 60; ++i) {
    const std::string plain = "http://e.org/a" + Number(i) + "x";
    crawl.Fetch(plain);
    crawl.Fetch(plain + "?src=" + Number(i % 9));
    crawl.Fetch(plain + "?page=2&src=" + Number(i % 9));
  }
  const Advice advice = crawl.AdviceFor("http://e.org/a1x?src=77");
  ASSERT_EQ(advice.ground, Ground::kUrlRule);
  EXPECT_LT(advice.chance, Percent(5));
  EXPECT_LT(advice.worth, crawl.AdviceFor("http://e.org/new").worth / 10);
}

/// Pages with little text are often alike by chance: they say nothing about others.
TEST(Site, ShortPagesMakeNoRuleForOthers) {
  Site site;
  std::uint64_t fetches = 0;
  const auto fetch = [&](const std::string& url, const std::string& content, bool is_short) {
    PageObservation page;
    page.url = url;
    page.time = kStart + ++fetches;
    page.novelty = kWhole;
    page.content = MarkOfText(content);
    page.simhash = HashOf(content);
    page.is_short = is_short;
    site.AddPage(page);
  };
  // Empty folders look the same in every order.
  for (int i = 0; i < 20; ++i) {
    const std::string folder = "http://e.org/f" + Number(i) + "x/";
    fetch(folder, "empty " + Number(i), true);
    fetch(folder + "?order=" + Number(i % 7), "empty " + Number(i), true);
  }
  fetch("http://e.org/f901x/", "a few entries", true);
  fetch("http://e.org/f902x/", "full", false);
  EXPECT_EQ(site.AdviceFor("http://e.org/f901x/?order=99", 2).ground, Ground::kNone);
  EXPECT_EQ(site.AdviceFor("http://e.org/f902x/?order=99", 2).ground, Ground::kNone);
  // It holds where the short page is one that the site shows often.
  fetch("http://e.org/f903x/", "empty", true);
  for (int i = 0; i < 4; ++i) fetch("http://e.org/f903x/?order=" + Number(i), "empty", true);
  EXPECT_EQ(site.AdviceFor("http://e.org/f903x/?order=99", 2).ground, Ground::kUrlRule);
  // Nor is a short page new that a URL beside it has shown.
  EXPECT_LT(site.AdviceFor("http://e.org/f904x/?order=99", 2).chance, Percent(30));
}

TEST(Site, SortOrdersThatAreOtherContentAreFetchedLast) {
  Site site;
  std::uint64_t fetches = 0;
  const auto fetch = [&](const std::string& url, bool has_known_words) {
    PageObservation page;
    page.url = url;
    page.time = kStart + ++fetches;
    page.novelty = kWhole / 2;  // another order is another content for the judge
    page.content = MarkOf(100 + fetches);
    page.simhash = HashOf(url);
    page.has_known_words = has_known_words;
    site.AddPage(page);
  };
  constexpr std::array kOrders = {"?C=N;O=D", "?C=M;O=A", "?C=S;O=A", "?C=D;O=A", "?C=N;O=A"};
  for (int i = 0; i < 60; ++i) {
    const std::string listing = "http://e.org/pub/" + Number(i) + "x/";
    fetch(listing, false);
    for (const char* order : kOrders) fetch(listing + order, true);
  }
  fetch("http://e.org/pub/new/", false);
  const Advice listing = site.AdviceFor("http://e.org/pub/other/", 3);
  for (const char* order : kOrders) {
    const Advice advice = site.AdviceFor("http://e.org/pub/new/" + std::string(order), 3);
    EXPECT_EQ(advice.action, Action::kSchedule) << "what is suppressed may be lost";
    EXPECT_LT(advice.worth, listing.worth / 4) << order;
  }
}

TEST(Site, OfPagesThatTheJudgeComparedWithNoneThoseThatComeOftenAreKnown) {
  Site site;
  for (int i = 0; i < 100; ++i) {
    PageObservation page;
    const std::string url = "http://e.org/" + Number(i);
    page.url = url;
    page.novelty = kWhole;
    page.is_short = true;
    page.content = MarkOf(i % 2 == 0 ? 7 : HashOf(url));
    site.AddPage(page);
  }
  EXPECT_EQ(site.counts().fresh / FetchCounts::kFetch, 51U);
}

TEST(Site, FindsIndexNamesWwwAndScheme) {
  Crawl crawl([](const std::string& url) {
    std::string rest = url.substr(url.find("://") + 3);
    if (rest.starts_with("www.")) rest.erase(0, 4);
    return UpTo(rest, "start.php");
  });
  for (int i = 0; i < 160; ++i) {
    const std::string path =
        "e.org/k" + std::string(1, static_cast<char>('a' + i % 6)) + "/" + Number(i) + "x/";
    crawl.Fetch("https://" + path);
    crawl.Fetch("http://" + path);
    crawl.Fetch("https://www." + path);
    crawl.Fetch("https://" + path + "start.php");
  }
  crawl.Fetch("https://e.org/ka/new/");
  for (const char* url :
       {"https://e.org/ka/new/start.php", "http://e.org/ka/new/", "https://www.e.org/ka/new/"}) {
    EXPECT_NE(crawl.AdviceFor(url).ground, Ground::kNone) << url;
  }
}

/// Of a site that is crawled in breadth first, second URLs come long after the first ones.
TEST(Site, RemembersManyPagesUntilTheirSecondUrlsCome) {
  Crawl crawl([](const std::string& url) { return UpTo(url, "?"); });
  const auto url = [](int i) { return "http://e.org/doc/page" + Number(i) + "x.html"; };
  for (int i = 0; i < 2'000; ++i) crawl.Fetch(url(i));
  for (int i = 0; i < 20; ++i) crawl.Fetch(url(i) + "?from=" + Number(i % 7));
  // All but the probes, and the few that a full set let go of.
  EXPECT_GT(Refused(crawl, Urls(20, 2'000, [&](int i) { return url(i) + "?from=3"; })), 1'900);
}

TEST(Site, SpellingsThatMatterGetNoRule) {
  Crawl crawl([](const std::string& url) { return url; });
  for (int i = 0; i < 40; ++i) {
    const std::string path =
        "e.org/k" + std::string(1, static_cast<char>('a' + i % 6)) + "/x" + Number(i) + "y";
    crawl.Fetch("https://" + path);
    crawl.Fetch("http://" + path);
    crawl.Fetch("https://www." + path);
    crawl.Fetch("https://" + path + "/");
  }
  crawl.Fetch("https://e.org/ka/new");
  for (const char* url :
       {"http://e.org/ka/new", "https://www.e.org/ka/new", "https://e.org/ka/new/"}) {
    EXPECT_EQ(crawl.AdviceFor(url).ground, Ground::kNone) << url;
  }
}

TEST(Site, AParameterThatSelectsContentGetsNoRule) {
  Crawl crawl([](const std::string& url) { return url; });
  const auto url = [](int i) { return "http://e.org/item?id=" + Number(i); };
  EXPECT_EQ(crawl.Follow(Urls(0, 500, url)), 500);
  EXPECT_EQ(Refused(crawl, Urls(500, 600, url)), 0);
}

TEST(Site, ARuleThatStopsBeingTrueIsRetired) {
  bool matters = false;
  Crawl crawl([&](const std::string& url) { return matters ? url : UpTo(url, "?"); });
  const auto url = [](int i) { return "http://e.org/p" + Number(i / 2) + "/x?v=" + Number(i); };
  crawl.Follow(Urls(0, 400, url));
  const auto probe = [](int i) { return "http://e.org/p1/x?v=" + Number(9000 + i); };
  ASSERT_GT(Refused(crawl, Urls(0, 100, probe)), 80);
  matters = true;
  // The probes alone show it.
  crawl.Follow(Urls(100'000, 104'000, url));
  EXPECT_EQ(Refused(crawl, Urls(200, 300, probe)), 0);
}

TEST(Site, ACalendarWithoutEntriesIsSuppressedAndArticlesAreNot) {
  Crawl crawl([](const std::string& url) {
    return url.find("/cal/") == std::string::npos ? url : std::string("no entries");
  });
  const auto day = [](int i) {
    return "http://e.org/cal/" + Number(2000 + i / 300) + "/" + Number(i % 12 + 1) + "/" +
           Number(i % 28 + 1) + "?o=" + Number(i);
  };
  std::vector<std::string> articles;
  for (int i = 0; i < 300; ++i) {
    crawl.Follow({"http://e.org/news/" + Number(i) + "-title", day(i)});
  }
  const int fetched = crawl.Follow(Urls(300, 2300, day));
  EXPECT_LT(fetched, 2000 / 16);
  const auto article = [](int i) { return "http://e.org/news/" + Number(i) + "-title"; };
  EXPECT_EQ(Refused(crawl, Urls(1000, 1100, article)), 0);
  EXPECT_GT(crawl.AdviceFor(article(1000)).worth, crawl.AdviceFor(day(9000)).worth);
}

TEST(Site, ATrapDoesNotLowerTheScoreOfOtherPatterns) {
  Crawl crawl([](const std::string& url) {
    return url.find("/cal?") == std::string::npos ? url : std::string("no entries");
  });
  for (int i = 0; i < 30; ++i) crawl.Fetch("http://e.org/news/" + Number(i) + "-t");
  const Share before = crawl.AdviceFor("http://e.org/news/100-t").worth;
  for (int i = 0; i < 30; ++i) crawl.Fetch("http://e.org/cal?d=" + Number(i));
  const Share after = crawl.AdviceFor("http://e.org/news/100-t").worth;
  EXPECT_GT(after, before * 9 / 10);
}

TEST(Site, TrapShapes) {
  EXPECT_TRUE(HasTrapShape("http://e.org/a/b/a/b/a/b/"));
  EXPECT_TRUE(HasTrapShape("http://e.org/" + std::string(1100, 'x')));
  EXPECT_TRUE(HasTrapShape("http://e.org/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u"));
  EXPECT_FALSE(HasTrapShape("http://e.org/2024/1/1/1/x"));
  EXPECT_FALSE(HasTrapShape("http://e.org/a/b/a/b/c"));
}

bool IsSoftError(const Crawl& crawl, std::string_view url, std::string_view content) {
  return crawl.site().IsSoftError(url, {HashOf(content), 0});
}

TEST(Site, OnePageForWhateverIsMissingIsASoftError) {
  Crawl crawl([](const std::string& url) {
    return url.find("gone") == std::string::npos ? url : std::string("sorry");
  });
  const char* kPaths[] = {"http://e.org/a/gone", "http://e.org/b/gone", "http://e.org/c/gone"};
  for (int i = 0; i < 15; ++i) crawl.Fetch(kPaths[i % 3] + Number(i));
  EXPECT_TRUE(IsSoftError(crawl, "http://e.org/d/other", "sorry"));
  EXPECT_FALSE(IsSoftError(crawl, "http://e.org/a/there", "http://e.org/a/there"));
  EXPECT_GT(crawl.site().counts().soft_errors, 0U);
}

TEST(Site, ALoginFormThatReturnsToAnyPageIsNoSoftError) {
  Crawl crawl([](const std::string&) { return std::string("log in"); });
  for (int i = 0; i < 40; ++i) crawl.Fetch("http://e.org/login?to=" + Number(i));
  EXPECT_FALSE(IsSoftError(crawl, "http://e.org/login?to=99", "log in"));
}

TEST(Site, TheHomePageIsNeverASoftErrorNorSuppressedButWhatHasItsContentIs) {
  Crawl crawl([](const std::string&) { return std::string("home"); });
  crawl.Fetch("http://e.org/");
  for (int i = 0; i < 200; ++i) {
    crawl.Fetch("http://e.org/" + std::string(1, static_cast<char>('a' + i % 5)) + "/" + Number(i));
  }
  EXPECT_FALSE(IsSoftError(crawl, "http://e.org/", "home"));
  EXPECT_FALSE(IsSoftError(crawl, "http://e.org/?from=mail", "home"));
  EXPECT_TRUE(IsSoftError(crawl, "http://e.org/a/there", "home"));
  EXPECT_EQ(crawl.AdviceFor("http://e.org/").action, Action::kSchedule);
}

TEST(Site, WhatAnotherSiteSaysOfItselfMakesNoRule) {
  Site site;
  for (int i = 0; i < 500; ++i) {
    const std::string url =
        "http://evil.org/d" + Number(i % 7) + "/" + Number(i) + "?v=" + Number(i);
    const std::string target = "http://e.org/d/" + Number(i);
    PageObservation page;
    page.url = url;
    page.time = kStart;
    page.novelty = kWhole;
    page.content = MarkOf(static_cast<std::uint64_t>(i) + 1);
    page.stands_for = target;
    site.AddPage(page);
  }
  for (const auto& [hash, rule] : site.rules().rules()) EXPECT_FALSE(rule.rewrites);
}

TEST(Site, ItsOwnCanonicalLinksCountDouble) {
  Site site;
  for (int i = 0; i < 40; ++i) {
    const std::string target = "http://e.org/d/" + Number(i) + "x";
    const std::string url = target + "?ref=" + Number(i);
    PageObservation page;
    page.url = url;
    page.time = kStart;
    page.novelty = kWhole;
    page.content = MarkOf(static_cast<std::uint64_t>(i) + 1);
    page.stands_for = target;
    site.AddPage(page);
  }
  int rewritten = 0;
  for (int i = 0; i < 50; ++i) {
    const Advice advice = site.AdviceFor("http://e.org/d/n" + Number(i) + "?ref=5", 1);
    rewritten += advice.action == Action::kRewrite ? 1 : 0;
  }
  EXPECT_GE(rewritten, 40);
}

TEST(Site, CanonicalLinksThatTheContentContradictsCountNothing) {
  // Pages of a listing, each of which names the first one.
  Site site;
  for (int i = 0; i < 60; ++i) {
    const std::string first = "http://e.org/d/" + Number(i / 6) + "x";
    const std::string url = i % 6 == 0 ? first : first + "?page=" + Number(i % 6);
    PageObservation page;
    page.url = url;
    page.time = kStart;
    page.novelty = kWhole;
    page.content = MarkOf(static_cast<std::uint64_t>(i) + 1);
    if (i % 6 != 0) page.stands_for = first;
    site.AddPage(page);
  }
  for (const auto& [hash, rule] : site.rules().rules()) {
    EXPECT_FALSE(rule.suppresses || rule.rewrites) << rule.name;
    EXPECT_EQ(rule.without.same, 0U) << rule.name;
    EXPECT_GT(rule.siblings.different + rule.without.different, 0U) << rule.name;
  }
  EXPECT_EQ(site.AdviceFor("http://e.org/d/n?page=2", 1).action, Action::kSchedule);
}

TEST(Site, ARefetchCountsNothing) {
  Crawl crawl([](const std::string& url) { return url; });
  for (int i = 0; i < 30; ++i) crawl.Fetch("http://e.org/a/" + Number(i) + "x");
  Site site = Site::Decode(crawl.site().Encode()).value();
  PageObservation page;
  page.url = "http://e.org/a/1x";
  page.time = kStart + 100;
  page.first_fetch = false;
  page.content = MarkOf(7);
  const FetchCounts before = site.counts();
  site.AddPage(page);
  EXPECT_EQ(site.counts(), before);
}

/// Pages of many shapes, from a seed.
Crawl HugeCrawl(int urls) {
  Crawl crawl([](const std::string& url) { return UpTo(url, "&s="); });
  std::uint64_t random = 42;
  for (int i = 0; i < urls; ++i) {
    random = HashOf(Number(i) + Number(static_cast<int>(random & 0xffff)));
    crawl.Fetch("http://e.org/" + Number(static_cast<int>(random % 977)) +
                std::string(i % 60, 'p') + "/x/" + Number(i) + "?" + std::string(random % 40, 'n') +
                Number(i % 300) + "=1&s=" + Number(i));
  }
  return crawl;
}

TEST(Site, StaysBelow64KiBWhateverItIsGiven) {
  const Crawl crawl = HugeCrawl(20'000);
  EXPECT_LE(crawl.site().Encode().size(), Site::kMaxEncodedBytes);
  EXPECT_GT(crawl.site().Encode().size(), Site::kMaxEncodedBytes / 4);
}

TEST(Site, TheSameObservationsGiveTheSameBytes) {
  EXPECT_EQ(HugeCrawl(3'000).site().Encode(), HugeCrawl(3'000).site().Encode());
}

TEST(Site, GoesOnAfterDecodeAsIfNothingHadHappened) {
  Crawl crawl = HugeCrawl(5'000);
  Site decoded = Site::Decode(crawl.site().Encode()).value();
  EXPECT_EQ(decoded.Encode(), crawl.site().Encode());
  for (int i = 0; i < 2'000; ++i) {
    const std::string url = "http://e.org/q/" + Number(i / 2) + "?s=" + Number(i);
    PageObservation page;
    page.url = url;
    page.time = kStart + 10'001 + static_cast<std::uint64_t>(i);
    page.novelty = i % 2 == 0 ? kWhole : 0;
    page.content = MarkOf(static_cast<std::uint64_t>(i / 2));
    Site copy = Site::Decode(decoded.Encode()).value();
    decoded.AddPage(page);
    if (i % 200 != 0) continue;
    copy.AddPage(page);
    EXPECT_EQ(copy.Encode(), decoded.Encode()) << i;
  }
}

TEST(Site, RefusesEveryCutOfItsBytes) {
  Crawl crawl([](const std::string& url) { return UpTo(url, "?"); });
  for (int i = 0; i < 60; ++i) crawl.Fetch("http://e.org/a/" + Number(i) + "?v=" + Number(i % 3));
  const std::string bytes = crawl.site().Encode();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto decoded = Site::Decode(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(decoded.has_value()) << size;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorruption);
  }
  EXPECT_FALSE(Site::Decode(bytes + "x").has_value());
}

TEST(Site, NeverFailsOnDamagedBytes) {
  Crawl crawl([](const std::string& url) { return UpTo(url, "?"); });
  for (int i = 0; i < 40; ++i) crawl.Fetch("http://e.org/a/" + Number(i) + "?v=" + Number(i % 3));
  const std::string bytes = crawl.site().Encode();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x81);
    auto site = Site::Decode(damaged);
    if (!site) continue;
    PageObservation page;
    page.url = "http://e.org/a/1?v=2";
    page.time = kStart;
    site->AddPage(page);
    EXPECT_LE(site->Encode().size(), Site::kMaxEncodedBytes);
  }
}

TEST(Site, EvidenceFadesWithTime) {
  Crawl crawl([](const std::string&) { return std::string("same"); });
  for (int i = 0; i < 100; ++i) crawl.Fetch("http://e.org/t/x" + Number(i) + "y/z");
  Site site = Site::Decode(crawl.site().Encode()).value();
  const Share before = site.AdviceFor("http://e.org/t/new/z", 0).chance;
  PageObservation page;
  page.url = "http://e.org/other";
  page.time = kStart + 12 * kHalfLifeSeconds;
  page.novelty = kWhole;
  page.content = MarkOf(99);
  site.AddPage(page);
  EXPECT_GT(site.AdviceFor("http://e.org/t/new/z", 0).chance, before);
}

TEST(Site, TakesAnyUrl) {
  Site site;
  for (const std::string& url :
       {std::string(), std::string("javascript:void(0)"), std::string("data:text/html,x"),
        "http://e.org/?" + std::string(65'536, 'a'), "http://e.org/" + std::string(65'536, '/'),
        "http://" + std::string(20'000, '.') + "/", std::string("http://e.org/\xff\x00", 15)}) {
    PageObservation page;
    page.url = url;
    page.time = ~std::uint64_t{0};
    page.stands_for = url;
    site.AddPage(page);
    site.AddLink(url);
    EXPECT_LE(site.AdviceFor(url, ~0U).chance, kWhole);
  }
  EXPECT_LE(site.Encode().size(), Site::kMaxEncodedBytes);
}

/// A URL made of a seed: segments, parameters, bytes of any kind, in all sizes.
std::string AnyUrl(std::uint64_t seed) {
  std::uint64_t random = seed;
  const auto next = [&](std::uint64_t limit) {
    random = random * 6364136223846793005 + 1442695040888963407;
    return (random >> 33) % limit;
  };
  const auto text = [&] {
    std::string bytes;
    for (std::uint64_t i = next(next(40) == 0 ? 300 : 9); i > 0; --i) {
      bytes.push_back(static_cast<char>(next(8) == 0 ? next(256) : 'a' + next(4)));
    }
    return bytes;
  };
  // Each draw is a statement of its own: the operands of + are evaluated in any order.
  std::string url = next(2) == 0 ? "http://" : "https://";
  url += next(3) == 0 ? "www.e.org" : "e.org";
  for (std::uint64_t i = next(next(20) == 0 ? 100 : 4); i > 0; --i) {
    const std::string number = std::to_string(next(20));
    url += "/" + text() + number;
    if (next(6) == 0) {
      const std::string value = text();
      url += ";" + text() + "=" + value;
    }
  }
  for (std::uint64_t i = next(next(20) == 0 ? 40 : 4); i > 0; --i) {
    const std::string value = std::to_string(next(9));
    url += (url.find('?') == std::string::npos ? "?" : "&") + text() + "=" + value;
  }
  return url;
}

/// A site after `pages` observations of any kind.
Site AnySite(std::uint64_t pages) {
  Site site;
  for (std::uint64_t i = 0; i < pages; ++i) {
    const std::string url = AnyUrl(i * 7919);
    const std::string target = AnyUrl(i * 7919 / 2);
    PageObservation page;
    page.url = url;
    page.time = kStart + i * 86'400;
    page.first_fetch = i % 13 != 0;
    page.answer = i % 7 == 0 ? Answer::kError : Answer::kContent;
    page.novelty = i % 2 == 0 ? kWhole : static_cast<Share>(i % 100) * 600;
    page.content = MarkOf(i % 17);
    page.simhash = i % 17 * 0x9e3779b97f4a7c15;
    if (i % 5 == 0) page.stands_for = target;
    site.AddPage(page);
  }
  return site;
}

TEST(Site, DecodesWhatItEncodesAfterAnyPages) {
  for (std::uint64_t pages = 0; pages < 3'000; pages = pages * 3 / 2 + 1) {
    const Site site = AnySite(pages);
    const std::string bytes = site.Encode();
    ASSERT_LE(bytes.size(), Site::kMaxEncodedBytes) << pages;
    const auto decoded = Site::Decode(bytes);
    ASSERT_TRUE(decoded.has_value()) << pages;
    EXPECT_EQ(decoded->Encode(), bytes) << pages;
    for (std::uint64_t i = 0; i < 50; ++i) {
      const std::string url = AnyUrl(i * 31);
      const Advice a = site.AdviceFor(url, 2);
      const Advice b = decoded->AdviceFor(url, 2);
      EXPECT_EQ(a.action, b.action) << url;
      EXPECT_EQ(a.chance, b.chance) << url;
      EXPECT_EQ(a.rewrite_to, b.rewrite_to) << url;
    }
  }
}

TEST(Site, HasTheseBytesOnEveryMachineAndAfterEveryEviction) {
  // A change of this value is a change of the format or of what is learned, so of the fold's
  // version.
  const std::string bytes = AnySite(2'000).Encode();
  EXPECT_EQ(Hex(RawChecksum(bytes)), "ba27af54456a4f4c3906a135432bd386");
}

TEST(Site, HostileUrlsStayWithinItsBound) {
  const std::vector<std::string> urls = {
      "http://" + std::string(10'000, 'l') + "/",
      [] {
        std::string host = "http://";
        for (int i = 0; i < 10'000; ++i) host += "a.";
        return host + "org/x";
      }(),
      [] {
        std::string path = "http://e.org";
        for (int i = 0; i < 10'000; ++i) path += "/s" + Number(i);
        return path;
      }(),
      "http://e.org/?" + std::string(65'536, '='),
      "http://e.org/" + std::string(65'536, ';'),
      "http://e.org/\x01\x02\x7f?\x1b=\x03",
      std::string("http://e.org/a\0b?c\0=d", 22),
  };
  Site site;
  for (int i = 0; i < 200; ++i) {
    for (const std::string& url : urls) {
      const std::string with_number = url + Number(i);
      PageObservation page;
      page.url = with_number;
      page.time = kStart;
      page.content = MarkOf(static_cast<std::uint64_t>(i));
      page.stands_for = url;
      site.AddPage(page);
      EXPECT_LE(site.AdviceFor(with_number, 1).chance, kWhole);
    }
  }
  const std::string bytes = site.Encode();
  EXPECT_LE(bytes.size(), Site::kMaxEncodedBytes);
  const auto decoded = Site::Decode(bytes);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->Encode(), bytes);
}

TEST(Site, PagesOfOneTemplateAreWorthLess) {
  // Each is new to the judge, as the log of each page's changes is; those of one pattern hardly
  // differ.
  Site site;
  for (std::uint64_t i = 0; i < 40; ++i) {
    for (const bool is_log : {false, true}) {
      const std::string url = std::string("http://e.org/") + (is_log ? "log" : "page") +
                              "/x?t=" + Number(static_cast<int>(i));
      PageObservation page;
      page.url = url;
      page.time = kStart + i;
      page.novelty = kWhole;
      page.content = MarkOf(2 * i + (is_log ? 1 : 0));
      page.simhash = is_log ? 0xffff ^ std::uint64_t{1} << i % 16 : HashOf(url);
      site.AddPage(page);
    }
  }
  EXPECT_GT(site.AdviceFor("http://e.org/page/x?t=99", 1).worth,
            2 * site.AdviceFor("http://e.org/log/x?t=99", 1).worth);
  EXPECT_EQ(site.AdviceFor("http://e.org/log/x?t=99", 1).ground, Ground::kNone);
  EXPECT_GT(site.AdviceFor("http://e.org/log/x?t=99", 1).chance, Percent(95))
      << "each brings new content, whatever that is worth";
}

TEST(Site, NewShortPagesAreWorthHalf) {
  const auto advice = [](bool is_short) {
    Site site;
    for (int i = 0; i < 200; ++i) {
      const std::string url = "http://e.org/" + Number(i) + "x";
      PageObservation page;
      page.url = url;
      page.time = kStart;
      page.novelty = kWhole;
      page.content = MarkOfText(url);
      page.simhash = HashOf(url);
      page.is_short = is_short;
      site.AddPage(page);
    }
    return site.AdviceFor("http://e.org/newx", 0);
  };
  EXPECT_GT(advice(true).chance, Percent(95)) << "it is as likely to be new";
  EXPECT_LT(advice(true).worth, Percent(52));
  EXPECT_GT(advice(true).worth, Percent(45));
  EXPECT_GT(advice(false).worth, Percent(90));
}

TEST(Site, NumberedNamesOfAFolderAreToldFromOthers) {
  Crawl crawl([](const std::string& url) {
    return url.find('-') == std::string::npos ? url : std::string("members");
  });
  for (int i = 0; i < 30; ++i) {
    const std::string name =
        "http://e.org/doc/en/c" + std::string(1, static_cast<char>('a' + i % 26));
    crawl.Fetch(name + Number(i) + "x.html");
    crawl.Fetch(name + "-" + Number(i) + ".html");
  }
  EXPECT_GT(crawl.AdviceFor("http://e.org/doc/en/new.html").chance,
            2 * crawl.AdviceFor("http://e.org/doc/en/new-6.html").chance);
}

TEST(Site, AShapeWithAQueryIsExpectedToBringNewContentHalfAsOften) {
  Crawl crawl([](const std::string& url) { return url; });
  for (int i = 0; i < 30; ++i) crawl.Fetch("http://e.org/" + Number(i) + "x");
  const Advice path = crawl.AdviceFor("http://e.org/a/b/c");
  const Advice query = crawl.AdviceFor("http://e.org/a/b/c?d=e");
  EXPECT_GT(path.chance, Percent(90));
  EXPECT_LT(query.chance, Percent(55));
  EXPECT_EQ(query.worth, path.worth) << "it is tried no later for that";
}

/// A log of changes in a form that compares them, a search with its results.
TEST(Site, PagesThatDifferInAFormAloneAreWorthLittleAndNeverSuppressed) {
  const auto crawl = [](bool other_outside) {
    Site site;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const std::string url = "http://e.org/index.php?title=" + Number(static_cast<int>(i));
      PageObservation page;
      page.url = url;
      page.time = kStart + i;
      page.novelty = kWhole;
      page.content = MarkOf(i);
      page.simhash = HashOf(url);
      // Its title is outside of the form.
      page.simhash_outside_forms = other_outside ? HashOf(url) : 0x1234567812345678 ^ (1 << i % 3);
      site.AddPage(page);
    }
    return site.AdviceFor("http://e.org/index.php?title=new", 1);
  };
  const Advice same = crawl(false);
  const Advice other = crawl(true);
  EXPECT_EQ(same.ground, Ground::kNone);
  EXPECT_LT(same.chance, Percent(5));
  EXPECT_LT(same.worth, Percent(5));
  EXPECT_GT(other.chance, Percent(95));
  EXPECT_GT(other.worth, Percent(80));
}

TEST(Site, TheChanceIsTheShareOfFetchesThatBroughtNewContent) {
  Site site;
  for (int i = 0; i < 400; ++i) {
    PageObservation page;
    const std::string url = "http://e.org/a/" + Number(i) + "/x";
    page.url = url;
    page.time = kStart;
    page.content = MarkOf(HashOf(url));
    page.simhash = HashOf(url);
    // One in four repeats another, one in four nearly so.
    page.novelty = i % 4 == 0 ? 0 : i % 4 == 1 ? kNewNovelty - 1 : kNewNovelty;
    site.AddPage(page);
  }
  const Advice advice = site.AdviceFor("http://e.org/a/1000/x", 9);
  EXPECT_NEAR(advice.chance, kWhole / 2, kWhole / 100) << "whatever the depth";
  EXPECT_LT(advice.worth, advice.chance);
}

/// A site that has each article at two URLs, and names the first one in both.
class Articles {
 public:
  void Fetch(int i, bool is_second, bool is_alias) {
    const std::string first = "http://e.org/index.php?p=" + Number(i);
    const std::string url = is_second ? Second(i) : first;
    PageObservation page;
    page.url = url;
    page.time = kStart;
    page.novelty = is_second ? 0 : kWhole;
    page.content = MarkOfText(first);
    page.simhash = HashOf(first);
    if (is_second) page.stands_for = first;
    page.is_alias = is_alias;
    site_.AddPage(page);
  }

  static std::string Second(int i) { return "http://e.org/story/" + Number(i) + "-x/"; }

  [[nodiscard]] const Site& site() const { return site_; }

 private:
  Site site_;
};

TEST(Site, APatternOfUrlsThatStandForOthersIsSuppressedAfterFour) {
  Articles articles;
  for (int i = 0; i < 4; ++i) {
    const Advice before = articles.site().AdviceFor(Articles::Second(100), 2);
    EXPECT_EQ(before.ground, Ground::kNone) << i;
    articles.Fetch(i, false, false);
    articles.Fetch(i, true, true);
  }
  const Advice advice = articles.site().AdviceFor(Articles::Second(100), 2);
  EXPECT_EQ(advice.ground, Ground::kAlias);
  EXPECT_EQ(advice.action, Action::kSuppress);
  EXPECT_EQ(advice.support, 4U);
  EXPECT_GE(advice.precision, kSuppressAt);
  EXPECT_EQ(articles.site().AdviceFor("http://e.org/index.php?p=100", 2).ground, Ground::kNone);
}

TEST(Site, PagesThatStandForThemselvesSpeakAgainstAliases) {
  Articles articles;
  for (int i = 0; i < 40; ++i) {
    articles.Fetch(i, false, false);
    articles.Fetch(i, true, i % 2 == 0);
  }
  // Half of them: twice as many as the others, which isn't enough.
  EXPECT_LT(articles.site().patterns().Find("/story/*/").AliasesAtLeast(), kSuppressAt);
  EXPECT_NE(articles.site().AdviceFor(Articles::Second(100), 2).ground, Ground::kAlias);
}

/// As in a shop that has each product in three categories, of which one is canonical.
TEST(Site, APatternOfAliasesIsNotSuppressedWhereItBringsNewContentToo) {
  Site site;
  for (int i = 0; i < 120; ++i) {
    const bool is_alias = i % 3 != 0;
    const std::string first = "http://e.org/shop/tools/" + Number(i / 3) + "x";
    const std::string url =
        is_alias ? "http://e.org/shop/" + Number(i % 3) + "y/" + Number(i / 3) + "x" : first;
    PageObservation page;
    page.url = url;
    page.time = kStart;
    page.novelty = is_alias ? 0 : kWhole;
    page.content = MarkOfText(first);
    page.simhash = HashOf(first);
    page.is_alias = is_alias;
    if (is_alias) page.stands_for = first;
    site.AddPage(page);
  }
  const UrlPatterns patterns = site.PatternsOf("http://e.org/shop/tools/new");
  EXPECT_GE(site.patterns().Find(patterns.pattern).AliasesAtLeast(), kSuppressAt);
  EXPECT_NE(site.AdviceFor("http://e.org/shop/tools/new", 2).ground, Ground::kAlias);
}

TEST(Site, WithoutAliasesIsWrittenAsItWasBeforeThereWereAny) {
  Articles articles;
  for (int i = 0; i < 3; ++i) articles.Fetch(i, false, false);
  const std::string before = articles.site().Encode();
  EXPECT_EQ(before.front(), 5);
  articles.Fetch(9, true, true);
  const std::string after = articles.site().Encode();
  EXPECT_EQ(after.front(), 6);
  for (const std::string& bytes : {before, after}) {
    const auto read = Site::Decode(bytes);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->Encode(), bytes);
  }
  EXPECT_EQ(Site::Decode(after)->patterns().Find("/story/*/"),
            articles.site().patterns().Find("/story/*/"));
}

TEST(PatternCounts, AliasesFadeWithTheFetches) {
  const Brought alias{.is_alias = true};
  PatternCounts counts;
  counts.FadeTo(kStart, kHalfLifeSeconds);
  for (int i = 0; i < 8; ++i) counts.Add("/a", alias);
  EXPECT_GE(counts.Find("/a").AliasesAtLeast(), kSuppressAt);
  EXPECT_EQ(counts.Find("/b").AliasesAtLeast(), 0U);
  const Share before = counts.Find("/a").AliasesAtLeast();
  counts.FadeTo(kStart + 2 * kHalfLifeSeconds, kHalfLifeSeconds);
  EXPECT_LT(counts.Find("/a").AliasesAtLeast(), before);
  EXPECT_TRUE(counts.has_aliases());
  counts.FadeTo(kStart + 9 * kHalfLifeSeconds, kHalfLifeSeconds);
  EXPECT_FALSE(counts.has_aliases());
}

/// So many fetches that the counts are halved on the way.
TEST(PatternCounts, TheShareOfAliasesStaysWhatItIsWhereCountsAreHalved) {
  const Brought alias{.is_alias = true};
  PatternCounts counts;
  for (std::uint32_t i = 0; i < 3 * FetchCounts::kLimit / FetchCounts::kFetch; ++i) {
    counts.Add("/a", i % 10 < 3 ? alias : Brought{});
  }
  const FetchCounts found = counts.Find("/a");
  EXPECT_NEAR(found.aliases, 0.3 * found.fetched, 0.001 * found.fetched);
  schedule::ByteWriter out;
  counts.Encode(out, true);
  const std::string bytes = std::move(out).Take();
  schedule::ByteReader in(bytes);
  PatternCounts read;
  EXPECT_TRUE(read.Decode(in, true));
  EXPECT_EQ(read, counts);
}

TEST(Site, ALinkBesideCopiesOfItsPageIsSuppressedWhereItsChanceFallsBelowFivePercent) {
  // One tag in four has a content of its own.
  Crawl crawl([](const std::string& url) {
    return url.ends_with("0x") || url.ends_with("4x") ? url : std::string("articles");
  });
  for (int i = 0; i < 60; ++i) crawl.Fetch("http://e.org/tag/" + Number(i) + "x");
  const auto advice = [&](const Beside& beside) {
    return crawl.site().AdviceFor("http://e.org/tag/newx", 2, {}, beside);
  };
  const Advice alone = advice({});
  ASSERT_EQ(alone.ground, Ground::kNone);
  std::uint32_t needed = 0;
  while (needed < 50 && advice({.same = needed}).ground == Ground::kNone) ++needed;
  EXPECT_EQ(needed, 2 * alone.chance / kNothingNewBelow - 1);
  EXPECT_EQ(advice({.same = needed, .different = 1}).ground, Ground::kNone);
  const Advice beside = advice({.same = needed});
  EXPECT_EQ(beside.action, Action::kSuppress);
  EXPECT_EQ(beside.support, needed);
  EXPECT_LT(beside.chance, kNothingNewBelow);
  EXPECT_LT(beside.worth, alone.worth / 4);
  EXPECT_GT(beside.worth, 0U);
  EXPECT_EQ(crawl.site().AdviceFor("http://e.org/", 2, {}, {.same = 100}).action,
            Action::kSchedule);
}

TEST(Site, ThreeCopiesAreNeverEnough) {
  Crawl crawl([](const std::string& url) {
    return url.find("/x") != std::string::npos ? std::string("one") : url;
  });
  for (int i = 0; i < 12; ++i) crawl.Fetch("http://e.org/tag/x" + Number(i) + "x");
  const auto advice = [&](std::uint32_t copies) {
    return crawl.site().AdviceFor("http://e.org/tag/newx", 2, {}, {.same = copies});
  };
  ASSERT_LT(advice(0).chance, kNothingNewBelow * 2);
  ASSERT_EQ(advice(0).ground, Ground::kNone);
  EXPECT_EQ(advice(3).ground, Ground::kNone);
  EXPECT_EQ(advice(4).ground, Ground::kCopies);
}

TEST(Unlikeness, GrowsWithTheBitsThatDiffer) {
  EXPECT_EQ(Unlikeness(5, 5), 0U);
  EXPECT_EQ(Unlikeness(0, 0xfff), kWhole / 2);
  EXPECT_EQ(Unlikeness(0, 0xffffff), kWhole);
  EXPECT_EQ(Unlikeness(0, ~std::uint64_t{0}), kWhole);
}

TEST(ScoreOf, IsHalfForAnAverageFetch) {
  EXPECT_EQ(ScoreOf(Percent(30), Percent(30)), kWhole / 2);
  EXPECT_GT(ScoreOf(Percent(60), Percent(30)), kWhole / 2);
  EXPECT_EQ(ScoreOf(0, Percent(30)), 0U);
  EXPECT_EQ(ScoreOf(0, 0), kWhole / 2);
  EXPECT_EQ(ScoreOf(kWhole, 0), kWhole);
}

}  // namespace
}  // namespace crawlsieve::site
