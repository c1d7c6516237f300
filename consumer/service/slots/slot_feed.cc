#include "consumer/service/slots/slot_feed.h"

#include "consumer/observability/logging.h"
#include "plugin/base/result.h"
#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kTimeout{10'000};
constexpr milliseconds kReadWait{1'000};
constexpr int kReads = 10;  ///< for one entry of the log

std::int64_t OffsetOf(const HeldSlot& held) { return held.place().position.offset; }

}  // namespace

BrokerStatus SlotFeed::Poll(const std::function<void(std::uint32_t, HeldSlot&)>& on_loaded) {
  bool is_behind = false;
  std::vector<std::pair<std::uint32_t, Error>> failed;
  for (auto& [slot, held] : slots_) {
    auto polled = held->Poll();
    if (!polled) {
      failed.emplace_back(slot, std::move(polled.error()));
      continue;
    }
    if (*polled) {
      given_up_.erase(slot);  // it was given to this process once more
      on_loaded(slot, *held);
      is_behind |= !last_.has_value() || !(held->place() == *last_);
    }
    // While its files are written, a slot's own place stays behind: that is no reason to go back.
    is_behind |= held->is_loaded() && !is_positioned_;
  }
  for (const auto& [slot, error] : failed) GiveUp(slot, error);
  return is_behind && LeastPlace().has_value() ? Seek() : BrokerStatus();
}

void SlotFeed::WriteIfDue() {
  for (auto& [slot, held] : slots_) {
    if (held->is_writing()) return;
  }
  for (auto& [slot, held] : slots_) {
    if (!held->is_loaded()) continue;
    held->WriteIfDue();
    if (held->is_writing()) return;
  }
}

void SlotFeed::GiveUp(std::uint32_t slot, const Error& error) {
  Log(LogLevel::kError, "index.slot_given_up",
      {{"slot", slot},
       {"error", error.message},
       {"meaning",
        "the other slots of this process go on; make the slot's files anew, and start "
        "this process again (docs/slots.md)"}});
  given_up_[slot] = error.message;
  slots_.erase(slot);
}

std::optional<std::int64_t> SlotFeed::LeastPlace() const {
  std::optional<std::int64_t> least;
  for (const auto& [slot, held] : slots_) {
    if (held->is_loaded()) least = std::min(least.value_or(OffsetOf(*held)), OffsetOf(*held));
  }
  return least;
}

std::int64_t SlotFeed::GreatestPlace() const {
  std::int64_t greatest = -1;
  for (const auto& [slot, held] : slots_) {
    if (held->is_loaded()) greatest = std::max(greatest, OffsetOf(*held));
  }
  return greatest;
}

BrokerStatus SlotFeed::Seek() {
  CRAWLSIEVE_RETURN_IF_ERROR(changes_.Seek(*LeastPlace() + 1));
  is_positioned_ = true;
  is_caught_up_ = false;
  last_.reset();
  return {};
}

BrokerResult<std::size_t> SlotFeed::Apply(std::size_t most, milliseconds wait) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto records, changes_.Read(most, wait));
  for (ChangesRecord& record : records) {
    CRAWLSIEVE_RETURN_IF_ERROR(CheckGoesOn(record));
    const auto shared = std::make_shared<const ChangesRecord>(std::move(record));
    std::vector<std::pair<std::uint32_t, Error>> failed;
    for (auto& [slot, held] : slots_) {
      if (!held->is_loaded()) continue;
      CRAWLSIEVE_ASSIGN_OR_RETURN(auto objection, Objection(*held, *shared));
      if (!objection.empty()) {
        failed.emplace_back(slot, Error{ErrorCode::kMismatch, std::move(objection)});
        continue;
      }
      if (shared->after.position.offset > OffsetOf(*held)) held->SetOfLog();
      if (auto applied = held->Apply(shared); !applied) failed.emplace_back(slot, applied.error());
    }
    last_ = shared->after;
    for (const auto& [slot, error] : failed) GiveUp(slot, error);
  }
  // That nothing comes for a while may also be a broker that is slow.
  is_caught_up_ |= changes_.is_at_end();
  return records.size();
}

BrokerStatus SlotFeed::CheckGoesOn(const ChangesRecord& record) const {
  if (!last_.has_value()) return {};
  const std::int64_t before = record.before.position.offset;
  const std::int64_t last = last_->position.offset;
  if (before > last || (before == last && record.before == *last_)) return {};
  return MakeBrokerError(
      ErrorClass::kRefused, ErrorCode::kMismatch,
      fmt::format("the changes go on at offset {} of the log, number {}, behind a record that ends "
                  "at offset {}, number {}: kafka.changes.topic has records of another log. Give "
                  "judge and slots another topic, or delete the records of the log before "
                  "(docs/slots.md)",
                  before, record.before.sequence, last, last_->sequence));
}

BrokerResult<std::string> SlotFeed::Objection(const HeldSlot& held, const ChangesRecord& record) {
  const SlotPlace& place = held.place();
  const std::int64_t at = place.position.offset;
  if (record.after.position.offset <= at) {
    // Once all was read, what comes is new.
    if (record.after.position.offset == at || !is_caught_up_) return std::string();
    return fmt::format(
        "the slot is at offset {} of the log, and the judge at {}: its files are of "
        "another log; remove them, or make them anew (docs/slots.md)",
        at, record.after.position.offset);
  }
  if (held.is_of_log()) return std::string();
  CRAWLSIEVE_ASSIGN_OR_RETURN(Found found, Compare(record.after.position));
  if (found == Found::kOther) {
    return fmt::format(
        "entry {} of the log is another one than the changes name there: they are "
        "of another log (kafka.changes.topic, docs/slots.md)",
        record.after.position.offset);
  }
  if (record.before.position.offset >= at) return std::string();
  // Made of a state that had folded a part of the record.
  if (found == Found::kSame) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(found, Compare(place.position));
  }
  if (found == Found::kSame) return std::string();
  return fmt::format(
      "the slot ends at entry {}, inside a record of changes, and {}: make its "
      "files anew (docs/slots.md)",
      at,
      found == Found::kGone ? "the log no longer has the entries that show whose "
                              "it is"
                            : "the log has another entry there");
}

BrokerResult<SlotFeed::Found> SlotFeed::Compare(const LogPosition& position) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bounds, log_.Bounds(kTimeout));
  if (position.offset < bounds.low) return Found::kGone;
  if (position.offset >= bounds.high) return Found::kOther;
  log_was_read_ = true;
  CRAWLSIEVE_RETURN_IF_ERROR(log_.Seek(position.offset));
  for (int read = 0; read < kReads; ++read) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto records, log_.Read(1, kReadWait));
    if (records.empty()) continue;
    const bool is_same = records.front().offset == position.offset &&
                         ToBytes(RawChecksum(records.front().value)) == position.entry_checksum;
    return is_same ? Found::kSame : Found::kOther;
  }
  return MakeBrokerError(ErrorClass::kRetriable,
                         fmt::format("entry {} of the log doesn't come", position.offset));
}

}  // namespace crawlsieve::consumer
