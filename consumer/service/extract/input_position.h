#pragma once

#include "consumer/kafka/consumer.h"
#include "consumer/service/options.h"
#include "plugin/base/broker_error.h"
#include "plugin/base/timestamp.h"
#include "plugin/judge/mark.h"
#include "plugin/log/entry.pb.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace crawlsieve::consumer {

/// Where the assignment of an input partition begins, and what is known of the records before.
struct InputBegin {
  std::int64_t first = 0;      ///< offset of the first record to be taken, at least
  std::int64_t previous = -1;  ///< what the first entry names as the offset before it
  bool is_unclaimed = false;   ///< the group had committed nothing
  /// Where to read from: `first`; or the record before it, to check that it is the one that the
  /// group processed; or kOffsetBeginning.
  std::int64_t read_from = 0;
  Timestamp last_read;                ///< of the record at `first` - 1; the epoch: unknown
  std::optional<OffsetRange> unread;  ///< deleted from the topic before the group had read them
};

/// Errors: kRefused if the group is ahead of the topic's end: the topic was recreated, or lost
/// records.
[[nodiscard]] BrokerResult<InputBegin> BeginAt(const KafkaOptions& options,
                                               const TopicPartition& partition,
                                               const std::optional<PartitionOffset>& committed,
                                               const Watermarks& watermarks);

/// Checks, by its time, that the record in front of `begin.first` is the one that the group
/// processed.
/// Errors: kRefused if it is another one: the topic was recreated.
[[nodiscard]] BrokerStatus CheckLastRead(const KafkaOptions& options,
                                         const TopicPartition& partition, const InputBegin& begin,
                                         std::int64_t offset, Timestamp timestamp);

/// The entry that tells the judge how far the group was done with the partition: where the log has
/// lost entries below, no later record may come that shows it. nullopt: the group had committed
/// nothing.
[[nodiscard]] std::optional<log::Entry> PositionEntry(const KafkaOptions& options,
                                                      const TopicPartition& partition,
                                                      const InputBegin& begin,
                                                      const std::string& scheme);

/// Times of the records that were taken. The time of the last processed one is committed with the
/// group's offset. Thread-compatible.
class CommittedTimes {
 public:
  /// Offsets must ascend.
  void Take(std::int64_t offset, Timestamp timestamp) { times_.emplace_back(offset, timestamp); }

  /// Forgets the records from `offset` on, which will be taken again.
  void Rewind(std::int64_t offset);

  /// The metadata for committing `offset`. Forgets the records below the one before it.
  [[nodiscard]] std::string MetadataFor(std::int64_t offset);

 private:
  std::deque<std::pair<std::int64_t, Timestamp>> times_;
};

}  // namespace crawlsieve::consumer
