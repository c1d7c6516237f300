#include "consumer/service/judge/batch_counts.h"

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

TEST(BatchCounts, KeepsTheKindsOfIgnoredEntriesApart) {
  BatchCounts counts;
  const log::Page page;
  counts.Add({FoldOutcome::kRedelivered, std::nullopt}, page);
  counts.Add({FoldOutcome::kRanAhead, std::nullopt}, page);
  counts.Add({FoldOutcome::kRanAhead, std::nullopt}, page);
  for (int i = 0; i < 3; ++i) counts.Add({FoldOutcome::kStaleGeneration, std::nullopt}, page);

  Metrics metrics({"test", "0", {Role::kJudge}, Timestamp{}});
  counts.AddTo(metrics);
  const MetricsWindow window = metrics.CloseWindow(Timestamp{});
  EXPECT_EQ(window.total[Count::kLogEntriesFolded], 6U);
  EXPECT_EQ(window.total[Count::kRedelivered], 1U);
  EXPECT_EQ(window.total[Count::kRanAhead], 2U);
  EXPECT_EQ(window.total[Count::kStaleGeneration], 3U);
}

TEST(BatchCounts, CountNearDuplicatesByDistance) {
  BatchCounts counts;
  Verdict verdict;
  verdict.reason = Reason::kNearDuplicate;
  verdict.match.emplace();
  for (const int distance : {0, 3, 3, 7, 64}) {
    verdict.match->distance = distance;
    counts.Add({FoldOutcome::kVerdict, verdict}, log::Page());
  }
  verdict.reason = Reason::kExactDuplicate;
  counts.Add({FoldOutcome::kVerdict, verdict}, log::Page());
  Metrics metrics({"test", "1", {Role::kJudge}, Timestamp{}});
  counts.AddTo(metrics);
  EXPECT_EQ(metrics.Read().distances, (DistanceCounts{1, 0, 0, 2, 0, 0, 0, 2}));
}

TEST(BatchCounts, CountWhatTheLogLacksAndWhatCameBack) {
  BatchCounts counts;
  Folded folded{FoldOutcome::kDeadLetter, std::nullopt};
  folded.gap.opened = OffsetRange{10, 14};
  counts.Add(folded, log::Page());
  folded.gap = {std::nullopt, std::nullopt, true};
  counts.Add(folded, log::Page());
  counts.Add({FoldOutcome::kOtherTopic, std::nullopt}, log::Page());
  counts.AddSkipped();
  Metrics metrics({"test", "1", {Role::kJudge}, Timestamp{}});
  counts.AddTo(metrics);
  const auto total = metrics.CloseWindow(Timestamp{}).total;
  EXPECT_EQ(total[Count::kLostRecords], 5U);
  EXPECT_EQ(total[Count::kRecoveredRecords], 1U);
  EXPECT_EQ(total[Count::kOtherTopic], 1U);
  EXPECT_EQ(total[Count::kSkippedEntries], 1U);
}

}  // namespace
}  // namespace crawlsieve::consumer
