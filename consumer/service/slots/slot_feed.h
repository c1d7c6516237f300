#pragma once

#include "consumer/service/slots/changes_source.h"
#include "consumer/service/slots/held_slot.h"
#include "plugin/base/broker_error.h"
#include "plugin/base/error.h"
#include "plugin/log/log_source.h"
#include "plugin/slots/layout.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace crawlsieve::consumer {

/// Gives the changes of the topic to the slots of a process, and sees to it that they are of the
/// same log.
///
///     what comes                                what becomes of it
///     a slot whose place isn't where the feed   the feed goes back to the slot that is least far
///       is
///     the first record that a slot takes up     its end is compared with the log; where the slot
///                                               ends inside of it, the slot's place too
///     a record that goes back behind the one    an error: the topic has records of another log
///       before it
///     a slot that can't take a record up, or    it is given up, alone
///       that is ahead of all records
///
/// Thread-compatible. Borrows everything it is given.
class SlotFeed {
 public:
  SlotFeed(HeldSlots& slots, ChangesSource& changes, LogSource& log)
      : slots_(slots), changes_(changes), log_(log) {}

  /// Takes up what the slots' threads have done: one that has been loaded is fed from now on.
  /// `on_loaded` is called with it. Errors: as ChangesSource::Seek.
  [[nodiscard]] BrokerStatus Poll(const std::function<void(std::uint32_t, HeldSlot&)>& on_loaded);

  /// Begins to write the files of one slot that is due, unless others are being written.
  void WriteIfDue();

  /// Gives out the records that have come; how many. Waits up to `wait` for the first. Errors: as
  /// ChangesSource and LogSource; kRefused, where the topic goes back.
  [[nodiscard]] BrokerResult<std::size_t> Apply(std::size_t most, std::chrono::milliseconds wait);

  /// Whether, since the last slot was loaded, all records were read that there were.
  [[nodiscard]] bool is_caught_up() const { return is_caught_up_; }
  /// Slots that can't go on, and why; they are no longer held.
  [[nodiscard]] const std::map<std::uint32_t, std::string>& given_up() const { return given_up_; }
  void GiveUp(std::uint32_t slot, const Error& error);
  /// Whether the log was read at another place, once.
  [[nodiscard]] bool TakeLogWasRead() { return std::exchange(log_was_read_, false); }

  /// Of the slots that are loaded; nullopt: none is.
  [[nodiscard]] std::optional<std::int64_t> LeastPlace() const;
  [[nodiscard]] std::int64_t GreatestPlace() const;

 private:
  [[nodiscard]] BrokerStatus Seek();
  [[nodiscard]] BrokerStatus CheckGoesOn(const ChangesRecord& record) const;
  /// What speaks against giving the record to the slot; empty: nothing.
  [[nodiscard]] BrokerResult<std::string> Objection(const HeldSlot& held,
                                                    const ChangesRecord& record);
  enum class Found { kSame, kOther, kGone };
  /// Compares a place with the log.
  [[nodiscard]] BrokerResult<Found> Compare(const LogPosition& position);

  HeldSlots& slots_;
  ChangesSource& changes_;
  LogSource& log_;
  bool is_positioned_ = false;     ///< in the topic of changes
  std::optional<SlotPlace> last_;  ///< end of the record that was read last, since then
  bool is_caught_up_ = false;
  bool log_was_read_ = false;
  std::map<std::uint32_t, std::string> given_up_;
};

}  // namespace crawlsieve::consumer
