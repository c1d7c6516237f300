#include "consumer/migration/seen_verdict.h"

#include "consumer/output/verdict_record.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::json;

std::string RecordOfTheJudge() {
  log::Page page;
  page.set_url("http://a.example/");
  page.mutable_source()->set_topic("crawl.pages");
  page.mutable_source()->set_partition(3);
  page.mutable_source()->set_offset(1'234'567'890'123);
  crawlsieve::Verdict verdict;
  verdict.reason = Reason::kNearDuplicate;
  verdict.match = VerdictMatch{DocId{3}, "", "http://b.example/", false, 1, Score{9'000}, {}};
  return VerdictRecord(page, verdict, {"i", {}});
}

Json Verdict() {
  return {{"schema_version", 1},
          {"url", "http://a.example/"},
          {"verdict", "drop"},
          {"reason", "near_duplicate"},
          {"match", {{"url", "http://b.example/"}, {"distance", 2}}},
          {"source", {{"topic", "crawl.pages"}, {"partition", 3}, {"offset", 9'000'000'000}}}};
}

TEST(ReadVerdict, TakesWhatAComparisonNeeds) {
  const auto seen = ReadVerdict(Verdict().dump());
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->source, (InputRecordAt{"crawl.pages", 3, 9'000'000'000}));
  EXPECT_EQ(seen->outcome, "drop near_duplicate");
  EXPECT_EQ(seen->url, "http://a.example/");
  EXPECT_EQ(seen->match_url, "http://b.example/");
}

TEST(ReadVerdict, AVerdictMayHaveNoMatch) {
  Json verdict = Verdict();
  verdict["match"] = nullptr;
  const auto without = ReadVerdict(verdict.dump());
  ASSERT_TRUE(without.has_value());
  EXPECT_EQ(without->match_url, "");
  verdict.erase("match");
  EXPECT_TRUE(ReadVerdict(verdict.dump()).has_value());
}

TEST(ReadVerdict, EveryOtherMemberMustBeThereAndOfItsType) {
  for (const char* member : {"/schema_version", "/url", "/verdict", "/reason", "/source",
                             "/source/topic", "/source/partition", "/source/offset"}) {
    for (const Json& other : {Json(), Json(-1), Json(1.5), Json(true), Json::array()}) {
      Json verdict = Verdict();
      verdict[Json::json_pointer(member)] = other;
      EXPECT_FALSE(ReadVerdict(verdict.dump()).has_value()) << verdict;
    }
  }
  for (const char* number : {"/source/partition", "/source/offset"}) {
    Json verdict = Verdict();
    verdict[Json::json_pointer(number)] = ~std::uint64_t{0};
    EXPECT_FALSE(ReadVerdict(verdict.dump()).has_value()) << number;
  }
  Json verdict = Verdict();
  verdict["reason"] = std::string(1'000, 'x');
  EXPECT_FALSE(ReadVerdict(verdict.dump()).has_value());
}

TEST(ReadVerdict, ReadsWhatTheJudgeWrites) {
  const auto seen = ReadVerdict(RecordOfTheJudge());
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(seen->source, (InputRecordAt{"crawl.pages", 3, 1'234'567'890'123}));
  EXPECT_EQ(seen->outcome, "drop near_duplicate");
  EXPECT_EQ(seen->url, "http://a.example/");
  EXPECT_EQ(seen->match_url, "http://b.example/");
}

TEST(ReadVerdict, RefusesNumbersThatAreNoPartitionAndNoOffset) {
  const Json sound = Verdict();
  Json record = sound;
  record["source"]["partition"] = std::int64_t{1} << 31;
  EXPECT_FALSE(ReadVerdict(record.dump()));
  record = sound;
  record["source"]["offset"] = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(ReadVerdict(record.dump()));
  record["source"]["offset"] = std::numeric_limits<std::int64_t>::max() - 1;
  EXPECT_TRUE(ReadVerdict(record.dump()));
}

TEST(ReadVerdict, RefusesWhatIsNoObject) {
  for (const std::string& bytes :
       {std::string(), std::string("null"), std::string("[]"), std::string("{"), std::string("{}"),
        std::string("\xff\xfe"), std::string(3, '\0'), std::string(100'000, '['),
        Verdict().dump() + "x"}) {
    EXPECT_FALSE(ReadVerdict(bytes)) << bytes.substr(0, 20);
  }
}

TEST(ReadVerdict, TakesADeepMemberThatItDoesNotRead) {
  std::string record = Verdict().dump();
  record.insert(1, R"("x":)" + std::string(100'000, '[') + std::string(100'000, ']') + ",");
  EXPECT_TRUE(ReadVerdict(record));
}

TEST(ReadVerdict, SurvivesAnyBytes) {
  constexpr std::uint64_t kSeed = 20261125;
  std::mt19937_64 random(kSeed);
  const std::string whole = Verdict().dump();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ReadVerdict(whole.substr(0, size)).has_value()) << size;
  }
  for (int i = 0; i < 5'000; ++i) {
    std::string changed = whole;
    for (int changes = 0; changes < 3; ++changes) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    const auto seen = ReadVerdict(changed);
    if (seen.has_value()) {
      EXPECT_GE(seen->source.offset, 0) << changed;
    }
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
