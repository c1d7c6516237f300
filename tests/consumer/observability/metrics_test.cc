#include "consumer/observability/metrics.h"

#include "tests/support/schema.h"

#include <fstream>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <time.h>

namespace crawlsieve::consumer {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const Timestamp kStart{milliseconds(1'700'000'000'000)};
const std::filesystem::path kSchema =
    std::filesystem::path(CRAWLSIEVE_SOURCE_DIR) / "docs/schemas/metrics.schema.json";

MetricsIdentity Identity() { return {"host-1", "0.1.0", {Role::kExtract, Role::kJudge}, kStart}; }

/// The value of the line `series` in Prometheus' text; nullopt where there is none.
std::optional<double> Series(const Metrics& metrics, const std::string& series) {
  std::istringstream lines(metrics.PrometheusText());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(series + " ")) return std::stod(line.substr(series.size() + 1));
  }
  return std::nullopt;
}

/// A process in which everything has happened.
void Fill(Metrics& metrics) {
  metrics.Add(Count::kRecordsConsumed, 10);
  metrics.Add(Count::kBytesConsumed, 5000);
  metrics.Add(Count::kBytesSaved, 700);
  metrics.Add(Count::kRedelivered);
  metrics.Add(Count::kRanAhead, 2);
  metrics.Add(Count::kIndexProbes, 60);
  metrics.Add(Count::kIndexCandidates, 61);
  metrics.Kept("unique").Add(6);
  metrics.Dropped("exact_duplicate").Add(2);
  metrics.Dropped("near_duplicate").Add();
  metrics.DeadLetters("invalid_json").Add();
  metrics.Errors("judge").Add(3);
  metrics.Observe(Latency::kExtract, milliseconds(40));
  metrics.Observe(Latency::kJudge, std::chrono::microseconds(50));
  metrics.SetIndex({1000, 900, 65'536, 64, kStart + seconds(5)});
  metrics.SetAssignment({{"crawl.pages", 3, 1234, 7, 0.5}, {"crawl.pages", 4, {}, {}, {}}});
  metrics.SetConnected(true);
}

TEST(Metrics, CountsForPrometheus) {
  Metrics metrics(Identity());
  Fill(metrics);
  EXPECT_EQ(Series(metrics, "crawlsieve_records_consumed_total"), 10);
  EXPECT_EQ(Series(metrics, "crawlsieve_consumed_bytes_total"), 5000);
  EXPECT_EQ(Series(metrics, "crawlsieve_saved_bytes_total"), 700);
  EXPECT_EQ(Series(metrics, "crawlsieve_redelivered_total"), 1);
  EXPECT_EQ(Series(metrics, "crawlsieve_transactions_aborted_total"), 0);
  const std::string text = metrics.PrometheusText();
  EXPECT_THAT(text, HasSubstr("crawlsieve_dead_letters_total{code=\"invalid_json\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("crawlsieve_errors_total{stage=\"judge\"} 3\n"));
  EXPECT_THAT(text,
              ContainsRegex("crawlsieve_verdicts_total\\{(reason=\"near_duplicate\","
                            "verdict=\"drop\"|verdict=\"drop\",reason=\"near_duplicate\")\\} 1\n"));
}

TEST(Metrics, ShowsHowThingsStandToPrometheus) {
  Metrics metrics(Identity());
  EXPECT_EQ(Series(metrics, "crawlsieve_connected"), 0);
  Fill(metrics);
  EXPECT_EQ(Series(metrics, "crawlsieve_connected"), 1);
  EXPECT_EQ(Series(metrics, "crawlsieve_restoring"), 0);
  EXPECT_EQ(Series(metrics, "crawlsieve_standby"), 0);
  EXPECT_EQ(Series(metrics, "crawlsieve_index_entries"), 1000);
  EXPECT_EQ(Series(metrics, "crawlsieve_index_fingerprints"), 900);
  EXPECT_EQ(Series(metrics, "crawlsieve_index_bytes"), 65'536);
  EXPECT_EQ(Series(metrics, "crawlsieve_index_last_snapshot_timestamp_seconds"), 1'700'000'005);
  EXPECT_THAT(metrics.PrometheusText(), HasSubstr("crawlsieve_build_info{version=\"0.1.0\"} 1\n"));
}

TEST(Metrics, NamesTheRolesOfTheProcess) {
  EXPECT_EQ(Series(Metrics(Identity()), "crawlsieve_role{role=\"judge\"}"), 1);
  Metrics extractor({"host-1", "0.1.0", {Role::kExtract}, kStart});
  EXPECT_EQ(Series(extractor, "crawlsieve_role{role=\"extract\"}"), 1);
  EXPECT_EQ(Series(extractor, "crawlsieve_role{role=\"judge\"}"), std::nullopt);
}

TEST(Metrics, SaysWhatTheSystemKnowsOfTheProcess) {
  const Metrics metrics(Identity());
  EXPECT_EQ(Series(metrics, "process_start_time_seconds"), 1'700'000'000);
  const auto before = Series(metrics, "process_open_fds");
  const std::ifstream file("/proc/self/stat");
  EXPECT_EQ(Series(metrics, "process_open_fds"), *before + 1);
  EXPECT_GT(Series(metrics, "process_max_fds"), *before);
  constexpr std::size_t kBytes = 64 << 20;
  const double resident = Series(metrics, "process_resident_memory_bytes").value();
  const double virtual_bytes = Series(metrics, "process_virtual_memory_bytes").value();
  const std::string used(kBytes, 'x');
  EXPECT_GE(Series(metrics, "process_resident_memory_bytes"), resident + kBytes / 2);
  EXPECT_GE(virtual_bytes, resident);
  const double processor = Series(metrics, "process_cpu_seconds_total").value();
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  EXPECT_NEAR(processor, static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) / 1e9,
              0.1);
}

TEST(Metrics, ShowsLagOfAssignedPartitionsOnly) {
  Metrics metrics(Identity());
  metrics.SetAssignment({{"crawl.pages", 3, 1234, 7, 0.5}, {"crawl.pages", 4, 1, {}, {}}});
  EXPECT_THAT(metrics.PrometheusText(), HasSubstr("crawlsieve_lag_records{"));
  EXPECT_THAT(metrics.PrometheusText(), HasSubstr("partition=\"3\""));
  EXPECT_THAT(metrics.PrometheusText(), Not(HasSubstr("partition=\"4\"")));
  metrics.SetAssignment({{"crawl.pages", 5, 1234, 7, 0.5}});
  EXPECT_THAT(metrics.PrometheusText(), Not(HasSubstr("partition=\"3\"")));
  EXPECT_THAT(metrics.PrometheusText(), HasSubstr("partition=\"5\""));
  metrics.SetAssignment({});
  EXPECT_THAT(metrics.PrometheusText(), Not(HasSubstr("crawlsieve_lag_records{")));
}

TEST(Metrics, ShowsLatencyAsAHistogramInSeconds) {
  Metrics metrics(Identity());
  metrics.Observe(Latency::kJudge, milliseconds(40));
  const std::string text = metrics.PrometheusText();
  EXPECT_THAT(text, HasSubstr("crawlsieve_latency_seconds_count{stage=\"judge\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("crawlsieve_latency_seconds_sum{stage=\"judge\"} 0.04\n"));
  EXPECT_THAT(text,
              HasSubstr("crawlsieve_latency_seconds_bucket{stage=\"judge\",le=\"0.025\"} 0\n"));
  EXPECT_THAT(text,
              HasSubstr("crawlsieve_latency_seconds_bucket{stage=\"judge\",le=\"0.05\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("crawlsieve_latency_seconds_count{stage=\"extract\"} 0\n"));
}

TEST(Metrics, ShowsARestoreUntilItEnds) {
  Metrics metrics(Identity());
  EXPECT_EQ(Series(metrics, "crawlsieve_restore_entries"), 0);
  metrics.SetRestore(RestoreReport{.from = 100, .next = 150, .to = 400, .began = {}});
  EXPECT_EQ(Series(metrics, "crawlsieve_restore_entries"), 300);
  EXPECT_EQ(Series(metrics, "crawlsieve_restore_entries_left"), 250);
  EXPECT_EQ(metrics.Read().restore->next, 150);
  metrics.SetRestore(std::nullopt);
  EXPECT_EQ(Series(metrics, "crawlsieve_restore_entries_left"), 0);
  EXPECT_FALSE(metrics.Read().restore.has_value());
}

TEST(Metrics, ShowsTheLogClockAndTheDiskOnceTheyAreKnown) {
  Metrics metrics(Identity());
  EXPECT_EQ(Series(metrics, "crawlsieve_log_clock_timestamp_seconds"), std::nullopt);
  EXPECT_EQ(Series(metrics, "crawlsieve_state_bytes"), std::nullopt);
  metrics.SetLogClock(kStart + milliseconds(500));
  metrics.SetStorage({1000, 7000});
  EXPECT_EQ(Series(metrics, "crawlsieve_log_clock_timestamp_seconds"), 1'700'000'000.5);
  EXPECT_EQ(Series(metrics, "crawlsieve_state_bytes"), 1000);
  EXPECT_EQ(Series(metrics, "crawlsieve_state_free_bytes"), 7000);
}

TEST(Metrics, ShowsKafkaClientsWhileTheyAreThere) {
  Metrics metrics(Identity());
  metrics.SetKafkaClient("judge_consumer", KafkaClientReport{7, 700, std::nullopt});
  metrics.SetKafkaClient("judge_producer", KafkaClientReport{3, 300, 0.025});
  metrics.SetKafkaClient("judge_producer", KafkaClientReport{4, 400, 0.025});
  EXPECT_EQ(Series(metrics, "crawlsieve_kafka_queued_records{client=\"judge_consumer\"}"), 7);
  EXPECT_EQ(Series(metrics, "crawlsieve_kafka_queued_bytes{client=\"judge_producer\"}"), 400);
  EXPECT_EQ(Series(metrics, "crawlsieve_kafka_broker_latency_seconds{client=\"judge_producer\"}"),
            0.025);
  EXPECT_EQ(Series(metrics, "crawlsieve_kafka_broker_latency_seconds{client=\"judge_consumer\"}"),
            std::nullopt);
  EXPECT_EQ(metrics.Read().kafka_clients.at("judge_producer").queued_records, 4U);
  metrics.SetKafkaClient("judge_consumer", std::nullopt);
  EXPECT_EQ(Series(metrics, "crawlsieve_kafka_queued_records{client=\"judge_consumer\"}"),
            std::nullopt);
  EXPECT_EQ(metrics.Read().kafka_clients.size(), 1U);
}

TEST(Metrics, ShowsDistancesOfNearDuplicatesAsAHistogram) {
  Metrics metrics(Identity());
  metrics.AddDistances({5, 0, 0, 2, 0, 0, 0, 1});
  metrics.AddDistances({1, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(Series(metrics, "crawlsieve_near_duplicate_hamming_distance_bucket{le=\"0\"}"), 6);
  EXPECT_EQ(Series(metrics, "crawlsieve_near_duplicate_hamming_distance_bucket{le=\"3\"}"), 8);
  EXPECT_EQ(Series(metrics, "crawlsieve_near_duplicate_hamming_distance_count"), 9);
  EXPECT_EQ(Series(metrics, "crawlsieve_near_duplicate_hamming_distance_sum"), 13);
  EXPECT_EQ(metrics.Read().distances, (DistanceCounts{6, 0, 0, 2, 0, 0, 0, 1}));
}

TEST(Metrics, AreReadWithoutEndingAWindow) {
  Metrics metrics(Identity());
  Fill(metrics);
  const MetricsReading reading = metrics.Read();
  EXPECT_EQ(reading.total[Count::kRecordsConsumed], 10U);
  EXPECT_EQ(reading.total.kept.at("unique"), 6U);
  EXPECT_EQ(reading.index.entries, 1000U);
  EXPECT_EQ(reading.assignment.size(), 2U);
  EXPECT_TRUE(reading.connected);
  LatencyCounts judged{};
  judged[0] = 1;  // 0.05 ms
  EXPECT_EQ(reading.latencies[static_cast<std::size_t>(Latency::kJudge)], judged);
  EXPECT_EQ(metrics.CloseWindow(kStart + seconds(1)).window[Count::kRecordsConsumed], 10U);
}

TEST(Metrics, NamesEveryMetricInTheOneWay) {
  Metrics metrics(Identity());
  Fill(metrics);
  const std::set<std::string> allowed{"verdict",   "reason",  "code", "stage", "topic",
                                      "partition", "version", "le",   "role",  "client"};
  std::istringstream lines(metrics.PrometheusText());
  int types = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, word, name, type;
    if (line.starts_with("# TYPE ") && words >> hash >> word >> name >> type) {
      ++types;
      EXPECT_TRUE(name.starts_with("crawlsieve_") || name.starts_with("process_")) << line;
      EXPECT_EQ(type == "counter", name.ends_with("_total")) << line;
    } else if (!line.starts_with("#")) {
      // name{label="value",label="value"} number
      for (std::size_t equals = line.find("=\""); equals != std::string::npos;
           equals = line.find("=\"", equals + 1)) {
        const std::size_t begin = line.find_last_of("{,", equals) + 1;
        EXPECT_TRUE(allowed.contains(line.substr(begin, equals - begin))) << line;
      }
    }
  }
  EXPECT_GT(types, 20);
}

TEST(Metrics, HandsOutTheSameCounterForTheSameLabel) {
  Metrics metrics(Identity());
  Counter& counter = metrics.Kept("unique");
  for (int i = 0; i < 100; ++i) (void)metrics.Kept("reason_" + std::to_string(i));
  counter.Add(2);
  EXPECT_EQ(&metrics.Kept("unique"), &counter);
  EXPECT_EQ(metrics.Kept("unique").value(), 2U);
  EXPECT_EQ(metrics.Dropped("unique").value(), 0U);
}

TEST(Metrics, CountsExactlyOnManyThreads) {
  Metrics metrics(Identity());
  Counter& kept = metrics.Kept("unique");
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10'000; ++i) {
          metrics.Add(Count::kRecordsConsumed);
          metrics.Observe(Latency::kExtract, milliseconds(1));
          kept.Add(3);
        }
      });
    }
    for (int i = 0; i < 20; ++i) {
      (void)metrics.PrometheusText();
      metrics.SetAssignment({{"t", i, 1, 1, 1.0}});
    }
  }
  const MetricsWindow window = metrics.CloseWindow(kStart + seconds(1));
  EXPECT_EQ(window.total[Count::kRecordsConsumed], 40'000U);
  EXPECT_EQ(window.total.kept.at("unique"), 120'000U);
  EXPECT_EQ(window.latencies[0].count, 40'000U);
}

TEST(MetricsWindow, HoldsWhatHappenedSinceTheLast) {
  Metrics metrics(Identity());
  Fill(metrics);
  const MetricsWindow first = metrics.CloseWindow(kStart + seconds(10));
  EXPECT_EQ(first.start, kStart);
  EXPECT_EQ(first.window[Count::kRecordsConsumed], 10U);
  EXPECT_EQ(first.window.kept.at("unique"), 6U);

  metrics.Add(Count::kRecordsConsumed, 5);
  metrics.Kept("unique").Add();
  metrics.Kept("updated").Add(2);
  const MetricsWindow second = metrics.CloseWindow(kStart + seconds(20));
  EXPECT_EQ(second.start, first.end);
  EXPECT_EQ(second.end, kStart + seconds(20));
  EXPECT_EQ(second.total[Count::kRecordsConsumed], 15U);
  EXPECT_EQ(second.window[Count::kRecordsConsumed], 5U);
  EXPECT_EQ(second.window.kept.at("unique"), 1U);
  EXPECT_EQ(second.window.kept.at("updated"), 2U);
  EXPECT_EQ(second.window.dropped.at("near_duplicate"), 0U);
  EXPECT_EQ(second.latencies[static_cast<std::size_t>(Latency::kJudge)].count, 0U);
}

TEST(MetricsRecord, ConformsToItsSchema) {
  Metrics metrics(Identity());
  const json fresh = json::parse(metrics.TopicRecord(metrics.CloseWindow(kStart)));
  EXPECT_TRUE(ConformsTo(fresh, kSchema));
  Fill(metrics);
  const json full = json::parse(metrics.TopicRecord(metrics.CloseWindow(kStart + seconds(10))));
  EXPECT_TRUE(ConformsTo(full, kSchema));
}

TEST(MetricsRecord, OfAnotherShapeDoesNotConform) {
  Metrics metrics(Identity());
  Fill(metrics);
  const json good = json::parse(metrics.TopicRecord(metrics.CloseWindow(kStart + seconds(10))));
  for (const char* pointer : {"/schema_version", "/window_end", "/counters/window/kept_by_reason",
                              "/latency_ms/judge/p99", "/index/last_snapshot", "/assignment/0/lag",
                              "/rates/bytes_per_second"}) {
    json wrong = good;
    wrong[json::json_pointer(pointer)] = "yesterday";
    EXPECT_FALSE(ConformsTo(wrong, kSchema)) << pointer;
    json without = good;
    const json::json_pointer path(pointer);
    without[path.parent_pointer()].erase(path.back());
    // Rates are open-ended but those three are promised; the others are as well.
    EXPECT_FALSE(ConformsTo(without, kSchema)) << pointer;
  }
  json more = good;
  more["something_new"] = 1;
  EXPECT_TRUE(ConformsTo(more, kSchema));
}

TEST(MetricsRecord, SaysWhatHappened) {
  Metrics metrics(Identity());
  Fill(metrics);
  const std::string text = metrics.TopicRecord(metrics.CloseWindow(kStart + seconds(10)));
  EXPECT_TRUE(text.starts_with("{\"schema_version\":1,"));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
  const json record = json::parse(text);
  EXPECT_EQ(record["instance"], "host-1");
  EXPECT_EQ(record["roles"], (json{"extract", "judge"}));
  EXPECT_EQ(record["started_at"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(record["window_end"], "2023-11-14T22:13:30Z");
  EXPECT_EQ(record["counters"]["total"]["kept"], 6);
  EXPECT_EQ(record["counters"]["window"]["dropped"], 3);
  EXPECT_EQ(record["counters"]["window"]["dropped_by_reason"]["exact_duplicate"], 2);
  EXPECT_EQ(record["counters"]["total"]["dead_letters_by_code"]["invalid_json"], 1);
  EXPECT_EQ(record["counters"]["total"]["errors_by_stage"]["judge"], 3);
  EXPECT_EQ(record["rates"]["consumed_per_second"], 1.0);
  EXPECT_EQ(record["rates"]["verdicts_per_second"], 0.9);
  EXPECT_EQ(record["latency_ms"]["extract"]["count"], 1);
  EXPECT_EQ(record["latency_ms"]["extract"]["max"], 40.0);
  EXPECT_EQ(record["latency_ms"]["judge"]["p50"], 0.05);
  EXPECT_TRUE(record["latency_ms"]["end_to_end"]["p99"].is_null());
  EXPECT_EQ(record["index"]["probes"], 60);
  EXPECT_EQ(record["index"]["last_snapshot"], "2023-11-14T22:13:25Z");
  EXPECT_EQ(record["assignment"][0]["lag_seconds"], 0.5);
  EXPECT_TRUE(record["assignment"][1]["offset"].is_null());
  EXPECT_EQ(record["connected"], true);
}

TEST(MetricsRecord, KeepsCountsPast32BitsExact) {
  Metrics metrics(Identity());
  metrics.Add(Count::kBytesConsumed, 9'007'199'254'740'991);
  const json record = json::parse(metrics.TopicRecord(metrics.CloseWindow(kStart)));
  EXPECT_EQ(record["counters"]["total"]["bytes"].dump(), "9007199254740991");
}

TEST(MetricsRecord, IsJsonWhateverTheInstanceIsCalled) {
  Metrics metrics({"bad \xff\n\" name", "0.1.0", {Role::kJudge}, kStart});
  const json record = json::parse(metrics.TopicRecord(metrics.CloseWindow(kStart)));
  EXPECT_EQ(record["instance"], "bad \xef\xbf\xbd\n\" name");
}

}  // namespace
}  // namespace crawlsieve::consumer
