#include "consumer/output/scores/score_record.h"

#include "tests/consumer/output/scores/sample_scores.h"
#include "tests/support/schema.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

const std::filesystem::path kSchema =
    std::filesystem::path(CRAWLSIEVE_SOURCE_DIR) / "docs/schemas/url_score.schema.json";

nlohmann::json Parsed(const UrlScore& record) {
  return nlohmann::json::parse(UrlScoreRecord(record));
}

TEST(UrlScoreRecord, HasEveryFieldUnderItsName) {
  UrlScore record = LaterScore();
  record.score = Score{1'234};
  EXPECT_EQ(UrlScoreRecord(record),
            R"({"schema_version":1,"url":"https://www.a.example/x/y?b=2&a=1",)"
            R"("host":"www.a.example","registered_domain":"a.example",)"
            R"("as_of":"2026-03-01T00:00:00Z","score":0.1234,"components":{"chance":0.8},)"
            R"("action":"schedule","rewrite_to":null,"reason":"recrawl","fetched":true,)"
            R"("next_fetch":"2026-03-02T00:00:00Z","last_status":200,"depth":2,)"
            R"("parent_url":"https://www.a.example/","crawl_id":"c","sequence":7})");
}

TEST(UrlScoreRecord, RandomRecordsConformToTheSchemaAndComeBack) {
  constexpr std::uint64_t kSeed = 20;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 2'000; ++i) {
    const UrlScore record = RandomScore(random);
    ASSERT_TRUE(CheckUrlScore(record).has_value()) << "seed " << kSeed << ", record " << i;
    const std::string json = UrlScoreRecord(record);
    if (i % 20 == 0) {
      ASSERT_TRUE(ConformsTo(nlohmann::json::parse(json), kSchema));
    }
    const Result<UrlScore> back = ParseUrlScoreRecord(json);
    ASSERT_TRUE(back.has_value()) << back.error().message << ": " << json;
    EXPECT_EQ(*back, record) << json;
  }
}

TEST(UrlScoreRecord, EveryScoreComesBackAsItWas) {
  UrlScore record = DueScore();
  for (std::uint32_t i = 0; i <= Score::kOne; ++i) {
    record.score = Score{i};
    const Result<UrlScore> back = ParseUrlScoreRecord(UrlScoreRecord(record));
    ASSERT_TRUE(back.has_value());
    ASSERT_EQ(back->score, record.score);
  }
}

TEST(UrlScoreRecord, HostileTextStaysOneLineOfJson) {
  for (const std::string& url : HostileUrls()) {
    UrlScore record = DueScore();
    record.url = url;
    record.parent_url = url;
    record.crawl_id = url;
    const std::string json = UrlScoreRecord(record);
    EXPECT_EQ(json.find_first_of("\r\n\t"), std::string::npos);
    const nlohmann::json parsed = nlohmann::json::parse(json, nullptr, false);
    ASSERT_FALSE(parsed.is_discarded()) << url.substr(0, 100);
    EXPECT_EQ(ParseUrlScoreRecord(json).has_value(), !url.empty()) << url.substr(0, 100);
  }
}

TEST(UrlScoreRecord, TheSchemaRefusesWhatTheReaderRefuses) {
  const auto refused = [](const char* field, const nlohmann::json& value) {
    nlohmann::json json = Parsed(LaterScore());
    json[field] = value;
    EXPECT_FALSE(ConformsTo(json, kSchema)) << field << ' ' << value;
    const Result<UrlScore> record = ParseUrlScoreRecord(json.dump());
    ASSERT_FALSE(record.has_value()) << field << ' ' << value;
    EXPECT_EQ(record.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(record.error().message.rfind(std::string(field) + ":", 0), 0U)
        << record.error().message;
  };
  refused("schema_version", 2);
  refused("url", "");
  refused("url", nullptr);
  refused("as_of", "yesterday");
  refused("score", 1.5);
  refused("score", -0.1);
  refused("score", "0.5");
  refused("components", nlohmann::json::array());
  refused("components", {{"chance", 2}});
  refused("components", {{"Chance", 0.5}});
  refused("action", "drop");
  refused("rewrite_to", "https://a.example/");
  refused("reason", "two words");
  refused("fetched", 1);
  refused("next_fetch", nullptr);
  refused("last_status", 42);
  refused("last_status", -1);
  refused("depth", 0.5);
  refused("sequence", "7");
}

TEST(UrlScoreRecord, MissingFieldsAndOtherTextAreErrors) {
  for (const char* text : {"", "null", "[]", "{", "{}", "\"x\""}) {
    EXPECT_FALSE(ParseUrlScoreRecord(text).has_value()) << text;
  }
  for (const char* field : {"schema_version", "url", "as_of", "score", "components", "action",
                            "reason", "fetched", "next_fetch", "sequence"}) {
    nlohmann::json json = Parsed(LaterScore());
    json.erase(field);
    EXPECT_FALSE(ParseUrlScoreRecord(json.dump()).has_value()) << field;
  }
}

TEST(UrlScoreRecord, UnknownFieldsAreIgnored) {
  nlohmann::json json = Parsed(DueScore());
  json["later"] = {{"x", 1}};
  const Result<UrlScore> record = ParseUrlScoreRecord(json.dump());
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(*record, DueScore());
}

}  // namespace
}  // namespace crawlsieve::consumer
