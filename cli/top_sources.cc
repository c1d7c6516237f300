#include "cli/top_sources.h"

#include "consumer/html/bounded_text.h"
#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"
#include "consumer/status/quantities.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kHttpTimeout{3'000};
constexpr milliseconds kBrokerTimeout{10'000};
constexpr milliseconds kReadTime{5'000};
constexpr std::int64_t kNewestRecords = 2'000;  ///< of a partition that are read at the beginning
constexpr int kSilentIntervals = 6;
constexpr std::size_t kMaxReason = 300;  ///< bytes
constexpr std::chrono::hours kForgotten{1};

class HttpSource final : public TopSource {
 public:
  HttpSource(std::vector<std::string> addresses, HttpAccess access)
      : addresses_(std::move(addresses)), access_(std::move(access)) {}

  SeenProcesses Read() override {
    std::vector<std::optional<Result<StatusReport>>> answers(addresses_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < addresses_.size(); ++i) {
        threads.emplace_back([this, &answers, i] { answers[i] = Ask(addresses_[i]); });
      }
    }
    SeenProcesses seen;
    for (std::optional<Result<StatusReport>>& answer : answers) {
      if (answer->has_value()) {
        seen.reports.push_back(**std::move(answer));
      } else {
        seen.failures.push_back(std::move(answer->error().message));
      }
    }
    return seen;
  }

 private:
  Result<StatusReport> Ask(const std::string& address) const {
    const std::string url =
        fmt::format("{}{}{}status.json", address.find("://") == std::string::npos ? "http://" : "",
                    address, address.ends_with('/') ? "" : "/");
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto body, HttpGet(url, kHttpTimeout, access_));
    auto report = StatusFromJson(body);
    if (!report) {
      return MakeError(ErrorCode::kInvalidInput,
                       fmt::format("{} is not a status of crawlsieve: {}", url,
                                   BoundedText(report.error().message, kMaxReason)));
    }
    return report;
  }

  const std::vector<std::string> addresses_;
  const HttpAccess access_;
};

class TopicSource final : public TopSource {
 public:
  /// `last_error` is what the consumer's callbacks write to, on the thread that polls.
  TopicSource(std::unique_ptr<Consumer> consumer, std::shared_ptr<const std::string> last_error,
              milliseconds interval)
      : consumer_(std::move(consumer)), last_error_(std::move(last_error)), interval_(interval) {}

  SeenProcesses Read() override {
    SeenProcesses seen;
    const auto deadline = steady_clock::now() + kReadTime;
    while (steady_clock::now() < deadline) {
      // The first records may take a while; later ones are at hand or come at the next look.
      const auto polled = consumer_->Poll(is_first_read_ ? milliseconds(500) : milliseconds(50));
      if (!polled && polled.error().error_class == ErrorClass::kRetriable) continue;
      if (!polled) {
        seen.failures.push_back(polled.error().message);
        break;
      }
      if (polled->has_value()) {
        Take(**polled);
      } else if (!is_first_read_ || !newest_.empty()) {
        break;
      }
    }
    is_first_read_ = false;
    const auto now = steady_clock::now();
    std::erase_if(newest_,
                  [&](const auto& known) { return known.second.heard + kForgotten < now; });
    for (const auto& [instance, known] : newest_) {
      const std::chrono::duration<double> silent = now - known.heard;
      if (silent <= kSilentIntervals * interval_) {
        seen.reports.push_back(known.report);
      } else {
        seen.failures.push_back(
            fmt::format("{} has not reported for {}", instance, DurationText(silent.count())));
      }
    }
    if (seen.reports.empty() && seen.failures.empty()) {
      seen.failures.emplace_back("no process has reported to the metrics topic within an hour");
    }
    if (seen.reports.empty() && !last_error_->empty()) seen.failures.push_back(*last_error_);
    return seen;
  }

 private:
  struct Known {
    StatusReport report;
    steady_clock::time_point heard;
  };

  void Take(const ConsumedRecord& record) {
    auto report = StatusFromMetricsRecord(record.value().value_or(std::string_view()));
    if (!report) return;  // somebody else's record
    Known& known = newest_[report->instance];
    if (report->time < known.report.time) return;
    // What was there before counts by its own time. Later, no clock but ours is asked.
    known.heard = steady_clock::now();
    if (is_first_read_) {
      const auto now = std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
      known.heard -= std::clamp<milliseconds>(now - report->time, milliseconds(0), 2 * kForgotten);
    }
    known.report = std::move(*report);
  }

  const std::unique_ptr<Consumer> consumer_;
  const std::shared_ptr<const std::string> last_error_;
  const milliseconds interval_;
  bool is_first_read_ = true;
  std::map<std::string, Known> newest_;  ///< by instance
};

}  // namespace

std::unique_ptr<TopSource> HttpTopSource(std::vector<std::string> addresses, HttpAccess access) {
  return std::make_unique<HttpSource>(std::move(addresses), std::move(access));
}

Result<std::unique_ptr<TopSource>> MetricsTopicSource(const config::Config& config) {
  const std::string& topic = config.metrics.topic;
  if (topic.empty()) {
    return MakeError(ErrorCode::kInvalidConfig,
                     "metrics.topic is empty: there is no metrics topic to read");
  }
  // What the clients log would be written into the picture.
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto admin, Admin::Make(config.kafka, {}));
  const auto described = admin->DescribeTopic(topic, kBrokerTimeout);
  if (!described) return tl::unexpected(described.error());
  if (!described->has_value()) {
    return MakeError(ErrorCode::kIo, fmt::format("there is no topic {} (metrics.topic)", topic));
  }
  const auto last_error = std::make_shared<std::string>();
  ClientCallbacks callbacks;
  callbacks.error = [last_error](const BrokerError& error) { *last_error = error.message; };
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto consumer,
                              Consumer::Make(JudgeConsumer(config.kafka), config.kafka, callbacks));
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
      std::make_unique<TopicSource>(std::move(consumer), last_error, config.metrics.interval));
}

}  // namespace crawlsieve::consumer
