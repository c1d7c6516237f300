#include "consumer/observability/latency.h"

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

TEST(LatencyWindow, IsZeroWithoutEvents) {
  LatencyWindow window;
  const LatencySummary summary = window.Take();
  EXPECT_EQ(summary.count, 0U);
  EXPECT_EQ(summary.p99, microseconds(0));
  EXPECT_EQ(summary.max, microseconds(0));
}

TEST(LatencyWindow, IsExactForSmallValues) {
  LatencyWindow window;
  for (int i = 1; i <= 50; ++i) window.Observe(microseconds(i));
  const LatencySummary summary = window.Take();
  EXPECT_EQ(summary.count, 50U);
  EXPECT_EQ(summary.p50, microseconds(25));
  EXPECT_EQ(summary.p95, microseconds(48));
  EXPECT_EQ(summary.p99, microseconds(50));
  EXPECT_EQ(summary.max, microseconds(50));
}

TEST(LatencyWindow, BeginsAnew) {
  LatencyWindow window;
  window.Observe(microseconds(1000));
  EXPECT_EQ(window.Take().count, 1U);
  window.Observe(microseconds(7));
  const LatencySummary summary = window.Take();
  EXPECT_EQ(summary.count, 1U);
  EXPECT_EQ(summary.max, microseconds(7));
}

TEST(LatencyWindow, TakesAnyDuration) {
  LatencyWindow window;
  window.Observe(nanoseconds(-5));
  window.Observe(nanoseconds(999));
  EXPECT_EQ(window.Take().max, microseconds(0));
  window.Observe(nanoseconds::max());
  EXPECT_EQ(window.Take().max, microseconds((std::int64_t{1} << 40) - 1));
  window.Observe(nanoseconds::min());
  EXPECT_EQ(window.Take().count, 1U);
}

TEST(LatencyWindow, KeepsItsErrorBoundOnAnyDistribution) {
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    // Log-uniform: as many around a microsecond as around an hour.
    std::uniform_real_distribution<double> exponent(0, seed % 2 == 0 ? 32 : 12);
    LatencyWindow window;
    std::vector<std::int64_t> values;
    const std::size_t count = 1 + random() % 5000;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(static_cast<std::int64_t>(std::exp2(exponent(random))));
      window.Observe(microseconds(values.back()));
    }
    std::sort(values.begin(), values.end());
    const LatencySummary summary = window.Take();
    ASSERT_EQ(summary.count, count);
    const auto expect_near = [&](microseconds reported, std::size_t percent) {
      const std::int64_t truth = values[(count * percent + 99) / 100 - 1];
      EXPECT_GE(reported.count(), truth) << percent;
      EXPECT_LE(static_cast<double>(reported.count()), static_cast<double>(truth) * (1 + 1.0 / 32))
          << percent;
    };
    expect_near(summary.p50, 50);
    expect_near(summary.p95, 95);
    expect_near(summary.p99, 99);
    EXPECT_EQ(summary.max.count(), values.back());
  }
}

TEST(LatencyWindow, LosesNothingBetweenThreadsAndWindows) {
  constexpr int kThreads = 4;
  constexpr std::uint64_t kEvents = 20'000;
  LatencyWindow window;
  std::uint64_t taken = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&window, t] {
        for (std::uint64_t i = 0; i < kEvents; ++i) window.Observe(microseconds(100 * (t + 1)));
      });
    }
    for (int i = 0; i < 100; ++i) {
      const LatencySummary summary = window.Take();
      taken += summary.count;
      if (summary.count != 0) {
        EXPECT_GE(summary.p50, microseconds(100));
        EXPECT_LE(summary.max, microseconds(415));
        EXPECT_GE(summary.max, summary.p99);
      }
    }
  }
  EXPECT_EQ(taken + window.Take().count, kThreads * kEvents);
}

}  // namespace
}  // namespace crawlsieve::consumer
