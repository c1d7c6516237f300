#include "tests/consumer/input/formats/golden.h"

#include "consumer/input/formats/base64.h"
#include "tests/consumer/input/formats/decode.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::HasSubstr;

/// Whether FormatKind::kAuto knows the format, of those of JSON.
bool IsRecognized(FormatKind format) {
  return format != FormatKind::kCorpus && format != FormatKind::kBrowsertrix;
}

std::vector<Golden> RecognizedRecords() {
  std::vector<Golden> records = GoldenRecords();
  std::erase_if(records, [](const Golden& golden) { return !IsRecognized(golden.format); });
  return records;
}

void ExpectPage(const Golden& golden, const extract::Page& page) {
  const nlohmann::json& want = golden.line;
  EXPECT_EQ(page.url, want.at("url")) << golden.Name();
  EXPECT_EQ(page.final_url, want.at("final_url")) << golden.Name();
  EXPECT_EQ(page.status_code, want.at("status")) << golden.Name();
  EXPECT_EQ(page.content_type, want.at("content_type")) << golden.Name();
  EXPECT_EQ(page.charset, want.at("charset")) << golden.Name();
  EXPECT_EQ(page.body, DecodeBase64(want.at("body").get<std::string>())) << golden.Name();
  EXPECT_EQ(page.body_problem, want.at("problem")) << golden.Name();
  EXPECT_EQ(page.body_kind == extract::BodyKind::kText, want.at("kind") == "text") << golden.Name();
  EXPECT_EQ(page.fetch_time.has_value(), want.at("fetch_time").is_number()) << golden.Name();
  if (page.fetch_time && want.at("fetch_time").is_number()) {
    EXPECT_EQ(page.fetch_time->time_since_epoch().count(), want.at("fetch_time")) << golden.Name();
  }
}

void ExpectClaim(const Golden& golden, const ClaimedPage& claimed) {
  const nlohmann::json& want = golden.line.at("claim");
  ExpectPage(golden, claimed.page);
  EXPECT_EQ(claimed.ref.file, want.at("file")) << golden.Name();
  EXPECT_EQ(claimed.ref.offset, want.at("offset")) << golden.Name();
  EXPECT_EQ(claimed.ref.length.has_value(), want.at("length").is_number()) << golden.Name();
  if (claimed.ref.length && want.at("length").is_number()) {
    EXPECT_EQ(*claimed.ref.length, want.at("length")) << golden.Name();
  }
  EXPECT_EQ(claimed.ref.digest, want.at("digest")) << golden.Name();
  EXPECT_EQ(claimed.ref.holds == BodyRef::Holds::kBody, want.at("holds") == "body")
      << golden.Name();
}

void ExpectGolden(const Golden& golden, const Decoded& decoded) {
  if (golden.line.contains("failure")) {
    EXPECT_EQ(FailureCode(decoded), golden.line.at("failure")) << golden.Name();
  } else if (golden.line.contains("not_a_page")) {
    EXPECT_EQ(FailureCode(decoded), "not_a_page") << golden.Name();
  } else if (golden.line.contains("claim")) {
    ASSERT_TRUE(std::holds_alternative<ClaimedPage>(decoded))
        << golden.Name() << ' ' << FailureCode(decoded);
    ExpectClaim(golden, std::get<ClaimedPage>(decoded));
  } else if (golden.line.contains("tombstone")) {
    ASSERT_TRUE(std::holds_alternative<Tombstone>(decoded)) << golden.Name();
    EXPECT_EQ(std::get<Tombstone>(decoded).url, golden.line.at("tombstone")) << golden.Name();
  } else {
    ASSERT_TRUE(std::holds_alternative<extract::Page>(decoded))
        << golden.Name() << ' ' << FailureCode(decoded);
    ExpectPage(golden, std::get<extract::Page>(decoded));
  }
}

TEST(GoldenRecords, BecomeWhatTheirCrawlerMeant) {
  std::map<FormatKind, int> counts;
  for (const Golden& golden : GoldenRecords()) {
    ++counts[golden.format];
    ExpectGolden(golden, Decode(golden.Record(), golden.format, GoldenOptions()));
  }
  for (const FormatKind format : AllFormats()) {
    const bool has_records = IsJsonFormat(format) && format != FormatKind::kAuto;
    EXPECT_EQ(counts[format] >= 3, has_records) << FormatName(format);
  }
}

TEST(GoldenRecords, AreRecognizedByTheirShape) {
  for (const Golden& golden : RecognizedRecords()) {
    // A record that has lost its URL fits no format; see AutoFormat.
    if (golden.line.value("failure", "") == "missing_url" && golden.format == FormatKind::kJson) {
      continue;
    }
    FormatKind taken = FormatKind::kAuto;
    const Decoded decoded = Decode(golden.Record(), FormatKind::kAuto, GoldenOptions(), &taken);
    const bool is_tombstone = golden.line.contains("tombstone");
    EXPECT_EQ(taken, is_tombstone ? FormatKind::kAuto : golden.format) << golden.Name();
    ExpectGolden(golden, decoded);
  }
}

TEST(AutoFormat, DoesntTakeACorpusOrAListOfPages) {
  for (const Golden& golden : GoldenRecords()) {
    if (IsRecognized(golden.format)) continue;
    FormatKind taken = FormatKind::kAuto;
    (void)Decode(golden.Record(), FormatKind::kAuto, GoldenOptions(), &taken);
    // Those with a URL and a text are canonical records too.
    EXPECT_NE(taken, golden.format) << golden.Name();
  }
}

/// Another record, made by one change of `value`.
std::string Mutate(const std::string& value, std::mt19937_64& random) {
  const auto below = [&random](std::size_t limit) { return random() % limit; };
  if (below(4) == 0) {
    std::string mutated = value;
    switch (below(3)) {
      case 0:
        mutated[below(mutated.size())] = static_cast<char>(below(256));
        break;
      case 1:
        mutated.resize(below(mutated.size()));
        break;
      default:
        mutated.erase(below(mutated.size()), 1 + below(20));
    }
    return mutated;
  }
  nlohmann::ordered_json object = nlohmann::ordered_json::parse(value, nullptr, false);
  if (!object.is_object() || object.empty()) return value;
  auto member = object.begin();
  std::advance(member, static_cast<std::ptrdiff_t>(below(object.size())));
  const std::string name = member.key();
  const nlohmann::ordered_json old = member.value();
  static const std::vector<std::string> kNames = {
      "url",      "id",    "body",   "text",      "content",    "html",  "request",    "ts",
      "response", "appid", "digest", "timestamp", "document.x", "title", "raw_content"};
  switch (below(5)) {
    case 0:
      object.erase(name);
      break;
    case 1:
      object[name] = nullptr;
      break;
    case 2:
      object[name] = old.is_string() ? nlohmann::ordered_json(17) : nlohmann::ordered_json("x");
      break;
    case 3:
      object[name] = nlohmann::ordered_json::array({old});
      break;
    default:
      object.erase(name);
      object[kNames[below(kNames.size())]] = old;
  }
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

TEST(AutoFormat, TakesNoMutatedRecordForOneOfAnotherFormat) {
  const std::uint64_t seed = 20240506;
  std::mt19937_64 random(seed);
  std::vector<Golden> records = RecognizedRecords();
  std::erase_if(records, [](const Golden& golden) { return !golden.line.at("value").is_string(); });
  int right = 0;
  int dead = 0;
  for (int i = 0; i < 1000; ++i) {
    const Golden& golden = records[random() % records.size()];
    InputRecord record = golden.Record();
    record.value = Mutate(*record.value, random);
    const std::string mutated = *record.value;
    FormatKind taken = FormatKind::kAuto;
    const Decoded decoded = Decode(std::move(record), FormatKind::kAuto, GoldenOptions(), &taken);
    if (std::holds_alternative<DecodeFailure>(decoded)) {
      ++dead;
      EXPECT_NE(std::get<DecodeFailure>(decoded).message, "");
    } else {
      ++right;
      EXPECT_EQ(taken, golden.format) << golden.Name() << " seed " << seed << ' ' << mutated;
    }
  }
  // Both happen, or the test would show nothing.
  EXPECT_GT(right, 200);
  EXPECT_GT(dead, 200);
  RecordProperty("right", right);
  RecordProperty("dead_letters", dead);
}

DecodeFailure AutoFailure(std::string value, const DecodeOptions& options = {}) {
  InputRecord record;
  record.value = std::move(value);
  const Decoded decoded = Decode(std::move(record), FormatKind::kAuto, options);
  const auto* failure = std::get_if<DecodeFailure>(&decoded);
  return failure ? *failure : DecodeFailure{"page", {}, {}};
}

TEST(AutoFormat, NamesTheNearestFormatAndTheMissingField) {
  DecodeFailure failure = AutoFailure(
      R"({"url":"http://a/","crawlid":"c","response_url":"http://a/","status_code":200,"body":"x"})");
  EXPECT_EQ(failure.code, "unrecognized_format");
  EXPECT_EQ(failure.field, "appid");
  EXPECT_THAT(failure.message, HasSubstr("scrapy_cluster"));
  failure = AutoFailure(R"({"body":"x","content_type":"text/html"})");
  EXPECT_EQ(failure.field, "url");
  EXPECT_THAT(failure.message, HasSubstr("canonical"));
  failure = AutoFailure(R"({"url":"http://a/"})");
  EXPECT_EQ(failure.field, "body` or `text` or `body_ref");
  failure = AutoFailure(R"({"url":"http://a/","body":"x","appid":"a"})");
  EXPECT_THAT(failure.message, HasSubstr("scrapy_cluster"));
  EXPECT_EQ(AutoFailure(R"({"x":1})").code, "unrecognized_format");
  EXPECT_EQ(AutoFailure("<html>").code, "invalid_json");
  EXPECT_EQ(AutoFailure("").code, "invalid_json");
  EXPECT_EQ(AutoFailure("[]").code, "invalid_json");
  EXPECT_EQ(AutoFailure("\x1f\x8b").code, "bad_encoding");
}

TEST(AutoFormat, NeverTakesRaw) {
  for (const char* value : {"<html><p>page", "plain text", "{", "\xff\xfe"}) {
    EXPECT_NE(AutoFailure(value).code, "page") << value;
  }
}

/// What becomes of a record of `format`: the code of its failure, the page's problem, or "page".
std::string CodeOf(FormatKind format, std::string value,
                   const DecodeOptions& options = GoldenOptions()) {
  InputRecord record;
  record.value = std::move(value);
  const Decoded decoded = Decode(std::move(record), format, options);
  const auto* page = std::get_if<extract::Page>(&decoded);
  if (page == nullptr || page->body_problem.empty()) return FailureCode(decoded);
  return page->body_problem;
}

/// Every member of every golden record once left out, once of each wrong type, once too long.
TEST(CrawlerFormats, BadFieldsHaveClearCodes) {
  const std::vector<std::string> known = {"page",           "claim",        "missing_url",
                                          "ambiguous_url",  "missing_body", "ambiguous_body",
                                          "bad_encoding",   "fetch_failed", "not_a_page",
                                          "body_too_large", "bad_body_ref"};
  DecodeOptions options = GoldenOptions();
  options.max_body_bytes = 100'000;
  for (const Golden& golden : GoldenRecords()) {
    if (!golden.line.at("value").is_string()) continue;
    const auto object =
        nlohmann::ordered_json::parse(golden.line.at("value").get<std::string>(), nullptr, false);
    if (!object.is_object()) continue;
    for (const auto& [name, value] : object.items()) {
      std::vector<nlohmann::ordered_json> wrong = {
          nullptr,
          1.5,
          true,
          "",
          "\xC3\xA9",
          std::string(200'000, 'x'),
          nlohmann::ordered_json::array(),
          nlohmann::ordered_json::object(),
          nlohmann::ordered_json::array({value, "another"})};
      nlohmann::ordered_json changed = object;
      changed.erase(name);
      EXPECT_THAT(known, ::testing::Contains(CodeOf(golden.format, changed.dump(), options)))
          << golden.Name() << " without " << name;
      for (const nlohmann::ordered_json& other : wrong) {
        changed[name] = other;
        EXPECT_THAT(known, ::testing::Contains(CodeOf(golden.format, changed.dump(), options)))
            << golden.Name() << ' ' << name << ' ' << other.dump().substr(0, 50);
      }
    }
  }
}

TEST(CrawlerFormats, BodiesThatCannotBeReadKeepTheirPage) {
  const auto ache = [](const std::string& content) {
    return R"({"url":"http://a/","content":)" + content + "}";
  };
  EXPECT_EQ(CodeOf(FormatKind::kAche, ache(R"("PHA+*")")), "bad_encoding");
  EXPECT_EQ(CodeOf(FormatKind::kAche, ache(R"(["PHA+"])")), "bad_encoding");
  EXPECT_EQ(CodeOf(FormatKind::kAche, ache("null")), "missing_body");
  EXPECT_EQ(CodeOf(FormatKind::kAche, ache(R"("")")), "page");
  EXPECT_EQ(CodeOf(FormatKind::kScrapyCluster, R"({"url":"http://a/","body":7})"), "bad_encoding");
  EXPECT_EQ(CodeOf(FormatKind::kScrapyCluster, "{\"url\":\"\xff\"}"), "bad_encoding");
  EXPECT_EQ(CodeOf(FormatKind::kScrapyCluster, R"({"url":["http://a/"]})"), "missing_url");
  EXPECT_EQ(CodeOf(FormatKind::kNutch, R"({"id":["http://a/"],"content":["a","a"]})"), "page");
  EXPECT_EQ(CodeOf(FormatKind::kNutch, R"({"id":["http://a/"],"content":[["a"]]})"),
            "bad_encoding");
  EXPECT_EQ(CodeOf(FormatKind::kNutch, R"({"id":"http://a/","content":"a"})"), "page");
  EXPECT_EQ(CodeOf(FormatKind::kKatana, R"({"request":"http://a/"})"), "missing_url");
  EXPECT_EQ(CodeOf(FormatKind::kKatana,
                   R"({"request":{"endpoint":"http://a/"},"response":{"raw":"no message"}})"),
            "malformed_message");
}

TEST(JsonFormat, NeedsToKnowWhereTheUrlIs) {
  EXPECT_EQ(CodeOf(FormatKind::kJson, R"({"url":"http://a/"})", {}), "unsupported_format");
}

TEST(JsonFormat, ReadsBase64AndArraysByNumber) {
  DecodeOptions options;
  options.json.url = JsonPath::Parse("$.pages[1].url").value();
  options.json.id = options.json.url;
  options.json.body = JsonPath::Parse("$['a.b']").value();
  options.json.base64 = true;
  InputRecord record;
  record.value = R"({"pages":[{"url":"no"},{"url":"http://a/"}],"a.b":"PGI+"})";
  const Decoded decoded = Decode(record, FormatKind::kJson, options);
  ASSERT_TRUE(std::holds_alternative<extract::Page>(decoded));
  const auto& page = std::get<extract::Page>(decoded);
  EXPECT_EQ(page.url, "http://a/");
  EXPECT_EQ(page.id, "http://a/");
  EXPECT_EQ(page.body, "<b>");
}

TEST(JsonPath, ReadsEverySpelling) {
  for (const auto& [text, steps] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"", {}},
           {"$.a", {"a"}},
           {"$.a.b-c", {"a", "b-c"}},
           {"$['a.b']['c]d']", {"a.b", "c]d"}},
           {"$[\"it's\"][12].x", {"it's", "12", "x"}}}) {
    const auto path = JsonPath::Parse(text);
    ASSERT_TRUE(path) << text;
    EXPECT_TRUE(std::ranges::equal(path->steps(), steps)) << text;
    EXPECT_EQ(path->text(), text);
  }
  for (const char* text : {"a", "$", "$.", "$a", "$..a", "$.a.", "$[x]", "$[]", "$['']", "$['a'",
                           "$.a]", "$[-1]", "$.a.b.c.d.e.f.g.h.i", " $.a", "$.*b["}) {
    EXPECT_FALSE(JsonPath::Parse(text)) << text;
  }
}

TEST(Base64Body, IsKnownByWhatComesOut) {
  EXPECT_TRUE(LooksLikeBase64Body("PCFET0NUWVBFIGh0bWw+"));
  EXPECT_TRUE(LooksLikeBase64Body("SGVsbG8sIHdvcmxkIQ=="));
  EXPECT_FALSE(LooksLikeBase64Body(""));
  EXPECT_FALSE(LooksLikeBase64Body("PGI+"));  // too short to tell
  EXPECT_FALSE(LooksLikeBase64Body("<p>PCFET0NUWVBFIGh0bWw+"));
  EXPECT_FALSE(LooksLikeBase64Body("PCFET0NUWVBFIGh0bWw+x"));
  EXPECT_FALSE(LooksLikeBase64Body("some words of text, which is no"));
  EXPECT_FALSE(LooksLikeBase64Body("d41d8cd98f00b204e9800998ecf8427e"));
  EXPECT_FALSE(LooksLikeBase64Body(std::string(128, 'e')));
}

}  // namespace
}  // namespace crawlsieve::consumer
