#include "consumer/migration/judged_bounds.h"

namespace crawlsieve::consumer {

void JudgedBounds::SeeVerdict(const InputRecordAt& source, std::uint64_t sequence) {
  Known& known = partitions_[{source.topic, source.partition}];
  if (known.judged.has_value() && sequence < known.sequence) return;
  known.sequence = sequence;
  known.judged = source.offset;
}

void JudgedBounds::SeeWaiting(const InputRecordAt& source) {
  Known& known = partitions_[{source.topic, source.partition}];
  if (!known.first_waiting.has_value()) known.first_waiting = source.offset;
}

void JudgedBounds::SeeExtracted(const InputPartition& partition, std::int64_t offset) {
  partitions_[partition].extracted = offset;
}

std::map<InputPartition, std::int64_t> JudgedBounds::Bounds() const {
  std::map<InputPartition, std::int64_t> bounds;
  for (const auto& [partition, known] : partitions_) {
    const auto first = known.first_waiting.has_value() ? known.first_waiting : known.extracted;
    bounds[partition] = known.judged.has_value() ? *known.judged + 1 : *first;
  }
  return bounds;
}

}  // namespace crawlsieve::consumer
