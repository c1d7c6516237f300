#pragma once

#include "consumer/kafka/producer.h"
#include "consumer/observability/metrics.h"
#include "consumer/service/brokers/contact.h"
#include "consumer/service/judge/kafka_judge_group.h"
#include "consumer/service/judge/kept_pages.h"
#include "consumer/service/judge/rendered_topics.h"
#include "consumer/service/options.h"
#include "plugin/judge/judge_ends.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// The topics of verdicts, kept pages, scores, sites and changes of the index. With exactly_once a
/// batch is a Kafka transaction under the id `<group>.judge`, which holds the group's place too;
/// with at_least_once verdicts are waited for, and the place is committed after the state. Borrows
/// everything it is given. Thread-compatible.
class KafkaVerdictSink final : public VerdictSink {
 public:
  /// `kept_bytes`: what a record of the topic of kept pages may have.
  KafkaVerdictSink(const KafkaOptions& options, std::uint64_t kept_bytes, std::string instance,
                   KafkaJudgeGroup& group, BrokerContact& contact, Metrics& metrics);

  BrokerStatus Fence() override;
  BrokerStatus Poll() override;
  BrokerStatus Begin() override;
  BrokerStatus Publish(const log::Page& page, const Verdict& verdict) override;
  [[nodiscard]] bool is_full() const override;
  [[nodiscard]] bool takes_scores() const override { return TakesScores(options_); }
  BrokerStatus PublishScores(std::span<const UrlScore> scores) override;
  BrokerStatus PublishAnswer(const log::Question& question, const UrlScore& answer) override;
  [[nodiscard]] bool takes_sites() const override { return !options_.site_topic.empty(); }
  BrokerStatus PublishSites(std::span<const SiteNews> news) override;
  BrokerStatus PublishChanges(std::string_view record) override;
  BrokerStatus Commit(const CommittedPlace& place) override;
  BrokerStatus Acknowledge(const CommittedPlace& place) override;
  void Close() override;

 private:
  /// What of the open batch is counted once it is there.
  struct Batch {
    std::chrono::steady_clock::time_point begin;
    std::uint64_t scores = 0;
    std::uint64_t rendered_scores = 0;
    std::uint64_t site_records = 0;
    std::uint64_t kept_records = 0;
    std::uint64_t kept_bytes = 0;
    std::uint64_t kept_missing = 0;
    std::string first_missing{};  ///< of these, for the log
  };

  [[nodiscard]] BrokerStatus PublishKept(const log::Page& page, const Verdict& verdict);
  [[nodiscard]] BrokerStatus PublishRendered(const UrlScore& score);
  void Report(const Batch& batch);
  [[nodiscard]] BrokerStatus CommitTransaction(const CommittedPlace& place);
  [[nodiscard]] BrokerStatus Flush();
  [[nodiscard]] BrokerStatus Produce(const RecordView& record);

  const KafkaOptions& options_;
  const std::string instance_;
  KafkaJudgeGroup& group_;
  BrokerContact& contact_;
  Metrics& metrics_;
  const bool is_exactly_once_;
  std::optional<BrokerError> delivery_failure_;
  std::unique_ptr<Producer> producer_;
  KeptPages kept_;
  const RenderedTopics rendered_;
  Batch batch_;
};

}  // namespace crawlsieve::consumer
