#pragma once

#include "consumer/kafka/consumer.h"
#include "consumer/service/brokers/contact.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "consumer/service/options.h"
#include "plugin/judge/judge_ends.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace crawlsieve::consumer {

/// The consumer group `<group>.judge` and the admission log, by one Kafka client that is a member.
/// Thread-compatible: for the thread that polls.
class KafkaJudgeGroup final : public JudgeGroup, private LogSource, private RebalanceListener {
 public:
  /// Makes the client and asks for the log's ends once. `options` and `contact` are borrowed.
  /// Errors: kRefused, where the group is another deployment's or the options don't go together.
  [[nodiscard]] static BrokerResult<std::unique_ptr<KafkaJudgeGroup>> Make(
      const KafkaOptions& options, BrokerContact& contact);

  BrokerStatus Join(JudgeMember& member) override;
  BrokerStatus Poll(std::chrono::milliseconds wait) override;
  BrokerResult<std::optional<CommittedPlace>> Committed(std::chrono::milliseconds timeout) override;
  BrokerResult<LogBounds> Bounds(std::chrono::milliseconds timeout) override;
  LogSource& log() override { return *this; }
  BrokerResult<std::unique_ptr<LogSource>> OpenReader() override;
  BrokerStatus Append(const log::Entry& entry) override;
  void OnIdle() override;

  /// Who this member was when the log was assigned to it.
  [[nodiscard]] const GroupMetadata& metadata() const { return metadata_; }

  /// The offset that Committed found last; nullopt where it found none yet.
  [[nodiscard]] std::optional<std::int64_t> last_committed() const { return last_committed_; }

  /// Commits outside of a transaction.
  [[nodiscard]] BrokerStatus Commit(const CommittedPlace& place, std::chrono::milliseconds timeout);

  /// Gives the log back, telling the member, and leaves the group.
  [[nodiscard]] BrokerStatus Close(std::chrono::milliseconds timeout);

 private:
  KafkaJudgeGroup(const KafkaOptions& options, BrokerContact& contact,
                  std::unique_ptr<Consumer> consumer);

  BrokerStatus Seek(std::int64_t offset) override;
  BrokerResult<std::span<const LogRecord>> Read(std::size_t most,
                                                std::chrono::milliseconds wait) override;
  [[nodiscard]] std::optional<std::int64_t> KnownEnd() const override;

  BrokerResult<std::vector<PartitionOffset>> OnAssigned(
      const std::vector<TopicPartition>& partitions) override;
  void OnRevoked(const std::vector<TopicPartition>& partitions) override;
  void OnLost(const std::vector<TopicPartition>& partitions) override;

  const KafkaOptions& options_;
  BrokerContact& contact_;
  const TopicPartition log_;
  JudgeMember* member_ = nullptr;
  GroupMetadata metadata_;
  std::optional<std::int64_t> last_committed_;
  std::unique_ptr<Consumer> consumer_;
  KafkaLogRecords records_;  ///< gone before the client
};

/// `place` as something to commit for the log.
[[nodiscard]] std::vector<PartitionOffset> ToOffsets(const TopicPartition& log,
                                                     const CommittedPlace& place);

}  // namespace crawlsieve::consumer
