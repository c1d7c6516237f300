#include "consumer/status/status_report.h"

#include "tests/consumer/status/sample_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::HostileTexts;
using crawlsieve::testing::SampleProcess;

const Timestamp kNow{std::chrono::hours(500'000) + std::chrono::minutes(7)};

TEST(StatusReport, AddsUpAndRatesWhatWasRecorded) {
  SampleProcess process(kNow, {});
  const StatusReport report = process.Report();
  const MetricsReading reading = process.metrics().Read();
  std::uint64_t total = 0;
  for (const StatusReport::Mix& mix : report.mix) {
    const auto& counts = mix.is_kept ? reading.total.kept : reading.total.dropped;
    EXPECT_EQ(mix.total, counts.at(mix.reason)) << mix.reason;
    total += mix.total;
  }
  // Nothing is older than 24 hours, so that the day's points hold all of it.
  std::uint64_t of_points = 0;
  for (const History::Point& point : report.points) of_points += point.kept + point.dropped;
  EXPECT_EQ(of_points, total);
  EXPECT_EQ(report.recent_seconds, 360);
  EXPECT_GT(report.kept_a_second, report.dropped_a_second);
  EXPECT_EQ(report.lag_records(), 1285U);
  EXPECT_EQ(report.lag_seconds(), 2.4);
  EXPECT_EQ(report.partitions.front().topic, "crawl.pages");
  EXPECT_EQ(report.hosts.size(), StatusRecorder::kHostsShown);
  EXPECT_EQ(report.hosts.front().name, "www0.example");
  EXPECT_LE(report.hosts.front().duplicates - report.hosts.front().error, 4000U);
  EXPECT_GE(report.hosts.front().duplicates, 4000U);
  EXPECT_EQ(report.pairs.size(), StatusRecorder::kPairs);
  EXPECT_EQ(report.StateName(), "ready");
}

TEST(StatusReport, TellsHowLongARestoreWillTake) {
  const StatusReport report = SampleProcess(kNow, {.is_restoring = true, .hosts = 1}).Report();
  EXPECT_EQ(report.StateName(), "restoring");
  ASSERT_TRUE(report.restore.has_value());
  EXPECT_EQ(report.restore->entries, 1'000'000U);
  EXPECT_EQ(report.restore->left, 750'000U);
  ASSERT_TRUE(report.restore->seconds_left.has_value());
  EXPECT_NEAR(*report.restore->seconds_left, 300, 30);
}

TEST(StatusReport, ComesBackFromItsJson) {
  for (const bool is_restoring : {false, true}) {
    const StatusReport report =
        SampleProcess(kNow, {.is_restoring = is_restoring, .hosts = 100}).Report();
    const std::string json = ToJson(report);
    const auto read = StatusFromJson(json);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(ToJson(*read), json);
    EXPECT_EQ(read->LatencyOf("judge").p99, report.LatencyOf("judge").p99);
  }
  const std::string empty = ToJson(StatusReport());
  EXPECT_EQ(ToJson(*StatusFromJson(empty)), empty);
}

TEST(StatusReport, IsJsonWhateverTheTextsAre) {
  const StatusReport report = SampleProcess(kNow, {.is_hostile = true, .hosts = 10}).Report();
  const std::string json = ToJson(report);
  EXPECT_FALSE(nlohmann::json::parse(json, nullptr, false).is_discarded());
  const auto read = StatusFromJson(json);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->version, HostileTexts()[0]);
}

TEST(StatusReport, RefusesJsonThatIsNone) {
  for (const char* text :
       {"", "{", "[]", "null", "7", "{}", R"({"health":"ready"})", R"({"health":7,"recent":{}})",
        R"({"health":"ready","recent":{},"pairs":7})",
        R"({"health":"ready","recent":{},"points":[[1]]})",
        R"({"health":"ready","recent":{},"distances":[1]})",
        R"({"health":"ready","recent":{},"roles":[7]})",
        R"({"health":"ready","recent":{"seconds":"x"}})"}) {
    const auto read = StatusFromJson(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidInput) << text;
  }
}

TEST(StatusReport, ComesFromARecordOfTheMetricsTopic) {
  SampleProcess process(kNow, {.hosts = 1});
  Metrics& metrics = process.metrics();
  (void)metrics.CloseWindow(kNow);
  metrics.Add(Count::kRecordsConsumed, 100);
  metrics.Kept("unique").Add(30);
  metrics.Dropped("unchanged").Add(10);
  metrics.Observe(Latency::kJudge, std::chrono::milliseconds(4));
  const MetricsWindow window = metrics.CloseWindow(kNow + std::chrono::seconds(10));
  const auto read = StatusFromMetricsRecord(metrics.TopicRecord(window));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->instance, "crawler-7");
  EXPECT_EQ(read->time, kNow + std::chrono::seconds(10));
  EXPECT_EQ(read->StateName(), "ready");
  EXPECT_DOUBLE_EQ(read->consumed_a_second, 10);
  EXPECT_DOUBLE_EQ(read->kept_a_second, 3);
  EXPECT_DOUBLE_EQ(read->dropped_a_second, 1);
  EXPECT_EQ(read->lag_records(), 1285U);
  EXPECT_NEAR(*read->LatencyOf("judge").p95, 0.004, 0.0002);
  EXPECT_EQ(read->index->entries, 12'345'678U);
  EXPECT_FALSE(StatusFromMetricsRecord("{}"));
}

}  // namespace
}  // namespace crawlsieve::consumer
