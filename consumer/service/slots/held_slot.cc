#include "consumer/service/slots/held_slot.h"

#include "plugin/slots/slot_file.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace crawlsieve::consumer {
namespace {

template <typename T>
bool IsReady(const std::future<T>& future) {
  return future.valid() && future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

HeldSlot::HeldSlot(SlotMachine::Options options, std::filesystem::path directory,
                   std::uint64_t file_entries, std::uint64_t lead)
    : directory_(std::move(directory)), file_entries_(file_entries), lead_(lead) {
  loading_ = std::async(std::launch::async, [directory = directory_, options = std::move(options)] {
    return LoadSlot(directory, options);
  });
}

Result<bool> HeldSlot::Poll() {
  if (IsReady(writing_)) {
    written_ = writing_.get();
    // Where it failed, too: a full disk is tried again after as many entries.
    file_offset_ = machine_->state().place.position.offset;
    CRAWLSIEVE_RETURN_IF_ERROR(ApplyWaiting());
  }
  if (!IsReady(loading_)) return false;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto loaded, loading_.get());
  machine_ = std::make_unique<SlotMachine>(std::move(loaded));
  file_offset_ = machine_->state().place.position.offset - static_cast<std::int64_t>(lead_);
  return true;
}

Status HeldSlot::ApplyWaiting() {
  for (; !waiting_.empty(); waiting_.pop_front()) {
    CRAWLSIEVE_RETURN_IF_ERROR(machine_->Apply(*waiting_.front()));
  }
  return {};
}

Status HeldSlot::Apply(const std::shared_ptr<const ChangesRecord>& record) {
  if (!writing_.valid()) return machine_->Apply(*record);
  // What it has already changes nothing, and would seem to set it back.
  if (record->after.position.offset < place().position.offset) return {};
  waiting_.push_back(record);
  return {};
}

Result<CandidatesRecord> HeldSlot::Answer(std::span<const LogItem> entries) {
  if (writing_.valid()) {
    // They may ask for a wider index, and this one is being read.
    const auto parameters = std::ranges::find_if(entries, [](const LogItem& item) {
      return item.entry != nullptr && item.entry->has_parameters();
    });
    entries = entries.first(static_cast<std::size_t>(parameters - entries.begin()));
  }
  return machine_->Answer(entries);
}

void HeldSlot::WriteIfDue() {
  const std::int64_t at = machine_->state().place.position.offset;
  if (file_entries_ == 0 || writing_.valid() ||
      at - file_offset_ < static_cast<std::int64_t>(file_entries_)) {
    return;
  }
  // Reads what only Apply changes.
  writing_ = std::async(std::launch::async, [directory = directory_, machine = machine_.get()] {
    return SlotFile::Write(directory, *machine);
  });
}

Status HeldSlot::WriteNow() {
  if (machine_ == nullptr || file_entries_ == 0) return {};
  if (writing_.valid()) {
    CRAWLSIEVE_RETURN_IF_ERROR(writing_.get());
  }
  CRAWLSIEVE_RETURN_IF_ERROR(ApplyWaiting());
  return SlotFile::Write(directory_, *machine_);
}

std::optional<Status> HeldSlot::TakeWritten() { return std::exchange(written_, std::nullopt); }

}  // namespace crawlsieve::consumer
