#include "consumer/status/status_recorder.h"

#include "consumer/html/bounded_text.h"

#include <thread>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

const Timestamp kStart{hours(500'000)};

MetricsIdentity Identity() { return {"host-1", "0.1.0", {Role::kJudge}, kStart}; }

std::uint64_t OfReason(const Recorded& recorded, const Activity& activity,
                       const VerdictReason& reason) {
  for (std::size_t i = 0; i < recorded.reasons.size(); ++i) {
    if (recorded.reasons[i] == reason) return activity.reasons[i];
  }
  ADD_FAILURE() << reason.name;
  return 0;
}

TEST(StatusRecorder, TakesFromTheMetricsWhatCameSinceTheLastSample) {
  Metrics metrics(Identity());
  StatusRecorder recorder;
  metrics.Add(Count::kRecordsConsumed, 10);
  metrics.Kept("unique").Add(6);
  metrics.Dropped("near_duplicate").Add(3);
  metrics.DeadLetters("invalid_json").Add();
  metrics.Observe(Latency::kJudge, std::chrono::milliseconds(7));
  recorder.Sample(metrics.Read(), kStart, seconds(5));
  metrics.Add(Count::kRecordsConsumed, 5);
  metrics.Kept("unique").Add(4);
  metrics.Dropped("exact_duplicate").Add(1);
  recorder.Sample(metrics.Read(), kStart + seconds(5), seconds(5));

  const Recorded recorded = recorder.Read();
  const Activity& recent = recorded.recent.activity;
  EXPECT_EQ(recorded.recent.seconds, 10);
  EXPECT_EQ(recent.consumed, 15U);
  EXPECT_EQ(recent.kept, 10U);
  EXPECT_EQ(recent.dropped, 4U);
  EXPECT_EQ(recent.dead_letters, 1U);
  EXPECT_EQ(OfReason(recorded, recent, {"unique", true}), 10U);
  EXPECT_EQ(OfReason(recorded, recent, {"near_duplicate", false}), 3U);
  EXPECT_EQ(OfReason(recorded, recent, {"exact_duplicate", false}), 1U);
  EXPECT_DOUBLE_EQ(*Quantile(recent.latencies[static_cast<std::size_t>(Latency::kJudge)], 1), 0.01);
  EXPECT_EQ(recorded.hour.kept, 10U);
  ASSERT_EQ(recorded.points.size(), 1U);
  EXPECT_EQ(recorded.points[0].dropped, 4U);
}

TEST(StatusRecorder, GoesOnWithMoreReasonsThanItCountsApart) {
  Metrics metrics(Identity());
  StatusRecorder recorder;
  for (std::size_t i = 0; i < kMaxReasons + 10; ++i) {
    metrics.Kept("reason" + std::to_string(i)).Add();
  }
  recorder.Sample(metrics.Read(), kStart, seconds(5));
  const Recorded recorded = recorder.Read();
  EXPECT_EQ(recorded.reasons.size(), kMaxReasons);
  EXPECT_EQ(recorded.hour.kept, kMaxReasons + 10);
  EXPECT_EQ(recorded.hour.reasons.back(), 11U);
}

TEST(StatusRecorder, RemembersTheNewestPairsInBoundedText) {
  StatusRecorder recorder;
  for (int batch = 0; batch < 30; ++batch) {
    BatchFindings findings;
    EXPECT_TRUE(findings.WantsPair());
    for (std::size_t i = 0; i < BatchFindings::kPairs + 2; ++i) {
      findings.AddPair({.url = std::string(100'000, 'u'),
                        .match_url = "http://m.example/" + std::to_string(batch),
                        .distance = 3});
    }
    EXPECT_FALSE(findings.WantsPair());
    recorder.AddBatch(findings, kStart + seconds(batch));
  }
  const Recorded recorded = recorder.Read();
  ASSERT_EQ(recorded.pairs.size(), StatusRecorder::kPairs);
  EXPECT_EQ(recorded.pairs.front().match_url, "http://m.example/29");
  EXPECT_EQ(recorded.pairs.front().judged, kStart + seconds(29));
  EXPECT_EQ(recorded.pairs.front().url.size(), BatchFindings::kMaxUrlBytes);
  EXPECT_EQ(recorded.pairs.back().judged, kStart + seconds(30 - 7));
}

TEST(StatusRecorder, CountsHostsOfTheLastHalfDayBesideThoseBefore) {
  StatusRecorder recorder;
  const MetricsReading nothing;
  BatchFindings findings;
  findings.AddDuplicate("a.example");
  findings.AddDuplicate("a.example");
  findings.AddDuplicate("b.example");
  recorder.AddBatch(findings, kStart);
  recorder.Sample(nothing, kStart + hours(11), seconds(5));
  EXPECT_EQ(recorder.Read().hosts_since, kStart);
  recorder.Sample(nothing, kStart + hours(12), seconds(5));
  recorder.AddBatch(findings, kStart + hours(13));
  Recorded recorded = recorder.Read();
  ASSERT_EQ(recorded.hosts.size(), 2U);
  EXPECT_EQ(recorded.hosts[0].name, "a.example");
  EXPECT_EQ(recorded.hosts[0].count, 4U);
  EXPECT_EQ(recorded.host_duplicates, 6U);
  EXPECT_EQ(recorded.hosts_since, kStart);
  recorder.Sample(nothing, kStart + hours(24), seconds(5));
  recorded = recorder.Read();
  EXPECT_EQ(recorded.hosts[0].count, 2U);
  EXPECT_EQ(recorded.hosts_since, kStart + hours(12));
  recorder.Sample(nothing, kStart + hours(36), seconds(5));
  EXPECT_TRUE(recorder.Read().hosts.empty());
}

TEST(StatusRecorder, MayBeReadWhileStagesRecord) {
  Metrics metrics(Identity());
  StatusRecorder recorder;
  std::jthread judge([&] {
    for (int i = 0; i < 300; ++i) {
      BatchFindings findings;
      for (int j = 0; j < 20; ++j) {
        findings.AddDuplicate("host" + std::to_string((i * 20 + j) % 2000) + ".example");
      }
      findings.AddPair({.url = "u", .match_url = "m"});
      recorder.AddBatch(findings, kStart);
      metrics.Dropped("exact_duplicate").Add(20);
    }
  });
  std::jthread sampler([&] {
    for (int i = 0; i < 100; ++i) recorder.Sample(metrics.Read(), kStart, seconds(1));
  });
  for (int i = 0; i < 100; ++i) EXPECT_LE(recorder.Read().hour.dropped, 6000U);
  judge.join();
  sampler.join();
  recorder.Sample(metrics.Read(), kStart, seconds(1));
  EXPECT_EQ(recorder.Read().hour.dropped, 6000U);
  EXPECT_EQ(recorder.Read().host_duplicates, 6000U);
}

TEST(BoundedText, IsCutInFrontOfACharacter) {
  EXPECT_EQ(BoundedText("abcdef", 6), "abcdef");
  EXPECT_EQ(BoundedText("abcdefg", 6), "abc…");
  EXPECT_EQ(BoundedText("abädefg", 6), "ab…");  // ä is two bytes, and one has no room
  EXPECT_EQ(BoundedText("ab\U0001F600defg", 6), "ab…");
  EXPECT_EQ(BoundedText("", 3), "");
}

}  // namespace
}  // namespace crawlsieve::consumer
