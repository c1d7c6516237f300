#include "consumer/service/slots/changes_recall.h"

#include "plugin/base/result.h"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kWait{50};
/// Records of changes are visible as soon as the offset that was committed with them, or nearly.
constexpr milliseconds kPatience{10'000};
constexpr milliseconds kPause{1'000};
constexpr std::size_t kMostAtOnce = 16;

}  // namespace

BrokerStatus ChangesRecall::Begin(std::int64_t offset) {
  CRAWLSIEVE_RETURN_IF_ERROR(changes_.Seek(offset));
  from_ = until_ = offset;
  return {};
}

BrokerResult<std::int64_t> ChangesRecall::Recall(std::int64_t offset) {
  if (from_ <= offset && offset < until_) return until_;
  if (offset != until_) {
    CRAWLSIEVE_RETURN_IF_ERROR(Begin(offset));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto records, changes_.Read(kMostAtOnce, kWait));
  const auto now = now_();
  // A standby asks only while it is behind.
  if (!records.empty() || now - called_ >= kPause) {
    since_ = now;
    is_last_look_ = false;
  }
  called_ = now;
  for (const ChangesRecord& record : records) {
    if (record.after.position.offset < until_) continue;
    if (record.before.position.offset >= until_) return NothingOf(until_);
    if (auto recalled = replies_.Recall(record); !recalled) {
      return FinalError(std::move(recalled.error()));
    }
    until_ = record.after.position.offset + 1;
  }
  if (until_ > offset || now - since_ < kPatience) return until_;
  // Only a broker knows that there is nothing: one that answers now.
  if (!is_last_look_) {
    CRAWLSIEVE_RETURN_IF_ERROR(Begin(offset));
    is_last_look_ = true;
    return until_;
  }
  if (changes_.is_at_end()) return NothingOf(offset);
  return until_;
}

tl::unexpected<BrokerError> ChangesRecall::NothingOf(std::int64_t offset) const {
  return MakeBrokerError(
      ErrorClass::kRefused, ErrorCode::kMismatch,
      fmt::format("entry {} of the log has a verdict, and topic {} has no record of it: the judge "
                  "that gave it had no slots, or the record was deleted. Start once with "
                  "index.slots: 0, until this state is past that entry, and stop, or restore a "
                  "checkpoint that is past it (docs/slots.md)",
                  offset, topic_));
}

}  // namespace crawlsieve::consumer
