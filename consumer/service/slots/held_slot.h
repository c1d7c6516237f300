#pragma once

#include "plugin/base/result.h"
#include "plugin/log/log_reader.h"
#include "plugin/slots/candidates_record.h"
#include "plugin/slots/changes_record.h"
#include "plugin/slots/slot_machine.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace crawlsieve::consumer {

/// A slot that this process holds, with its files. They are loaded and written on a thread of its
/// own; while they are written, changes wait, and entries are still answered.
///
/// Thread-compatible. The end waits for that thread.
class HeldSlot {
 public:
  /// Begins to load what is in `directory`. `file_entries`: from one writing to the next; 0: none
  /// are written. The first comes `lead` entries sooner.
  HeldSlot(SlotMachine::Options options, std::filesystem::path directory,
           std::uint64_t file_entries, std::uint64_t lead = 0);

  /// Takes up what that thread has done. Whether the slot is loaded now and wasn't before. Errors
  /// of loading: as LoadSlot.
  [[nodiscard]] Result<bool> Poll();

  [[nodiscard]] bool is_loaded() const { return machine_ != nullptr; }
  /// The next is only for a slot that is loaded.
  [[nodiscard]] const SlotMachine& machine() const { return *machine_; }

  /// Where it is with all changes that it was given, also those that wait.
  [[nodiscard]] const SlotPlace& place() const {
    return waiting_.empty() ? machine_->state().place : waiting_.back()->after;
  }

  /// Whether its place was compared with the log.
  [[nodiscard]] bool is_of_log() const { return is_of_log_; }
  void SetOfLog() { is_of_log_ = true; }

  /// Takes up changes, now or once its files are written. Errors: as SlotMachine::Apply.
  [[nodiscard]] Status Apply(const std::shared_ptr<const ChangesRecord>& record);

  /// Whether it has entries to answer from machine().next() on.
  [[nodiscard]] bool may_answer() const { return machine_->may_answer(); }

  /// As SlotMachine::Answer; it may stop sooner.
  [[nodiscard]] Result<CandidatesRecord> Answer(std::span<const LogItem> entries);

  /// Begins to write its files, if it is time to. An error is in the next `written`.
  void WriteIfDue();
  [[nodiscard]] bool is_writing() const { return writing_.valid(); }

  /// Writes its files now, after those that are being written. Errors: kIo.
  [[nodiscard]] Status WriteNow();

  /// What became of a writing that has ended, once.
  [[nodiscard]] std::optional<Status> TakeWritten();

 private:
  [[nodiscard]] Status ApplyWaiting();

  const std::filesystem::path directory_;
  const std::uint64_t file_entries_;
  const std::uint64_t lead_;
  bool is_of_log_ = false;
  std::unique_ptr<SlotMachine> machine_;
  std::int64_t file_offset_ = -1;  ///< of the last writing
  std::future<Result<SlotMachine>> loading_;
  std::future<Status> writing_;
  std::deque<std::shared_ptr<const ChangesRecord>> waiting_;  ///< while it is written
  std::optional<Status> written_;
};

/// The slots that a process holds, by number.
using HeldSlots = std::map<std::uint32_t, std::unique_ptr<HeldSlot>>;

}  // namespace crawlsieve::consumer
