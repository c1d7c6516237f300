#include "consumer/pipeline/offset_tracker.h"

#include <algorithm>

namespace crawlsieve::consumer {

std::int64_t OffsetTracker::Take(std::int64_t offset, int acknowledgements) {
  const std::int64_t previous = previous_;
  open_.push_back({offset, acknowledgements});
  previous_ = offset;
  return previous;
}

void OffsetTracker::Rewind(std::int64_t offset, std::int64_t previous) {
  while (!open_.empty() && open_.back().offset >= offset) open_.pop_back();
  previous_ = previous;
}

OffsetTracker::Record* OffsetTracker::Find(std::int64_t offset) {
  const auto found = std::lower_bound(
      open_.begin(), open_.end(), offset,
      [](const Record& record, std::int64_t wanted) { return record.offset < wanted; });
  return found != open_.end() && found->offset == offset ? &*found : nullptr;
}

void OffsetTracker::Expect(std::int64_t offset) {
  if (Record* record = Find(offset)) ++record->missing;
}

void OffsetTracker::Acknowledge(std::int64_t offset) {
  Record* record = Find(offset);
  if (record == nullptr) return;
  --record->missing;
  while (!open_.empty() && open_.front().missing <= 0) {
    done_ = open_.front().offset;
    open_.pop_front();
  }
}

std::optional<std::int64_t> OffsetTracker::Committable() const {
  if (done_ < 0) return std::nullopt;
  return done_ + 1;
}

}  // namespace crawlsieve::consumer
