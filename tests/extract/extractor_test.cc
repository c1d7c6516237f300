#include "extract/extractor.h"

#include "extract/references.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

using namespace std::string_literals;

Page HtmlPage(std::string body) {
  Page page;
  page.url = "https://example.org/a/b";
  page.content_type = "text/html";
  page.body = std::move(body);
  return page;
}

Document Extract(const Page& page, const ExtractOptions& options = {}) {
  return Extractor(options, FeatureHasher("key")).Extract(page);
}

TEST(Extractor, MakesADocumentOfAPage) {
  const Document document = Extract(HtmlPage(
      "<html lang=en><title>Some Title</title><body><h1>Hello</h1><p>Hello <b>World</b>!"));
  EXPECT_EQ(document.outcome, Outcome::kText);
  EXPECT_EQ(document.detail, "");
  EXPECT_FALSE(document.canonical_url.empty());
  EXPECT_EQ(document.charset, "UTF-8");
  EXPECT_EQ(document.charset_source, "default");
  EXPECT_EQ(document.title, "Some Title");
  EXPECT_EQ(document.language, "en");
  EXPECT_EQ(document.normalized_text, "some title hello hello world");
  EXPECT_EQ(document.text_length, std::string("Some Title Hello Hello World!").size());
  ASSERT_EQ(document.features.size(), 3U);  // "some" is a stop word
  FeatureHasher hasher("key");
  EXPECT_THAT(document.features, ::testing::Contains(Feature{hasher.Hash("hello"), 2}));
  EXPECT_TRUE(std::is_sorted(document.features.begin(), document.features.end(),
                             [](const Feature& a, const Feature& b) { return a.hash < b.hash; }));
}

TEST(Extractor, FindsWhatStandsOutsideOfForms) {
  const auto outside = [](const std::string& body) {
    return Extract(HtmlPage("<title>Page</title><body>" + body)).features_outside_forms;
  };
  std::string words;
  for (int i = 0; i < 24; ++i) words += " walrus" + std::to_string(i);
  const std::string text = "<p>" + words + "</p>";
  const auto form = [](const std::string& of) { return "<form><p>" + of + "</p></form>"; };
  const auto same = outside(text + form("colour history" + words));
  EXPECT_FALSE(same.empty());
  EXPECT_EQ(same, outside(text + form("another past" + words)));
  FeatureHasher hasher("key");
  EXPECT_THAT(same, ::testing::Not(::testing::Contains(Feature{hasher.Hash("colour"), 1})));
  EXPECT_TRUE(outside(text).empty());
  EXPECT_TRUE(outside(text + form("a search")).empty()) << "less than a quarter";
  EXPECT_TRUE(outside(form(words)).empty()) << "nothing else is left";
}

TEST(Extractor, HashesATitleWithoutItsNumbers) {
  const auto hash = [](const std::string& title) {
    return Extract(HtmlPage("<title>" + title + "</title><p>Hello")).title_hash;
  };
  EXPECT_NE(hash("Search - Manual"), 0U);
  EXPECT_EQ(hash("Search - Manual 2.11"), hash("SEARCH: manual v3, 4 May 2026"));
  EXPECT_NE(hash("Search - Manual"), hash("Manual - Search"));
  EXPECT_NE(hash("Search - Manual"), hash("Search - Manuals"));
  EXPECT_NE(hash("ab c"), hash("a bc"));
  for (const char* none : {"", " ", "2.11", "- / -", "v3 4"}) EXPECT_EQ(hash(none), 0U) << none;
  EXPECT_EQ(Extract(HtmlPage("<p>Hello")).title_hash, 0U);
}

TEST(Extractor, FailedFetchIsAnErrorWhateverCameOfItsBody) {
  for (const char* problem : {"missing_body", "bad_encoding", "truncated"}) {
    for (const int status : {304, 404, 500}) {
      Page page = HtmlPage("");
      page.body_problem = problem;
      page.status_code = status;
      const Document document = Extract(page);
      EXPECT_EQ(document.outcome, Outcome::kErrorStatus) << problem;
      EXPECT_EQ(document.detail, std::to_string(status)) << problem;
    }
  }
}

TEST(Extractor, PassesOnTheBodysProblemBeforeItReadsTheBody) {
  Page page = HtmlPage("");
  page.body_problem = "bad_encoding";
  const Document document = Extract(page);
  EXPECT_EQ(document.outcome, Outcome::kNotEvaluated);
  EXPECT_EQ(document.detail, "bad_encoding");
  EXPECT_FALSE(document.canonical_url.empty());
}

TEST(Extractor, DoesNotReadErrorPages) {
  for (const int status : {0, 199, 301, 404, 503}) {
    Page page = HtmlPage("<p>text");
    page.status_code = status;
    const Document document = Extract(page);
    EXPECT_EQ(document.outcome, Outcome::kErrorStatus);
    EXPECT_EQ(document.detail, std::to_string(status));
    EXPECT_TRUE(document.features.empty());
  }
  Page page = HtmlPage("<p>text");
  page.status_code = 206;
  EXPECT_EQ(Extract(page).outcome, Outcome::kText);
}

TEST(Extractor, RefusesBodiesOverTheLimit) {
  ExtractOptions options;
  options.limits.max_body_bytes = 10;
  EXPECT_EQ(Extract(HtmlPage("0123456789"), options).outcome, Outcome::kText);
  const Document document = Extract(HtmlPage("0123456789x"), options);
  EXPECT_EQ(document.outcome, Outcome::kNotEvaluated);
  EXPECT_EQ(document.detail, "body_too_large");
}

TEST(Extractor, TakesAnEmptyBodyForAPageWithoutText) {
  const Document document = Extract(HtmlPage(""));
  EXPECT_EQ(document.outcome, Outcome::kText);
  EXPECT_TRUE(document.features.empty());
  EXPECT_EQ(document.text_length, 0U);
}

TEST(Extractor, KnowsWhatIsNotHtml) {
  Page page = HtmlPage("%PDF-1.7");
  EXPECT_EQ(Extract(page).outcome, Outcome::kNotHtml);
  page = HtmlPage("<p>x");
  page.content_type = "image/png";
  EXPECT_EQ(Extract(page).outcome, Outcome::kNotHtml);
  EXPECT_EQ(Extract(page).detail, "");
}

TEST(Extractor, ReadsPlainTextAsItIs) {
  Page page = HtmlPage("a <b> c &amp; d");
  page.content_type = "text/plain; charset=utf-8";
  const Document document = Extract(page);
  EXPECT_EQ(document.normalized_text, "a b c amp d");
  EXPECT_EQ(document.charset_source, "header");
}

TEST(Extractor, ReadsStrippedTextWhateverTheContentType) {
  Page page = HtmlPage("Wörter <p> \xFF und mehr");
  page.content_type = "text/html; charset=koi8-r";
  page.body_kind = BodyKind::kText;
  const Document document = Extract(page);
  EXPECT_EQ(document.outcome, Outcome::kText);
  EXPECT_EQ(document.normalized_text, "wörter p und mehr");
  EXPECT_EQ(document.charset, "UTF-8");
}

TEST(Extractor, ReadsUtf16WithByteOrderMark) {
  std::string body = "\xFF\xFE"s;
  for (const char c : "<title>T</title><p>Hello"s) (body += c) += '\0';
  const Document document = Extract(HtmlPage(body));
  EXPECT_EQ(document.normalized_text, "t hello");
  EXPECT_EQ(document.charset, "UTF-16LE");
  EXPECT_EQ(document.charset_source, "bom");
}

TEST(Extractor, ReadsShiftJisDeclaredByMeta) {
  const Document document = Extract(HtmlPage("<meta charset=Shift_JIS><p>\x93\xFA\x96\x7B"));
  EXPECT_EQ(document.normalized_text, "日本");
  EXPECT_EQ(document.charset, "Shift_JIS");
  EXPECT_EQ(document.charset_source, "meta");
}

TEST(Extractor, GivesUpOnTooManyWords) {
  ExtractOptions options;
  options.limits.max_tokens = 3;
  EXPECT_EQ(Extract(HtmlPage("<title>a</title>b c"), options).outcome, Outcome::kText);
  const Document document = Extract(HtmlPage("<title>a</title>b c d"), options);
  EXPECT_EQ(document.outcome, Outcome::kNotEvaluated);
  EXPECT_EQ(document.detail, "too_many_tokens");
  EXPECT_EQ(document.charset, "");
  EXPECT_TRUE(document.features.empty());
}

TEST(Extractor, NamesTheLimitThatStoppedTheParse) {
  for (const ParserKind parser : {ParserKind::kFast, ParserKind::kGumbo}) {
    ExtractOptions options;
    options.parser = parser;
    options.limits.max_parse_allocations = 100;
    std::string body(1000, 'x');
    for (int i = 0; i < 100; ++i) body += "<p>";
    const Document document = Extract(HtmlPage(std::move(body)), options);
    EXPECT_EQ(document.outcome, Outcome::kNotEvaluated);
    EXPECT_EQ(document.detail, "parse_nodes");
  }
}

TEST(Extractor, FindsTheSameInTheSamePageAgain) {
  Extractor extractor({}, FeatureHasher("key"));
  const Page page = HtmlPage("<title>T</title><p>one two ä");
  const Document first = extractor.Extract(page);
  (void)extractor.Extract(HtmlPage("<html lang=de><title>Other</title><p>drei"));
  const Document second = extractor.Extract(page);
  EXPECT_EQ(first.normalized_text, second.normalized_text);
  EXPECT_EQ(first.features, second.features);
  EXPECT_EQ(first.language, second.language);
}

/// A page with `main_words` words of main text and things around it.
Page Article(int main_words) {
  std::string body = "<title>Title</title><nav><a href=/>Home</a></nav><main><h1>Headline</h1><p>";
  for (int i = 0; i < main_words; ++i) body += "word" + std::to_string(i) + " ";
  body += "</main><img alt=picture src=x><footer>Imprint</footer>";
  return HtmlPage(std::move(body));
}

TEST(Extractor, JudgesByTheMainText) {
  const Document document = Extract(Article(60));
  EXPECT_FALSE(document.all_text);
  EXPECT_EQ(document.main_words, 61U);
  EXPECT_THAT(document.normalized_text, ::testing::StartsWith("title headline word0 word1 "));
  EXPECT_THAT(document.normalized_text, ::testing::EndsWith(" word59"));
}

TEST(Extractor, JudgesByAllTextWhereThereIsLittleMainText) {
  const Document document = Extract(Article(48));
  EXPECT_TRUE(document.all_text);
  EXPECT_EQ(document.main_words, 49U);
  EXPECT_THAT(document.normalized_text, ::testing::StartsWith("title home headline word0 "));
  EXPECT_THAT(document.normalized_text, ::testing::EndsWith(" word47 imprint"));
  EXPECT_FALSE(Extract(Article(49)).all_text);
}

TEST(Extractor, WeighsTextByItsRole) {
  ExtractOptions options;
  options.features.role_weights = {7, 6, 5, 4, 3, 2, 1};
  options.features.terms.stem = false;
  const Document document = Extract(Article(60), options);
  FeatureHasher hasher("key");
  for (const auto& [word, weight] :
       std::vector<std::pair<std::string, std::uint32_t>>{{"title", 7},
                                                          {"headline", 6},
                                                          {"word5", 5},
                                                          {"home", 4},
                                                          {"imprint", 3},
                                                          {"picture", 1}}) {
    EXPECT_THAT(document.features, ::testing::Contains(Feature{hasher.Hash(word), weight})) << word;
  }
  options.features.role_weights = {};
  EXPECT_EQ(Extract(Article(60), options).features.size(), 0U);
}

TEST(Extractor, ListsSegmentsWhenAsked) {
  EXPECT_TRUE(Extract(Article(60)).segments.empty());
  ExtractOptions options;
  options.details = true;
  std::vector<Role> roles;
  for (const TextSegment& segment : Extract(Article(60), options).segments) {
    roles.push_back(segment.role);
  }
  EXPECT_THAT(roles, ::testing::ElementsAre(Role::kTitle, Role::kNavigation, Role::kHeading,
                                            Role::kMain, Role::kBoilerplate, Role::kAltText));
}

References ReferencesOf(const std::string& html) {
  ExtractOptions options;
  options.references = true;
  options.features.min_main_words = 5;
  return Extract(HtmlPage(html), options).references;
}

TEST(Extractor, ListsWhereAPageLeadsAndFromWhichPart) {
  const std::string words = "The quick brown fox jumps over the lazy dog and far away from here. ";
  const References references = ReferencesOf(
      "<base href=/b/><body><nav><a href=n1>home</a> <a href=n2>news</a></nav><main><p>" + words +
      words + "<a href=m1>a source</a> " + words + "<a href=m2><img src=x alt=y></a> and more " +
      words + "</p></main><footer><a href=f1>imprint</a></footer>");
  EXPECT_EQ(references.base, "/b/");
  EXPECT_THAT(references.main_text, ::testing::ElementsAre("m1", "m2"));
  EXPECT_THAT(references.elsewhere, ::testing::ElementsAre("n1", "n2", "f1"));
  EXPECT_TRUE(Extract(HtmlPage("<a href=x>x</a>")).references.elsewhere.empty()) << "only if asked";
}

TEST(Extractor, ListsNoLinksThatThePageKeepsRobotsFrom) {
  EXPECT_THAT(ReferencesOf("<a href=a rel='noopener NoFollow'>a</a><a href=b rel=nofollowing>b</a>")
                  .main_text,
              ::testing::ElementsAre("b"));
  for (const char* rule : {"nofollow", "noindex, NOFOLLOW", "none"}) {
    EXPECT_TRUE(
        ReferencesOf(std::string("<meta name=Robots content='") + rule + "'><a href=a>a</a>")
            .main_text.empty())
        << rule;
  }
  EXPECT_EQ(ReferencesOf("<meta name=robots content=noindex><a href=a>a</a>").main_text.size(), 1U);
  EXPECT_EQ(ReferencesOf("<meta name=author content=nofollow><a href=a>a</a>").main_text.size(),
            1U);
}

TEST(Extractor, ListsTheCanonicalLinkOfTheHeadWhateverRobotsMayFollow) {
  const std::string link = "<link rel=canonical href=c?d>";
  EXPECT_EQ(ReferencesOf(link + "<p>x").canonical, "c?d");
  EXPECT_EQ(ReferencesOf("<meta name=robots content=nofollow>" + link).canonical, "c?d");
  EXPECT_EQ(ReferencesOf("<p>x" + link).canonical, "") << "a visitor may have written it";
  EXPECT_EQ(
      ReferencesOf("<link rel=canonical href=/" + std::string(kMaxLinkBytes, 'a') + ">").canonical,
      "");
}

TEST(ResolveCanonicalLink, GivesAnotherUrlOfTheSameHost) {
  const auto resolve = [](const std::string& href, const std::string& base = {}) {
    return ResolveCanonicalLink({base, {}, {}, href}, "https://example.org/a/b?c",
                                "https://example.org/a/b?c", UrlOptions());
  };
  EXPECT_EQ(resolve("d"), "https://example.org/a/d");
  EXPECT_EQ(resolve("d", "/e/"), "https://example.org/e/d");
  EXPECT_EQ(resolve("/d?utm_source=x#y"), "https://example.org/d");
  EXPECT_EQ(resolve("http://example.org/a/b?c"), "http://example.org/a/b?c");
  EXPECT_EQ(resolve("https://www.example.org/"), "https://www.example.org/");
  for (const char* none :
       {"", "#top", "/a/b?c", "https://example.org/a/b?c&utm_source=x", "//example.com/",
        "//sub.example.org/", "//wwwexample.org/", "data:x", "javascript:f()", "http://["}) {
    EXPECT_EQ(resolve(none), "") << none;
  }
  EXPECT_EQ(resolve("/" + std::string(kMaxLinkBytes, 'a')), "");
  EXPECT_EQ(resolve("\xc3\xa4" + std::string(700, ' ') + "b"), "") << "too long once it is spelt";
}

TEST(ResolveReferences, GivesEachPageOnceAndThoseOfTheMainTextFirst) {
  const References references{
      "../c/",
      {"d", "#top", "mailto:a@example.org", "javascript:f()", "https://example.org/a/b"},
      {"d#part", "//other.example/?utm_source=x", "data:text/html,x", "http://[", "e"}};
  const OutLinks links = ResolveReferences(references, "https://example.org/a/b",
                                           "https://example.org/a/b", UrlOptions(), 100);
  EXPECT_THAT(links.main_text,
              ::testing::ElementsAre("https://example.org/c/d", "https://example.org/c/"));
  EXPECT_THAT(links.elsewhere,
              ::testing::ElementsAre("https://other.example/", "https://example.org/c/e"));
  const OutLinks some = ResolveReferences(references, "https://example.org/a/b",
                                          "https://example.org/a/b", UrlOptions(), 3);
  EXPECT_EQ(some.main_text.size(), 2U);
  EXPECT_EQ(some.elsewhere.size(), 1U);
}

TEST(ResolveReferences, PassesOverAddressesBeyondTheLimit) {
  const References references{
      {},
      {"/" + std::string(kMaxLinkBytes, 'a'), "/\xc3\xa4" + std::string(700, ' ') + "b", "/c"},
      {}};
  EXPECT_THAT(ResolveReferences(references, "https://example.org/", "https://example.org/",
                                UrlOptions(), 100)
                  .main_text,
              ::testing::ElementsAre("https://example.org/c"));
}

TEST(Extractor, RecordsWhatThePageClaimsAndBelievesNothing) {
  const Document document = Extract(HtmlPage(
      "<head><base href='/c/'><link rel=Canonical href='d?utm_source=x'><meta http-equiv=refresh "
      "content=\"5; URL='e'\"></head><body>x"));
  EXPECT_EQ(document.canonical_url, "https://example.org/a/b");
  EXPECT_EQ(document.claimed_canonical, "https://example.org/c/d");
  EXPECT_EQ(document.claimed_refresh, "https://example.org/c/e");
  EXPECT_EQ(document.registered_domain, "example.org");
}

TEST(Extractor, FollowsACanonicalLinkWithinTheHostWhenAsked) {
  ExtractOptions options;
  options.url.follow_canonical_link = true;
  EXPECT_EQ(Extract(HtmlPage("<link rel=canonical href=/c>x"), options).canonical_url,
            "https://example.org/c");
  for (const char* elsewhere :
       {"https://www.example.org/c", "//example.com/", "data:x", "http://["}) {
    const Document document =
        Extract(HtmlPage("<link rel=canonical href='"s + elsewhere + "'>x"), options);
    EXPECT_EQ(document.canonical_url, "https://example.org/a/b") << elsewhere;
    EXPECT_NE(document.claimed_canonical, "") << elsewhere;
  }
  // In the body it may be a visitor's.
  EXPECT_EQ(Extract(HtmlPage("<p>x<link rel=canonical href=/c>"), options).claimed_canonical, "");
}

TEST(Extractor, ListsLinksWhenAsked) {
  const Page page = HtmlPage(
      "<base href=https://example.com/x/><p>one <a href=y rel=' nofollow'> two\n three</a>"
      "<a name=z>no link</a></p><a href='#top'><div>four</div></a>");
  EXPECT_TRUE(Extract(page).links.empty());
  ExtractOptions options;
  options.details = true;
  const Document document = Extract(page, options);
  ASSERT_EQ(document.links.size(), 2U);
  EXPECT_EQ(document.links[0].url, "https://example.com/x/y");
  EXPECT_EQ(document.links[0].text, "two three");
  EXPECT_EQ(document.links[0].rel, "nofollow");
  EXPECT_EQ(document.links[1].url, "https://example.com/x/");
  EXPECT_EQ(document.links[1].text, "four");
  options.limits.max_links = 1;
  EXPECT_EQ(Extract(page, options).links.size(), 1U);
}

TEST(DescribeExtraction, NamesWhatDecidesTheFeatures) {
  ExtractOptions options;
  const std::string description = DescribeExtraction(options);
  for (const char* part : {"shingle=1+0", "icu=", "parser=fast-2", "cld2=", "probe=", "psl="}) {
    EXPECT_THAT(description, ::testing::HasSubstr(part));
  }
  EXPECT_THAT(description, ::testing::Not(::testing::HasSubstr("\n")));
  const auto with = [](auto change) {
    ExtractOptions changed;
    change(changed);
    return DescribeExtraction(changed);
  };
  EXPECT_EQ(description, with([](auto& o) { o.parser = ParserKind::kFast; }));
  EXPECT_THAT(with([](auto& o) { o.parser = ParserKind::kGumbo; }),
              ::testing::HasSubstr("parser=gumbo-0.10.1"));
  EXPECT_NE(description, with([](auto& o) { o.features.shingle_size = 2; }));
  EXPECT_NE(description, with([](auto& o) { o.features.phrase_size = 2; }));
  EXPECT_NE(description, with([](auto& o) { o.features.max_token_bytes = 100; }));
  EXPECT_NE(description, with([](auto& o) { o.features.min_main_words = 0; }));
  EXPECT_NE(description, with([](auto& o) { o.features.role_weights[3] = 1; }));
  EXPECT_NE(description, with([](auto& o) { o.features.volatile_text.prices = true; }));
  EXPECT_NE(description, with([](auto& o) { o.features.terms.stem = false; }));
  EXPECT_NE(description, with([](auto& o) { o.features.damp_frequency = true; }));
  EXPECT_NE(description, with([](auto& o) { o.url.sort_query = true; }));
  EXPECT_EQ(description, with([](auto& o) { o.details = true; }));
}

}  // namespace
}  // namespace crawlsieve::extract
