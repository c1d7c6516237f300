#include "consumer/output/scores/rendering.h"

#include "consumer/output/scores/frontera.h"
#include "consumer/output/scores/heritrix.h"
#include "consumer/output/scores/score_format.h"
#include "consumer/output/scores/url_item.pb.h"
#include "tests/consumer/output/scores/message_pack.h"
#include "tests/consumer/output/scores/sample_scores.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using nlohmann::json;

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The words of one command in Redis' protocol; nullopt: it is not exactly one.
std::optional<std::vector<std::string>> Words(std::string_view command) {
  const auto take_number = [&](char kind) -> std::optional<std::size_t> {
    const std::size_t end = command.find("\r\n");
    if (end == std::string_view::npos || command.front() != kind) return std::nullopt;
    const std::size_t number = std::stoul(std::string(command.substr(1, end - 1)));
    command.remove_prefix(end + 2);
    return number;
  };
  const auto count = take_number('*');
  if (!count.has_value()) return std::nullopt;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < *count; ++i) {
    const auto size = take_number('$');
    if (!size.has_value() || command.size() < *size + 2) return std::nullopt;
    if (command.substr(*size, 2) != "\r\n") return std::nullopt;
    words.emplace_back(command.substr(0, *size));
    command.remove_prefix(*size + 2);
  }
  if (!command.empty()) return std::nullopt;
  return words;
}

/// What a test looks at in a rendered score, whatever the format.
struct Seen {
  bool is_sound = false;  ///< the format's own reader takes it, to the last byte
  std::string url;
  /// Where the frontier puts it: the lower, the sooner. nullopt: it is not to be fetched.
  std::optional<double> place;
};

Seen SeenJson(std::string_view text, const auto& look) {
  if (text.find_first_of("\r\n") != std::string_view::npos) return {};
  const json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_object()) return {};
  Seen seen = look(parsed);
  seen.is_sound = true;
  return seen;
}

Seen SeenUrlItem(const urlfrontier::URLItem& item) {
  Seen seen{true, "", std::nullopt};
  if (item.has_discovered()) {
    seen.url = item.discovered().info().url();
    seen.place = 0;
  } else {
    seen.url = item.known().info().url();
    const auto date = static_cast<double>(item.known().refetchable_from_date());
    if (date != 0) seen.place = date;
  }
  return seen;
}

Seen SeenBrowsertrix(const std::string& value) {
  const auto words = Words(value);
  if (!words.has_value()) return {};
  if (words->front() == "SADD") return {words->size() == 3, words->at(2), std::nullopt};
  if (words->size() != 8 || words->front() != "EVAL") return {};
  Seen seen = SeenJson(words->at(7), [](const json& page) {
    return Seen{true, page.at("url"), std::nullopt};
  });
  seen.is_sound = seen.is_sound && seen.url == words->at(5);
  seen.place = std::stod(words->at(6));
  return seen;
}

Seen SeenFrontera(std::string_view bytes) {
  const auto message = TakePacked(bytes);
  using Kind = PackedValue::Kind;
  if (!message.has_value() || !bytes.empty() || message->items.size() != 4) return {};
  const PackedValue& tag = message->items[0];
  const PackedValue& request = message->items[1];
  const bool is_sound = tag.kind == Kind::kBytes && tag.text == "us" && request.items.size() == 5 &&
                        request.items[0].kind == Kind::kText &&
                        message->items[3].kind == Kind::kBool;
  if (!is_sound) return {};
  return {true, request.items[0].text, 1 - message->items[2].number};
}

Seen SeenStormCrawler(std::string_view value) {
  const std::vector<std::string> lines = Lines(value);
  if (lines.size() != 2) return {};
  const json action = json::parse(lines[0], nullptr, false);
  if (!action.is_object() || action.size() != 1) return {};
  return SeenJson(lines[1], [](const json& body) {
    const json& fresh = body.contains("upsert") ? body.at("upsert") : body;
    Seen seen{true, fresh.at("url"), std::nullopt};
    if (fresh.contains("nextFetchDate")) {
      const auto date = ParseRfc3339(fresh.at("nextFetchDate").get<std::string>());
      seen.place = static_cast<double>(date.value().time_since_epoch().count()) / 1'000;
    }
    return seen;
  });
}

Seen SeenNutch(const std::string& line) {
  const std::size_t tab = line.find("\tnutch.score=");
  if (tab == std::string::npos || line.find_first_of("\r\n\t ", tab + 1) != std::string::npos) {
    return {};
  }
  if (line.find_first_of(" \r\n\t") != tab) return {};
  return {true, line.substr(0, tab), 1 - std::stod(line.substr(tab + 13))};
}

Seen See(std::string_view format, const RenderedScore& rendered) {
  const std::string& value = rendered.value;
  if (format == "browsertrix") return SeenBrowsertrix(value);
  if (format == "bubing") return {value.find_first_of("\r\n\t ") == std::string::npos, value, 0};
  if (format == "frontera") return SeenFrontera(value);
  if (format == "nutch") return SeenNutch(value);
  if (format == "stormcrawler") return SeenStormCrawler(value);
  if (format == "heritrix") {
    return SeenJson(value, [](const json& request) {
      return Seen{true, request.at("url"), request.at("hop") == "E" ? 0 : 1};
    });
  }
  if (format == "scrapy_cluster") {
    return SeenJson(value, [](const json& request) {
      return Seen{true, request.at("url"), -request.at("priority").get<double>()};
    });
  }
  urlfrontier::URLItem item;
  if (format == "urlfrontier") {
    return item.ParseFromString(value) ? SeenUrlItem(item) : Seen();
  }
  return value.find_first_of("\r\n") == std::string::npos &&
                 google::protobuf::util::JsonStringToMessage(value, &item).ok()
             ? SeenUrlItem(item)
             : Seen();
}

/// What each format promises.
struct Promise {
  std::string_view format;
  bool has_dates = false;
  bool takes_fetched = true;
  std::uint32_t step = 1;  ///< scores that differ by this much have different places
  double first = 0;        ///< place of score 1
  double last = 0;         ///< place of score 0
};

constexpr double kNow = 1'772'323'200;
constexpr double kSpan = 864.0 * 10'000;
constexpr std::uint32_t kNoStep = Score::kOne + 1;
constexpr Promise kPromises[] = {
    {"browsertrix", false, false, 10, 0, 10},
    {"bubing", false, false, kNoStep, 0, 0},
    {"frontera", false, true, 1, 0, 1},
    {"heritrix", false, true, kNoStep, 0, 1},
    {"nutch", false, true, 1, 0, 1},
    {"scrapy_cluster", false, true, 102, -100, -1},
    {"stormcrawler", true, true, 1, kNow - kSpan, kNow},
    {"urlfrontier", true, true, 1, kNow - kSpan, kNow},
    {"urlfrontier_json", true, true, 1, kNow - kSpan, kNow},
};

std::optional<double> PlaceOf(std::string_view format, const UrlScore& record) {
  const RenderedScores rendered = FindScoreFormat(format)->render(record);
  EXPECT_EQ(rendered.size(), 1U) << format;
  if (rendered.size() != 1) return std::nullopt;
  const Seen seen = See(format, rendered.front());
  EXPECT_TRUE(seen.is_sound) << format << ": " << rendered.front().value;
  EXPECT_EQ(seen.url, record.url) << format;
  return seen.place;
}

TEST(ScoreFormats, ArePromisedHereAllOfThem) {
  ASSERT_EQ(ScoreFormats().size(), std::size(kPromises));
  for (const Promise& promise : kPromises) {
    EXPECT_NE(FindScoreFormat(promise.format), nullptr) << promise.format;
  }
  EXPECT_EQ(FindScoreFormat("Nutch"), nullptr);
}

TEST(ScoreFormats, TheEndsOfTheScaleAreTheEndsOfTheRange) {
  for (const Promise& promise : kPromises) {
    UrlScore record = DueScore();
    record.score = Score{Score::kOne};
    EXPECT_NEAR(PlaceOf(promise.format, record).value(), promise.first, 1e-6) << promise.format;
    record.score = Score{0};
    EXPECT_NEAR(PlaceOf(promise.format, record).value(), promise.last, 1e-6) << promise.format;
  }
}

TEST(ScoreFormats, HigherScoresComeSoonerAndStayInRange) {
  constexpr std::uint64_t kSeed = 7;
  std::mt19937_64 random(kSeed);
  for (const Promise& promise : kPromises) {
    for (int i = 0; i < 1'000; ++i) {
      UrlScore high = DueScore();
      UrlScore low = DueScore();
      // Half of the pairs are neighbours, where rounding would show.
      const auto first = static_cast<std::uint32_t>(random() % Score::kOne);
      const auto second =
          static_cast<std::uint32_t>(i % 2 == 0 ? first + 1 : random() % (Score::kOne + 1));
      high.score = Score{std::max(first, second)};
      low.score = Score{std::min(first, second)};
      const double sooner = PlaceOf(promise.format, high).value();
      const double later = PlaceOf(promise.format, low).value();
      const std::uint32_t apart = high.score.ten_thousandths - low.score.ten_thousandths;
      ASSERT_LE(sooner, later) << promise.format << ", seed " << kSeed;
      if (apart >= promise.step) {
        ASSERT_LT(sooner, later) << promise.format << ", seed " << kSeed;
      }
      for (const double place : {sooner, later}) {
        ASSERT_GE(place, promise.first - 1e-9) << promise.format;
        ASSERT_LE(place, promise.last + 1e-9) << promise.format;
      }
    }
  }
}

TEST(ScoreFormats, FetchedAndUnfetchedUrlsShareOneOrder) {
  for (const Promise& promise : kPromises) {
    UrlScore fetched = LaterScore();
    fetched.score = Score{6'000};
    fetched.next_fetch = fetched.as_of;
    if (!promise.takes_fetched) {
      EXPECT_TRUE(FindScoreFormat(promise.format)->render(fetched).empty()) << promise.format;
      continue;
    }
    UrlScore discovered = DueScore();
    discovered.score = Score{6'000};
    EXPECT_EQ(PlaceOf(promise.format, fetched), PlaceOf(promise.format, discovered))
        << promise.format;
  }
}

TEST(ScoreFormats, WhatIsNotDueHasItsDateOrIsLeftOut) {
  for (const Promise& promise : kPromises) {
    UrlScore delayed = DueScore();
    delayed.next_fetch = kSampleTime + std::chrono::milliseconds(1'500);
    if (promise.has_dates) {
      EXPECT_EQ(PlaceOf(promise.format, LaterScore()), kNow + 86'400) << promise.format;
      EXPECT_EQ(PlaceOf(promise.format, delayed), kNow + 2) << promise.format;
    } else {
      EXPECT_TRUE(FindScoreFormat(promise.format)->render(LaterScore()).empty()) << promise.format;
      EXPECT_TRUE(FindScoreFormat(promise.format)->render(delayed).empty()) << promise.format;
    }
  }
}

TEST(ScoreFormats, ProbesAreFetchedLikeAnyOther) {
  for (const Promise& promise : kPromises) {
    UrlScore probe = DueScore();
    probe.action = ScoreAction::kProbe;
    EXPECT_EQ(PlaceOf(promise.format, probe), PlaceOf(promise.format, DueScore()))
        << promise.format;
  }
}

TEST(ScoreFormats, SuppressedUrlsAreNeverGivenOut) {
  for (const Promise& promise : kPromises) {
    const bool can_say_never = promise.has_dates || promise.format == "browsertrix";
    UrlScore record = DueScore();
    record.action = ScoreAction::kSuppress;
    const RenderedScores rendered = FindScoreFormat(promise.format)->render(record);
    ASSERT_EQ(rendered.size(), can_say_never ? 1U : 0U) << promise.format;
    if (!can_say_never) continue;
    const Seen seen = See(promise.format, rendered.front());
    EXPECT_TRUE(seen.is_sound) << promise.format;
    EXPECT_EQ(seen.url, record.url) << promise.format;
    EXPECT_FALSE(seen.place.has_value()) << promise.format;
  }
}

TEST(ScoreFormats, ARewriteOffersTheOtherUrlInPlaceOfThisOne) {
  for (const Promise& promise : kPromises) {
    const bool can_say_never = promise.has_dates || promise.format == "browsertrix";
    UrlScore record = DueScore();
    record.action = ScoreAction::kRewrite;
    record.rewrite_to = "https://a.example/target";
    const RenderedScores rendered = FindScoreFormat(promise.format)->render(record);
    ASSERT_EQ(rendered.size(), can_say_never ? 2U : 1U) << promise.format;
    std::map<std::string, bool> is_given_out;
    for (const RenderedScore& score : rendered) {
      const Seen seen = See(promise.format, score);
      EXPECT_TRUE(seen.is_sound) << promise.format;
      is_given_out[seen.url] = seen.place.has_value();
    }
    EXPECT_TRUE(is_given_out[record.rewrite_to]) << promise.format;
    EXPECT_FALSE(is_given_out[record.url]) << promise.format;
  }
}

TEST(ScoreFormats, HostileTextBreaksNoLineAndNoDocument) {
  int rendered_urls = 0;
  for (const std::string& text : HostileUrls()) {
    for (const ScoreAction action : {ScoreAction::kSchedule, ScoreAction::kProbe,
                                     ScoreAction::kSuppress, ScoreAction::kRewrite}) {
      UrlScore record = DueScore();
      record.url = text;
      record.host = text;
      record.parent_url = text;
      record.crawl_id = text;
      record.action = action;
      if (action == ScoreAction::kRewrite) record.rewrite_to = text + "/";
      for (const ScoreFormat& format : ScoreFormats()) {
        for (const RenderedScore& score : format.render(record)) {
          const Seen seen = See(format.name, score);
          EXPECT_TRUE(seen.is_sound) << format.name << ' ' << text.substr(0, 100);
          EXPECT_TRUE(seen.url == record.url || seen.url == record.rewrite_to) << format.name;
          ++rendered_urls;
        }
        // The URL is sound, what comes with it isn't.
        UrlScore other = record;
        other.url = "https://a.example/x";
        if (action == ScoreAction::kRewrite && text.empty()) continue;
        for (const RenderedScore& score : format.render(other)) {
          EXPECT_TRUE(See(format.name, score).is_sound) << format.name << ' ' << text.substr(0, 99);
        }
      }
    }
  }
  EXPECT_GT(rendered_urls, 100);
}

TEST(ScoreFormats, AreFunctionsOfTheRecord) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    const UrlScore record = RandomScore(random);
    for (const ScoreFormat& format : ScoreFormats()) {
      const RenderedScores rendered = format.render(record);
      EXPECT_EQ(rendered, format.render(UrlScore(record))) << format.name;
      for (const RenderedScore& score : rendered) {
        EXPECT_TRUE(See(format.name, score).is_sound) << format.name;
      }
    }
  }
}

TEST(ScoreFormats, BothFormsOfUrlFrontierSayTheSame) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const UrlScore record = RandomScore(random);
    const RenderedScores binary = FindScoreFormat("urlfrontier")->render(record);
    const RenderedScores text = FindScoreFormat("urlfrontier_json")->render(record);
    ASSERT_EQ(binary.size(), text.size());
    for (std::size_t j = 0; j < binary.size(); ++j) {
      EXPECT_EQ(binary[j].key, text[j].key);
      urlfrontier::URLItem one;
      urlfrontier::URLItem other;
      ASSERT_TRUE(one.ParseFromString(binary[j].value));
      ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(text[j].value, &other).ok());
      EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(one, other)) << text[j].value;
    }
  }
}

TEST(StormCrawlerRendering, HasTheStatusOfTheLastFetch) {
  const auto status = [](std::optional<std::uint32_t> last) {
    UrlScore record = LaterScore();
    record.last_status = last;
    const RenderedScores rendered = FindScoreFormat("stormcrawler")->render(record);
    return json::parse(Lines(rendered.at(0).value).at(1)).at("upsert").at("status");
  };
  EXPECT_EQ(status(200), "FETCHED");
  EXPECT_EQ(status(304), "FETCHED");
  EXPECT_EQ(status(301), "REDIRECTION");
  EXPECT_EQ(status(404), "ERROR");
  EXPECT_EQ(status(410), "ERROR");
  EXPECT_EQ(status(503), "FETCH_ERROR");
  EXPECT_EQ(status(std::nullopt), "FETCH_ERROR");
}

TEST(ScrapyClusterRendering, KeepsToTheFieldsAndBoundsOfItsSchema) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 500; ++i) {
    for (const RenderedScore& score :
         FindScoreFormat("scrapy_cluster")->render(RandomScore(random))) {
      const json request = json::parse(score.value);
      EXPECT_EQ(request.size(), 5U);
      const std::string app = request.at("appid");
      EXPECT_TRUE(3 <= app.size() && app.size() <= 40);
      EXPECT_FALSE(request.at("crawlid").get<std::string>().empty());
      EXPECT_TRUE(request.at("url").is_string());
      EXPECT_TRUE(request.at("priority").is_number_unsigned());
      EXPECT_TRUE(1 <= request.at("priority") && request.at("priority") <= 100);
      EXPECT_TRUE(request.at("attrs").is_object());
    }
  }
}

TEST(BubingRendering, LeavesOutUrlsThatBubingRefusesOrChanges) {
  const ScoreFormat& format = *FindScoreFormat("bubing");
  EXPECT_EQ(format.render(DueScore()).size(), 1U);
  for (const char* url : {"http://a.example/%00", "http://a.example/?q=\\x"}) {
    UrlScore record = DueScore();
    record.url = url;
    EXPECT_TRUE(format.render(record).empty()) << url;
  }
}

TEST(ScrapyClusterRendering, LeavesOutCrawlsThatItsSchemaRefuses) {
  const ScoreFormat& format = *FindScoreFormat("scrapy_cluster");
  UrlScore record = DueScore();
  record.crawl_id = std::string(40, 'c');
  EXPECT_EQ(format.render(record).size(), 1U);
  record.crawl_id += "c";
  EXPECT_TRUE(format.render(record).empty());
  record.crawl_id.clear();
  ASSERT_EQ(format.render(record).size(), 1U);
  EXPECT_EQ(json::parse(format.render(record)[0].value).at("crawlid"), "crawlsieve");
}

TEST(BrowsertrixRendering, LeavesOutRecordsWithoutACrawl) {
  const ScoreFormat& format = *FindScoreFormat("browsertrix");
  UrlScore record = DueScore();
  record.crawl_id.clear();
  EXPECT_TRUE(format.render(record).empty());
}

TEST(HeritrixRendering, ForcesARefetchAndNoFirstFetch) {
  const auto request = [](const UrlScore& record) {
    return json::parse(FindScoreFormat("heritrix")->render(record).at(0).value);
  };
  UrlScore fetched = LaterScore();
  fetched.score = Score{7'499};
  fetched.next_fetch = fetched.as_of;
  fetched.depth = 3;
  EXPECT_EQ(request(fetched).at("forceFetch"), true);
  EXPECT_EQ(request(fetched).at("hop"), "L");
  EXPECT_EQ(request(fetched).at("parentUrlMetadata").at("pathFromSeed"), "LL");
  fetched.depth = 4'000'000'000;
  EXPECT_EQ(request(fetched).at("parentUrlMetadata").at("pathFromSeed").get<std::string>().size(),
            49U);
  EXPECT_EQ(request(DueScore()).at("forceFetch"), false);
  EXPECT_EQ(request(DueScore()).at("hop"), "E");
}

TEST(HeritrixRendering, KeysAreThoseOfMurmurHash) {
  EXPECT_EQ(Murmur3Hex(""), "00000000");
  EXPECT_EQ(Murmur3Hex("test"), "13d26bba");  // 0xba6bd213
  EXPECT_EQ(Murmur3Hex("Hello, world!"), "433e36c0");
  EXPECT_EQ(Murmur3Hex("The quick brown fox jumps over the lazy dog"), "23f74f2e");
}

TEST(FronteraRendering, FingerprintsAreOfTheUrlAsW3libHasIt) {
  EXPECT_EQ(W3libCanonicalUrl("http://a.example"), "http://a.example/");
  EXPECT_EQ(W3libCanonicalUrl("http://a.example/?"), "http://a.example/");
  EXPECT_EQ(W3libCanonicalUrl("http://a.example/do?c=3&b=5&b=2&a"),
            "http://a.example/do?a=&b=2&b=5&c=3");
  EXPECT_EQ(W3libCanonicalUrl("http://a.example/%3a%2f%20%22?q=a%20b%2Fc&&x=%41"),
            "http://a.example/:%2F%20%22?q=a+b%2Fc&x=A");
  EXPECT_EQ(W3libCanonicalUrl("http://U@a.example:8080/x;p=%3a?b=1;a=2#f"),
            "http://u@a.example:8080/x;p=%3a?a=2&b=1");
}

TEST(Rendering, OnlyUrlsThatAFrontierCanFetchAreRenderable) {
  EXPECT_TRUE(IsRenderable("http://a"));
  EXPECT_TRUE(IsRenderable("https://u:p@[::1]:80/%00?\"'<>#f"));
  EXPECT_TRUE(IsRenderable("http://a/" + std::string(kMaxRenderedUrlBytes - 9, 'x')));
  EXPECT_FALSE(IsRenderable("http://a/" + std::string(kMaxRenderedUrlBytes - 8, 'x')));
  for (const char* url : {"", "a", "http://", "http:///", "http://?", "http://@", "http://:80",
                          "http://[::1", "http://u@:80/", "ftp://a/", "javascript:x", "http://a/\t",
                          "http://a/ ", "http://a/\x7f", "http://\xc3\xa9/"}) {
    EXPECT_FALSE(IsRenderable(url)) << url;
  }
}

TEST(Rendering, HostsAreThoseOfTheUrl) {
  EXPECT_EQ(HostOf("http://a.example"), "a.example");
  EXPECT_EQ(HostOf("http://u:p@a.example:80/x@y"), "a.example");
  EXPECT_EQ(HostOf("https://[::1]:8080?x"), "[::1]");
  EXPECT_EQ(AuthorityOf("https://u@[::1]:8080?x"), "u@[::1]:8080");
}

TEST(Rendering, DecimalsAreExactAndShort) {
  EXPECT_EQ(Decimal(Score{0}), "0");
  EXPECT_EQ(Decimal(Score{1}), "0.0001");
  EXPECT_EQ(Decimal(Score{500}), "0.05");
  EXPECT_EQ(Decimal(Score{5'000}), "0.5");
  EXPECT_EQ(Decimal(Score{9'999}), "0.9999");
  EXPECT_EQ(Decimal(Score{10'000}), "1");
}

TEST(Rendering, AbsurdTimesStayWithinTheRangeOfDates) {
  UrlScore record = DueScore();
  record.as_of = Timestamp{};
  EXPECT_EQ(FetchDate(record), 1);
  record.as_of = Timestamp::min();
  EXPECT_EQ(FetchDate(record), 1);
  record.as_of = Timestamp::max();
  EXPECT_EQ(FetchDate(record), kLatestFetchDate);
  UrlScore later = LaterScore();
  later.next_fetch = Timestamp::max();
  EXPECT_EQ(FetchDate(later), kLatestFetchDate);
  for (const ScoreFormat& format : ScoreFormats()) {
    for (const RenderedScore& score : format.render(later)) {
      EXPECT_TRUE(See(format.name, score).is_sound) << format.name;
    }
  }
}

TEST(Rendering, FramesAreWhatReadersOfFilesExpect) {
  std::string file;
  AppendFramed(Framing::kLines, "ab", file);
  AppendFramed(Framing::kAppended, "cd", file);
  AppendFramed(Framing::kDelimited, "e", file);
  EXPECT_EQ(file,
            "ab\ncd\x01"
            "e");
  file.clear();
  AppendFramed(Framing::kDelimited, std::string(300, 'x'), file);
  EXPECT_EQ(file.substr(0, 3), "\xac\x02x");
  EXPECT_EQ(file.size(), 302U);
}

}  // namespace
}  // namespace crawlsieve::consumer
