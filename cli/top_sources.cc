#include "cli/top_sources.h"

#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"
#include "consumer/observability/http_client.h"
#include "consumer/service/brokers/kafka_log.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kHttpTimeout{3'000};
constexpr milliseconds kBrokerTimeout{10'000};
constexpr milliseconds kReadTime{3'000};
constexpr std::int64_t kNewestRecords = 500;  ///< of a partition that are read at the beginning
constexpr int kIntervalsKept = 6;

class HttpSource final : public TopSource {
 public:
  explicit HttpSource(std::vector<std::string> addresses) : addresses_(std::move(addresses)) {}

  SeenProcesses Read() override {
    SeenProcesses seen;
    for (const std::string& address : addresses_) {
      auto report = Ask(address);
      if (report.has_value()) {
        seen.reports.push_back(std::move(*report));
      } else {
        seen.failures.push_back(std::move(report.error().message));
      }
    }
    return seen;
  }

 private:
  static Result<StatusReport> Ask(const std::string& address) {
    const std::string url = address + (address.ends_with('/') ? "" : "/") + "status.json";
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto body, HttpGet(url, kHttpTimeout));
    auto report = StatusFromJson(body);
    if (!report) {
      return MakeError(ErrorCode::kInvalidInput, fmt::format("{} is not a status of crawlsieve: {}",
                                                             url, report.error().message));
    }
    return report;
  }

  const std::vector<std::string> addresses_;
};

class TopicSource final : public TopSource {
 public:
  TopicSource(std::unique_ptr<Consumer> consumer, std::chrono::milliseconds interval)
      : consumer_(std::move(consumer)), interval_(interval) {}

  SeenProcesses Read() override {
    SeenProcesses seen;
    const auto deadline = std::chrono::steady_clock::now() + kReadTime;
    while (std::chrono::steady_clock::now() < deadline) {
      // The first record may take a while; those behind it are at hand.
      auto polled = consumer_->Poll(newest_.empty() ? milliseconds(500) : milliseconds(50));
      if (!polled && polled.error().error_class != ErrorClass::kRetriable) {
        seen.failures.push_back(polled.error().message);
        break;
      }
      if (!polled) continue;
      if (polled->has_value()) {
        Take(**polled);
      } else if (!newest_.empty()) {
        break;
      }
    }
    // By the records' own time: the clocks of other machines may differ from this one's.
    Timestamp last{};
    for (const auto& [instance, report] : newest_) last = std::max(last, report.time);
    for (const auto& [instance, report] : newest_) {
      if (report.time + kIntervalsKept * interval_ >= last) seen.reports.push_back(report);
    }
    if (newest_.empty()) seen.failures.emplace_back("no record in the metrics topic yet");
    return seen;
  }

 private:
  void Take(const ConsumedRecord& record) {
    auto report = StatusFromMetricsRecord(record.value().value_or(std::string_view()));
    if (!report) return;  // somebody else's record
    StatusReport& newest = newest_[report->instance];
    if (newest.time <= report->time) newest = std::move(*report);
  }

  std::unique_ptr<Consumer> consumer_;
  const milliseconds interval_;
  std::map<std::string, StatusReport> newest_;  ///< by instance
};

}  // namespace

std::unique_ptr<TopSource> HttpTopSource(std::vector<std::string> addresses) {
  return std::make_unique<HttpSource>(std::move(addresses));
}

Result<std::unique_ptr<TopSource>> MetricsTopicSource(const config::Config& config) {
  const std::string& topic = config.metrics.topic;
  if (topic.empty()) {
    return MakeError(ErrorCode::kInvalidConfig,
                     "metrics.topic is empty: there is no metrics topic to read");
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto admin, Admin::Make(config.kafka, LoggingCallbacks("top")));
  auto described = admin->DescribeTopic(topic, kBrokerTimeout);
  if (!described) return tl::unexpected(described.error());
  if (!described->has_value()) {
    return MakeError(ErrorCode::kIo, fmt::format("there is no topic {} (metrics.topic)", topic));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto consumer, Consumer::Make(JudgeConsumer(config.kafka),
                                                            config.kafka, LoggingCallbacks("top")));
  std::vector<PartitionOffset> begins;
  for (std::int32_t i = 0; i < (*described)->partitions; ++i) {
    const TopicPartition partition{topic, i};
    const auto ends = consumer->QueryWatermarks(partition, kBrokerTimeout);
    if (!ends) return tl::unexpected(ends.error());
    begins.push_back({partition, std::max(ends->low, ends->high - kNewestRecords)});
  }
  if (auto assigned = consumer->Assign(begins); !assigned) {
    return tl::unexpected(assigned.error());
  }
  return std::unique_ptr<TopSource>(
      std::make_unique<TopicSource>(std::move(consumer), config.metrics.interval));
}

}  // namespace crawlsieve::consumer
