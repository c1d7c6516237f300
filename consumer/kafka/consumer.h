#pragma once

#include "consumer/kafka/client.h"
#include "consumer/kafka/config.h"
#include "consumer/kafka/consumed_record.h"
#include "consumer/kafka/record.h"
#include "plugin/base/broker_error.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct rd_kafka_consumer_group_metadata_s;
struct rd_kafka_topic_partition_list_s;

namespace crawlsieve::consumer {

/// Who this consumer is in its group, and in which generation. What is committed with it counts
/// only while that generation lasts: take it when partitions are assigned, and never commit older
/// work with a newer one.
struct DestroyGroupMetadata {
  void operator()(rd_kafka_consumer_group_metadata_s* metadata) const;
};
using GroupMetadata = std::unique_ptr<rd_kafka_consumer_group_metadata_s, DestroyGroupMetadata>;

/// Told of partitions that come and go. Called on the thread that polls, inside Poll and Close;
/// time spent here counts for max.poll.interval.ms. All partitions go before new ones come.
class RebalanceListener {
 public:
  virtual ~RebalanceListener() = default;

  /// These partitions are this member's from now on. Returns where each is to be read from; one
  /// that is left out is not read. An error: none is read, and Poll returns the error.
  [[nodiscard]] virtual BrokerResult<std::vector<PartitionOffset>> OnAssigned(
      const std::vector<TopicPartition>& partitions) = 0;

  /// They are about to be given to another member: last moment to commit what was done. Such a
  /// commit is refused (kAbortable) if the group did not wait for this member's poll.
  virtual void OnRevoked(const std::vector<TopicPartition>& partitions) = 0;

  /// They were given away already (the session or the poll interval ran out). Commit nothing.
  virtual void OnLost(const std::vector<TopicPartition>& partitions) = 0;
};

struct Watermarks {
  std::int64_t low = 0;   ///< offset of the oldest record
  std::int64_t high = 0;  ///< offset after the newest that a read_committed reader may see
};

/// Reads topics, as a member of a group (Subscribe) or by itself (Assign).
///
/// Offsets of a partition only ever rise from one Poll to the next, but for Seek: what librdkafka
/// delivers again (its issues 4637, 4686) is dropped and counted.
/// Thread-compatible; one thread polls, and polls at least every max.poll.interval.ms.
class Consumer {
 public:
  /// Returns at once; whether brokers are there shows later. Errors: kInvalidConfig.
  [[nodiscard]] static Result<std::unique_ptr<Consumer>> Make(const ClientRecipe& recipe,
                                                              const KafkaClientOptions& options,
                                                              ClientCallbacks callbacks);

  /// Leaves the group without telling the listener, as Close would within a few seconds.
  ~Consumer();

  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  /// Joins the group; goes on in Poll. `listener` is called until Close has returned.
  [[nodiscard]] BrokerStatus Subscribe(const std::vector<std::string>& topics,
                                       RebalanceListener& listener);

  /// Reads exactly these partitions, from these offsets or kOffsetBeginning, kOffsetEnd, whoever
  /// else reads them. Not together with Subscribe.
  [[nodiscard]] BrokerStatus Assign(const std::vector<PartitionOffset>& partitions);

  /// The next record, or nullopt when there is none within `timeout`. Serves all callbacks.
  /// Errors: kRetriable (poll again), kAbortable (polled too late: partitions were lost), kRefused
  /// (missing topic, no permission, the offset no longer exists), kFenced, kFatal.
  [[nodiscard]] BrokerResult<std::optional<ConsumedRecord>> Poll(std::chrono::milliseconds timeout);

  /// Stops delivery until Resume; what was fetched ahead is thrown away. Partitions that are not
  /// assigned are left out.
  [[nodiscard]] BrokerStatus Pause(const std::vector<TopicPartition>& partitions);
  /// Takes up again those of `partitions` that are paused.
  [[nodiscard]] BrokerStatus Resume(const std::vector<TopicPartition>& partitions);

  /// Goes on reading an assigned partition at `target`. After kRetriable the place is unknown: call
  /// again.
  [[nodiscard]] BrokerStatus Seek(const PartitionOffset& target, std::chrono::milliseconds timeout);

  /// Commits and waits for the answer. Errors: kRetriable (also when no answer came: committing
  /// the same again is harmless), kAbortable (the partitions are another member's), kFenced...
  [[nodiscard]] BrokerStatus Commit(const std::vector<PartitionOffset>& offsets,
                                    std::chrono::milliseconds timeout);

  /// Commits without waiting; `done` is called inside a later Poll or Close, if it comes to that.
  [[nodiscard]] BrokerStatus CommitAsync(const std::vector<PartitionOffset>& offsets,
                                         std::function<void(const BrokerStatus&)> done);

  /// What the group has committed for each partition, in their order; nullopt where nothing is.
  /// Waits, within `timeout`, for offsets in a transaction that is still open.
  [[nodiscard]] BrokerResult<std::vector<std::optional<std::int64_t>>> Committed(
      const std::vector<TopicPartition>& partitions, std::chrono::milliseconds timeout);

  /// The same with the metadata that was committed besides.
  [[nodiscard]] BrokerResult<std::vector<std::optional<PartitionOffset>>> CommittedPlaces(
      const std::vector<TopicPartition>& partitions, std::chrono::milliseconds timeout);

  /// Asks the broker that leads the partition, for one end after the other. A consumer that fetches
  /// from that broker may wait for as long as it lets a fetch wait, for each. Errors: kRetriable
  /// (none answered in time)...
  [[nodiscard]] BrokerResult<Watermarks> QueryWatermarks(const TopicPartition& partition,
                                                         std::chrono::milliseconds timeout);
  /// The high one of them.
  [[nodiscard]] BrokerResult<std::int64_t> QueryEnd(const TopicPartition& partition,
                                                    std::chrono::milliseconds timeout);
  /// As of the last fetch, without asking; nullopt before the first one.
  [[nodiscard]] std::optional<Watermarks> CachedWatermarks(const TopicPartition& partition) const;

  /// Offset of the record that Poll returns next at the earliest; nullopt before the first one of
  /// an assignment that began at no number (kOffsetBeginning), or when it is not assigned.
  [[nodiscard]] std::optional<std::int64_t> Position(const TopicPartition& partition) const;

  /// Whether the broker has said, behind the record that was returned last, that there is no other.
  /// Only of a recipe that asks for it (enable.partition.eof); false again with the next record.
  [[nodiscard]] bool IsAtEnd(const TopicPartition& partition) const;

  [[nodiscard]] std::vector<TopicPartition> Assignment() const;

  [[nodiscard]] BrokerResult<GroupMetadata> CurrentGroupMetadata() const;

  /// Gives the partitions back (OnRevoked) and leaves the group. Errors: kRetriable when that took
  /// longer than `timeout`; the group then finds out by the session timeout. Nothing but the
  /// destructor may follow.
  [[nodiscard]] BrokerStatus Close(std::chrono::milliseconds timeout);

 private:
  struct PartitionState {
    std::int64_t next = 0;  ///< negative: a logical offset, nothing is read yet
    bool paused = false;
    bool is_at_end = false;
  };
  /// By topic, so that the look-up for each record copies no topic name.
  using PartitionStates =
      std::map<std::string, std::map<std::int32_t, PartitionState>, std::less<>>;

  Consumer() = default;

  void Rebalance(std::int32_t event, rd_kafka_topic_partition_list_s& partitions);
  void AssignAll(const std::vector<TopicPartition>& partitions);
  void UnassignAll();
  void FinishCommit(std::uintptr_t number, const BrokerStatus& status);
  /// The offset that `end` stands for, which is kOffsetBeginning or kOffsetEnd.
  [[nodiscard]] BrokerResult<std::int64_t> QueryOffset(
      const PartitionOffset& end, std::chrono::steady_clock::time_point deadline);
  [[nodiscard]] BrokerStatus SetPaused(const std::vector<TopicPartition>& partitions, bool paused);
  [[nodiscard]] const PartitionState* FindState(std::string_view topic,
                                                std::int32_t partition) const;
  [[nodiscard]] PartitionState* FindState(std::string_view topic, std::int32_t partition);

  std::unique_ptr<Client> client_;
  RebalanceListener* listener_ = nullptr;
  PartitionStates states_;
  std::optional<BrokerError> rebalance_error_;
  /// Commits without an answer yet, by their number.
  std::map<std::uintptr_t, std::function<void(const BrokerStatus&)>> pending_commits_;
  std::uintptr_t next_commit_ = 0;
  bool closed_ = false;
  bool is_leader_in_doubt_ = false;  ///< of the partition that was asked for last
};

}  // namespace crawlsieve::consumer
