#include "consumer/migration/page_copy.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

struct Stored {
  std::uint64_t sequence = 0;
  std::string text;
  std::int64_t offset = -1;  ///< of the page record; of verdicts only
};

class MemoryStream final : public OutputStream {
 public:
  explicit MemoryStream(std::vector<Stored> records) : records_(std::move(records)) {}

  Result<const OutputItem*> Next() override {
    if (next_ == records_.size()) return nullptr;
    const Stored& stored = records_[next_++];
    if (stored.text == "damage") return MakeError(ErrorCode::kIo, "the broker is gone");
    // What it handed out before is gone, as with a real one.
    text_ = stored.text;
    item_.facts = {stored.sequence, std::nullopt};
    if (stored.offset >= 0) item_.facts.source = InputRecordAt{"pages", 0, stored.offset};
    item_.record.value = text_;
    return &item_;
  }

 private:
  std::vector<Stored> records_;
  std::size_t next_ = 0;
  std::string text_;
  OutputItem item_;
};

class MemorySink final : public OutputCopySink {
 public:
  Status Add(OutputKind kind, const RecordView& record) override {
    page_.emplace_back(kind, std::string(record.value.value()));
    return {};
  }
  Status EndPage() override {
    ++ends;
    if (!page_.empty()) pages.push_back(std::exchange(page_, {}));
    return {};
  }

  int ends = 0;

  std::vector<std::vector<std::pair<OutputKind, std::string>>> pages;

 private:
  std::vector<std::pair<OutputKind, std::string>> page_;
};

OutputStreamOf Of(OutputKind kind, std::vector<Stored> records) {
  return {kind, std::make_unique<MemoryStream>(std::move(records))};
}

bool FromTenOn(const InputRecordAt& source) { return source.offset >= 10; }

TEST(CopyPages, BringsTheVerdictFirstThenThePageThenItsScores) {
  std::vector<OutputStreamOf> streams;
  streams.push_back(Of(OutputKind::kScores, {{4, "old score"}, {6, "score a"}, {6, "score b"}}));
  streams.push_back(Of(OutputKind::kKept, {{4, "old page"}, {6, "page"}}));
  streams.push_back(Of(OutputKind::kVerdict, {{4, "old", 9}, {6, "verdict", 10}}));
  MemorySink sink;
  const auto copied = CopyPages(std::move(streams), FromTenOn, sink);
  ASSERT_TRUE(copied.has_value());
  EXPECT_EQ(*copied, (CopiedRecords{1, 1, 2}));
  ASSERT_EQ(sink.pages.size(), 1U);
  EXPECT_THAT(sink.pages[0], ::testing::ElementsAre(std::pair(OutputKind::kVerdict, "verdict"),
                                                    std::pair(OutputKind::kKept, "page"),
                                                    std::pair(OutputKind::kScores, "score a"),
                                                    std::pair(OutputKind::kScores, "score b")));
}

TEST(CopyPages, WhatBelongsToNoVerdictIsLeftOut) {
  std::vector<OutputStreamOf> streams;
  streams.push_back(Of(OutputKind::kVerdict, {{5, "verdict", 11}}));
  streams.push_back(Of(OutputKind::kKept, {{3, "of an expired verdict"}, {9, "behind"}}));
  MemorySink sink;
  const auto copied = CopyPages(std::move(streams), FromTenOn, sink);
  ASSERT_TRUE(copied.has_value());
  EXPECT_EQ(*copied, (CopiedRecords{1, 0, 0}));
}

TEST(CopyPages, OfNothingNothingIsCopied) {
  MemorySink sink;
  EXPECT_EQ(CopyPages({}, FromTenOn, sink).value(), CopiedRecords{});
  std::vector<OutputStreamOf> streams;
  streams.push_back(Of(OutputKind::kVerdict, {}));
  EXPECT_EQ(CopyPages(std::move(streams), FromTenOn, sink).value(), CopiedRecords{});
  EXPECT_TRUE(sink.pages.empty());
}

TEST(CopyPages, TheSinkIsAskedBetweenPagesThatAreNotCopied) {
  // So that it can end a transaction before the brokers do.
  std::vector<Stored> verdicts = {{1, "wanted", 10}};
  for (std::uint64_t sequence = 2; sequence < 100; ++sequence) {
    verdicts.push_back({sequence, "judged before", 3});
  }
  std::vector<OutputStreamOf> streams;
  streams.push_back(Of(OutputKind::kVerdict, std::move(verdicts)));
  MemorySink sink;
  ASSERT_TRUE(CopyPages(std::move(streams), FromTenOn, sink).has_value());
  EXPECT_EQ(sink.pages.size(), 1U);
  EXPECT_GE(sink.ends, 99);
}

TEST(CopyPages, ATopicWithTheVerdictsOfTwoLogsIsRefused) {
  std::vector<OutputStreamOf> streams;
  streams.push_back(Of(OutputKind::kVerdict, {{5, "first log", 11}, {2, "second log", 12}}));
  MemorySink sink;
  const auto falling = CopyPages(std::move(streams), FromTenOn, sink);
  ASSERT_FALSE(falling.has_value());
  EXPECT_THAT(falling.error().message, ::testing::HasSubstr("more than one log"));
  std::vector<OutputStreamOf> twice;
  twice.push_back(Of(OutputKind::kVerdict, {{5, "first log", 11}}));
  twice.push_back(Of(OutputKind::kVerdict, {{5, "second log", 12}}));
  const auto repeated = CopyPages(std::move(twice), FromTenOn, sink);
  ASSERT_FALSE(repeated.has_value());
  EXPECT_THAT(repeated.error().message, ::testing::HasSubstr("more than one log"));
}

TEST(CopyPages, AnErrorOfAStreamEndsTheCopy) {
  std::vector<OutputStreamOf> streams;
  streams.push_back(Of(OutputKind::kVerdict, {{5, "verdict", 11}, {6, "damage", 12}}));
  MemorySink sink;
  const auto copied = CopyPages(std::move(streams), FromTenOn, sink);
  ASSERT_FALSE(copied.has_value());
  EXPECT_EQ(copied.error().message, "the broker is gone");
}

TEST(CopyPages, PagesSpreadOverPartitionsComeInTheOrderInWhichTheyWereJudged) {
  constexpr std::uint32_t kSeed = 20261126;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    std::map<std::pair<OutputKind, int>, std::vector<Stored>> partitions;
    std::vector<std::vector<std::pair<OutputKind, std::string>>> wanted;
    for (std::uint64_t sequence = 1; sequence <= 60; ++sequence) {
      const auto offset = static_cast<std::int64_t>(random() % 20);
      std::vector<std::tuple<OutputKind, int, std::string>> page = {
          {OutputKind::kVerdict, static_cast<int>(random() % 3), "verdict"}};
      if (random() % 2 == 0) page.emplace_back(OutputKind::kKept, random() % 2, "page");
      std::vector<int> of_scores(random() % 4);
      for (int& partition : of_scores) partition = static_cast<int>(random() % 2);
      std::ranges::sort(of_scores);  // scores of one page in two partitions: in their order
      for (const int partition : of_scores) {
        page.emplace_back(OutputKind::kScores, partition, "score");
      }
      std::vector<std::pair<OutputKind, std::string>> records;
      for (const auto& [kind, partition, text] : page) {
        const std::string full = text + std::to_string(sequence);
        partitions[{kind, partition}].push_back(
            {sequence, full, kind == OutputKind::kVerdict ? offset : -1});
        records.emplace_back(kind, full);
      }
      if (offset >= 10) wanted.push_back(records);
    }
    std::vector<OutputStreamOf> streams;
    for (auto& [place, records] : partitions) {
      streams.push_back(Of(place.first, std::move(records)));
    }
    std::ranges::shuffle(streams, random);
    MemorySink sink;
    ASSERT_TRUE(CopyPages(std::move(streams), FromTenOn, sink).has_value());
    EXPECT_EQ(sink.pages, wanted);
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
