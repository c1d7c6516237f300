#pragma once

#include "consumer/migration/seen_verdict.h"
#include "plugin/log/entry.pb.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace crawlsieve::consumer {

/// The partition of an input topic.
using InputPartition = std::pair<std::string, std::int32_t>;

/// Finds how far a deployment that has stopped judged each input partition: of its log, and of what
/// its extract group has committed.
///
/// A deployment judges a partition in the order of its offsets, but for repairs of losses. So what
/// it hasn't judged begins behind the highest offset that it has judged. Entries of a higher
/// generation are of a topic whose offsets were set back: they alone count. Of a partition that the
/// log says nothing of, it begins where extraction goes on.
/// Thread-compatible.
class JudgedBounds {
 public:
  /// An entry of the log that has been judged, in any order. Those without a source are passed
  /// over.
  void SeeJudged(const log::Source& source);

  /// An entry of the log that hasn't been judged, in the order of the log.
  void SeeWaiting(const log::Source& source);

  /// The extract group goes on at `offset`.
  void SeeExtracted(const InputPartition& partition, std::int64_t offset);

  /// The first record without a verdict, of each partition that anything is known of.
  [[nodiscard]] std::map<InputPartition, std::int64_t> Bounds() const;

 private:
  struct Known {
    std::uint32_t generation = 0;
    std::optional<std::int64_t> judged;         ///< highest offset, of the generation
    std::optional<std::int64_t> first_waiting;  ///< of the generation
    std::optional<std::int64_t> extracted;
  };

  /// nullptr: the source is of none, or of an earlier generation.
  [[nodiscard]] Known* KnownOf(const log::Source& source);

  std::map<InputPartition, Known> partitions_;
};

}  // namespace crawlsieve::consumer
