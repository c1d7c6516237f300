#include "consumer/migration/output_record.h"

#include "consumer/output/kept_record.h"
#include "consumer/output/scores/score_record.h"
#include "consumer/output/verdict_record.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

log::Page PageAt(std::int64_t offset) {
  log::Page page;
  page.set_url("http://a.example/");
  page.mutable_source()->set_topic("crawl.pages");
  page.mutable_source()->set_partition(3);
  page.mutable_source()->set_offset(offset);
  return page;
}

crawlsieve::Verdict VerdictAt(std::uint64_t sequence) {
  crawlsieve::Verdict verdict;
  verdict.reason = Reason::kUnique;
  verdict.sequence = sequence;
  return verdict;
}

TEST(FactsOf, AVerdictNamesItsRecordAndItsEntry) {
  const std::string text = VerdictRecord(PageAt(9), VerdictAt(77), {"i", {}});
  RecordView record;
  record.value = text;
  const auto facts = FactsOf(OutputKind::kVerdict, record);
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->sequence, 77U);
  EXPECT_EQ(facts->source, (InputRecordAt{"crawl.pages", 3, 9}));
}

TEST(FactsOf, AKeptPageNamesItsEntryBehindWhatItsRecordBrought) {
  const auto added = KeptHeaderList(PageAt(9), VerdictAt(78));
  RecordView record;
  record.headers.push_back({"crawlsieve-sequence", "5"});
  record.value = "a body";
  (void)CompleteKept(PageAt(9), added, 1 << 20, record);
  const auto facts = FactsOf(OutputKind::kKept, record);
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->sequence, 78U);
  RecordView marker;
  MakeKeptMarker(PageAt(9), added, kKeptExpired, marker);
  ASSERT_TRUE(FactsOf(OutputKind::kKept, marker).has_value());
  EXPECT_EQ(FactsOf(OutputKind::kKept, marker)->sequence, 78U);
}

TEST(FactsOf, AScoreNamesTheEntryThatMadeItUnlessItIsAnAnswer) {
  UrlScore score;
  score.url = "http://a.example/b";
  score.sequence = 79;
  const std::string text = UrlScoreRecord(score);
  RecordView record;
  record.value = text;
  ASSERT_TRUE(FactsOf(OutputKind::kScores, record).has_value());
  EXPECT_EQ(FactsOf(OutputKind::kScores, record)->sequence, 79U);
  record.headers.push_back({"crawlsieve-source-offset", "12"});
  EXPECT_FALSE(FactsOf(OutputKind::kScores, record).has_value());
}

TEST(FactsOf, WhatIsNoneOfOursIsAboutNoPage) {
  for (const OutputKind kind : {OutputKind::kVerdict, OutputKind::kKept, OutputKind::kScores}) {
    RecordView record;
    EXPECT_FALSE(FactsOf(kind, record).has_value());
    for (const char* value : {"", "{}", "[1]", "{\"sequence\":-4}", "{\"sequence\":0}"}) {
      record.value = value;
      EXPECT_FALSE(FactsOf(kind, record).has_value()) << value;
    }
    for (const char* number : {"", "x", "7x", "-1", "18446744073709551616"}) {
      record.headers = {{"crawlsieve-sequence", number}};
      EXPECT_FALSE(FactsOf(kind, record).has_value()) << number;
    }
    record.headers = {{"crawlsieve-sequence", std::nullopt}};
    EXPECT_FALSE(FactsOf(kind, record).has_value());
  }
}

TEST(FactsOf, DamagedRecordsAreReadWithoutHarm) {
  constexpr std::uint32_t kSeed = 20261126;
  std::mt19937 random(kSeed);
  const std::string whole = VerdictRecord(PageAt(9), VerdictAt(77), {"i", {}});
  for (int round = 0; round < 5000; ++round) {
    std::string text = whole;
    for (auto left = random() % 4 + 1; left > 0; --left) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    text.resize(random() % (text.size() + 1));
    RecordView record;
    record.value = text;
    record.headers = {{text, text}};
    for (const OutputKind kind : {OutputKind::kVerdict, OutputKind::kKept, OutputKind::kScores}) {
      const auto facts = FactsOf(kind, record);
      if (facts.has_value()) {
        EXPECT_GT(facts->sequence, 0U);
      }
    }
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
