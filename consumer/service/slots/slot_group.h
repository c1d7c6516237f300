#pragma once

#include "consumer/kafka/consumer.h"
#include "consumer/service/brokers/contact.h"
#include "consumer/service/options.h"
#include "plugin/base/broker_error.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace crawlsieve::consumer {

/// Membership in a group that shares out the slots of the index: a partition of the topic of
/// candidates is a slot. Nothing is read. Thread-compatible: for the thread that polls.
class SlotGroup final : private RebalanceListener {
 public:
  /// Makes the client and joins. `process`: the name by which it has the same slots after a
  /// restart; may be empty. `options` and `contact` are borrowed. Errors: kRefused, where
  /// the group is another deployment's or the options don't go together.
  [[nodiscard]] static BrokerResult<std::unique_ptr<SlotGroup>> Make(const KafkaOptions& options,
                                                                     const std::string& process,
                                                                     BrokerContact& contact);

  /// Serves the membership, waiting up to `wait` for something to happen. Errors: as
  /// Consumer::Poll, less kRetriable.
  [[nodiscard]] BrokerStatus Poll(std::chrono::milliseconds wait);

  /// The slots that this member was given last; nullopt before the first time. Those that were
  /// taken away stay until others are given: an answer more does no harm.
  [[nodiscard]] const std::optional<std::set<std::uint32_t>>& slots() const { return slots_; }

  [[nodiscard]] Consumer& consumer() { return *consumer_; }

  /// Leaves the group.
  [[nodiscard]] BrokerStatus Close(std::chrono::milliseconds timeout);

 private:
  SlotGroup(const KafkaOptions& options, std::unique_ptr<Consumer> consumer)
      : options_(options), consumer_(std::move(consumer)) {}

  BrokerResult<std::vector<PartitionOffset>> OnAssigned(
      const std::vector<TopicPartition>& partitions) override;
  void OnRevoked(const std::vector<TopicPartition>& /*partitions*/) override {}
  void OnLost(const std::vector<TopicPartition>& /*partitions*/) override {}

  const KafkaOptions& options_;
  std::optional<std::set<std::uint32_t>> slots_;
  std::unique_ptr<Consumer> consumer_;
};

}  // namespace crawlsieve::consumer
