#pragma once

#include "consumer/migration/seen_verdict.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace crawlsieve::consumer {

/// The partition of an input topic.
using InputPartition = std::pair<std::string, std::int32_t>;

/// Finds how far a deployment that has stopped judged each input partition, of three things: its
/// verdicts, the entries of its log that it hasn't judged, and what its extract group has
/// committed.
///
/// A deployment judges a partition in the order of its offsets. So what it hasn't judged begins
/// behind the record of its latest verdict. Where no verdict is left of a partition (retention took
/// them, or there was none), it begins at the first entry that waits in the log, or else where
/// extraction goes on.
/// Thread-compatible.
class JudgedBounds {
 public:
  /// A verdict that readers may see. In any order: the one of the highest sequence counts, since
  /// offsets begin anew in a topic that is judged anew.
  void SeeVerdict(const InputRecordAt& source, std::uint64_t sequence);

  /// An entry of the log without a verdict, in the order of the log.
  void SeeWaiting(const InputRecordAt& source);

  /// The extract group goes on at `offset`.
  void SeeExtracted(const InputPartition& partition, std::int64_t offset);

  /// The first record without a verdict, of each partition that anything is known of.
  [[nodiscard]] std::map<InputPartition, std::int64_t> Bounds() const;

 private:
  struct Known {
    std::uint64_t sequence = 0;  ///< of the latest verdict
    std::optional<std::int64_t> judged;
    std::optional<std::int64_t> first_waiting;
    std::optional<std::int64_t> extracted;
  };

  std::map<InputPartition, Known> partitions_;
};

}  // namespace crawlsieve::consumer
