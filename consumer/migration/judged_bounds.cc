#include "consumer/migration/judged_bounds.h"

#include <algorithm>

namespace crawlsieve::consumer {

JudgedBounds::Known* JudgedBounds::KnownOf(const log::Source& source) {
  if (source.topic().empty() || source.is_position()) return nullptr;
  Known& known = partitions_[{source.topic(), source.partition()}];
  if (source.generation() < known.generation) return nullptr;
  if (source.generation() > known.generation) {
    known.generation = source.generation();
    known.judged.reset();
    known.first_waiting.reset();
  }
  return &known;
}

void JudgedBounds::SeeJudged(const log::Source& source) {
  Known* const known = KnownOf(source);
  if (known != nullptr) known->judged = std::max(known->judged.value_or(-1), source.offset());
}

void JudgedBounds::SeeWaiting(const log::Source& source) {
  Known* const known = KnownOf(source);
  if (known != nullptr && !known->first_waiting.has_value()) {
    known->first_waiting = source.offset();
  }
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
