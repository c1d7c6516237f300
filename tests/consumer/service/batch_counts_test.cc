#include "consumer/service/batch_counts.h"

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
  EXPECT_EQ(counts.stale_generation(), 3U);

  Metrics metrics({"test", "0", {Role::kJudge}, Timestamp{}});
  counts.AddTo(metrics);
  const MetricsWindow window = metrics.CloseWindow(Timestamp{});
  EXPECT_EQ(window.total[Count::kLogEntriesFolded], 6U);
  EXPECT_EQ(window.total[Count::kRedelivered], 1U);
  EXPECT_EQ(window.total[Count::kRanAhead], 2U);
  EXPECT_EQ(window.total[Count::kStaleGeneration], 3U);
}

}  // namespace
}  // namespace crawlsieve::consumer
