#include "consumer/pipeline/question.h"

#include "consumer/input/formats/question_record.h"
#include "consumer/record_limits.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

constexpr const char* kScheme = "cs2-test";

ProcessedRecord Processed(std::optional<std::string> value) {
  SourceRecord source;
  source.record.key = "a key";
  source.record.value = std::move(value);
  source.record.timestamp = Timestamp(std::chrono::milliseconds(1'700'000'000'123));
  source.source.set_topic("crawl.asked-urls");
  source.source.set_offset(7);
  return ProcessQuestion(std::move(source), {}, kScheme);
}

TEST(ProcessQuestion, MakesAnEntryOfAQuestion) {
  const ProcessedRecord processed = Processed(
      R"({"url": "HTTP://www.Example.co.uk:80/a/b/../c#d", "crawl_id": "monday", "depth": 3,
          "parent_url": "http://example.org", "asked_at": "2026-03-01T12:00:00Z", "x": [1]})");
  EXPECT_FALSE(processed.failure.has_value());
  const log::Question& question = processed.entry.question();
  EXPECT_EQ(question.url(), "http://www.example.co.uk/a/c");
  EXPECT_EQ(question.host(), "www.example.co.uk");
  EXPECT_EQ(question.registered_domain_bytes(), 13U);
  EXPECT_EQ(question.path_depth(), 2U);
  EXPECT_EQ(question.crawl_id(), "monday");
  EXPECT_EQ(question.depth(), 3U);
  EXPECT_EQ(question.parent_url(), "http://example.org/");
  EXPECT_EQ(question.asked_ms(), 1'772'366'400'000);
  EXPECT_EQ(question.key(), "a key");
  EXPECT_EQ(question.scheme(), kScheme);
  EXPECT_EQ(question.source().offset(), 7);
}

TEST(ProcessQuestion, NeedsNothingButTheUrl) {
  const log::Question question = Processed(R"({"url": "mailto:a@example.org"})").entry.question();
  EXPECT_EQ(question.url(), "mailto:a@example.org");
  EXPECT_EQ(question.host(), "");
  EXPECT_FALSE(question.has_depth());
  EXPECT_EQ(question.asked_ms(), 1'700'000'000'123) << "the record's time";
}

TEST(ProcessQuestion, TakesFieldsOfAWrongTypeForAbsent) {
  const log::Question question =
      Processed(R"({"url": "http://h/", "crawl_id": 7, "depth": -1, "parent_url": null,
                    "asked_at": "yesterday"})")
          .entry.question();
  EXPECT_EQ(question.crawl_id(), "");
  EXPECT_FALSE(question.has_depth());
  EXPECT_EQ(question.parent_url(), "");
  EXPECT_EQ(question.asked_ms(), 1'700'000'000'123);
  EXPECT_FALSE(
      Processed(R"({"url": "http://h/", "depth": 4294967296})").entry.question().has_depth());
}

TEST(ProcessQuestion, MakesADeadLetterOfWhatAsksForNothing) {
  const std::string too_long = R"({"url": "http://h/)" + std::string(kMaxUrlBytes, 'a') + R"("})";
  const std::pair<std::optional<std::string>, const char*> cases[] = {
      {std::nullopt, "invalid_json"},
      {"", "invalid_json"},
      {"http://h/", "invalid_json"},
      {"[\"http://h/\"]", "invalid_json"},
      {"{\"url\": \"\xff\"}", "invalid_json"},
      {std::string(100'000, '['), "invalid_json"},
      {"{}", "missing_url"},
      {R"({"url": ""})", "missing_url"},
      {R"({"url": " \u0001\n "})", "missing_url"},
      {R"({"url": ["http://h/"]})", "missing_url"},
      {too_long, "url_too_long"},
  };
  for (const auto& [value, code] : cases) {
    const ProcessedRecord processed = Processed(value);
    ASSERT_TRUE(processed.failure.has_value()) << value.value_or("null").substr(0, 40);
    EXPECT_EQ(processed.failure->code, code);
    EXPECT_EQ(processed.entry.page().outcome(), log::OUTCOME_DEAD_LETTER);
    EXPECT_EQ(processed.entry.page().detail(), code);
    EXPECT_EQ(processed.entry.page().source().offset(), 7);
  }
}

TEST(ProcessQuestion, KeepsEntriesBelowTheLimitOfARecord) {
  const std::string url = "http://h/" + std::string(kMaxUrlBytes - 9, '%');
  const ProcessedRecord processed =
      Processed(R"({"url": ")" + url + R"(", "parent_url": ")" + url + R"(", "crawl_id": ")" +
                std::string(100'000, 'c') + R"("})");
  ASSERT_FALSE(processed.failure.has_value());
  EXPECT_EQ(processed.entry.question().crawl_id(), "");
  EXPECT_LT(processed.entry.ByteSizeLong(), kMaxOwnRecordBytes);
}

}  // namespace
}  // namespace crawlsieve::consumer
