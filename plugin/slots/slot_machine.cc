#include "plugin/slots/slot_machine.h"

#include "plugin/index/filler.h"
#include "plugin/judge/finding.h"
#include "plugin/judge/page.h"
#include "plugin/judge/parameters_entry.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

/// Candidates beyond those that are compared: two as ReachOf has them, and 16 in place of documents
/// that are retired before the judge reads the answer.
constexpr std::uint32_t kSpare = 18;

}  // namespace

Result<SlotMachine> SlotMachine::Make(Options options) {
  return Make(std::move(options), {}, 0, [](std::vector<IndexEntry>&) { return false; });
}

Result<SlotMachine> SlotMachine::Make(Options options, State state, std::uint64_t count,
                                      const EntrySource& documents) {
  SlotMachine machine(std::move(options));
  machine.state_ = std::move(state);
  machine.parameters_ = machine.state_.parameters;
  machine.next_ = machine.state_.place.position.offset + 1;
  const int reach = machine.parameters_ ? static_cast<int>(machine.parameters_->max_distance) : 0;
  CRAWLSIEVE_ASSIGN_OR_RETURN(machine.index_, machine.options_.make_index(reach));
  if (count > 0) machine.index_->Reserve(count, DocId{machine.state_.place.sequence});
  IndexFiller filler(*machine.index_);
  std::vector<IndexEntry> entries;
  while (documents(entries)) {
    for (const IndexEntry& entry : entries) {
      if (entry.document.sequence > machine.state_.place.sequence ||
          machine.layout().SlotOf(entry.document) != machine.slot()) {
        return MakeError(
            ErrorCode::kMismatch,
            fmt::format("document {} isn't of slot {} at number {} ({})", entry.document.sequence,
                        machine.slot(), machine.state_.place.sequence, machine.layout().Name()));
      }
    }
    filler.Add(entries);
  }
  filler.Finish();
  return machine;
}

Status SlotMachine::EnsureReach(int max_distance) {
  if (max_distance <= index_->max_distance()) return {};
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto wider, options_.make_index(max_distance));
  wider->Reserve(index_->Stats().fingerprints, DocId{state_.place.sequence});
  IndexFiller filler(*wider);
  const EntrySource source = index_->Entries();
  std::vector<IndexEntry> entries;
  while (source(entries)) filler.Add(entries);
  filler.Finish();
  index_ = std::move(wider);
  return {};
}

Status SlotMachine::CheckFollows(const ChangesRecord& record) const {
  if (record.layout.scheme != layout().scheme) {
    return MakeError(
        ErrorCode::kMismatch,
        fmt::format("the topic of changes is of scheme {}, slot {} is of {}: the deployments "
                    "differ in the key of the fingerprints or in what pages are reduced to",
                    record.layout.scheme, slot(), layout().scheme));
  }
  const SlotPlace& place = state_.place;
  const std::int64_t at = place.position.offset;
  // Made of a state that had folded a part of the record: taking all of it comes to the same.
  const bool is_inside = record.before.position.offset < at && at < record.after.position.offset &&
                         record.before.sequence <= place.sequence &&
                         place.sequence <= record.after.sequence;
  if (record.before == place || is_inside) return {};
  return MakeError(
      ErrorCode::kMismatch,
      fmt::format("slot {} is at offset {} of the log, number {}, and the changes go on at offset "
                  "{}, number {}{}: make the slot's file anew (docs/slots.md)",
                  slot(), at, place.sequence, record.before.position.offset, record.before.sequence,
                  record.before.position.offset == at ? ", behind another entry" : ""));
}

Status SlotMachine::Apply(std::string_view bytes) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto record, ChangesRecord::Parse(bytes));
  return Apply(record);
}

Status SlotMachine::Apply(const ChangesRecord& record) {
  const std::int64_t at = state_.place.position.offset;
  const bool only_asks = record.before == record.after;
  // From before this place. Whether the next record follows shows when it comes.
  const bool is_past =
      record.after.position.offset < at || (record.after == state_.place && !only_asks);
  if (!is_past || record.layout.scheme != layout().scheme) {
    CRAWLSIEVE_RETURN_IF_ERROR(CheckFollows(record));
  }
  other_layout_.reset();
  if (record.layout != layout()) other_layout_ = record.layout;
  if (is_past) return {};
  if (record.parameters.has_value()) {
    CRAWLSIEVE_RETURN_IF_ERROR(EnsureReach(static_cast<int>(record.parameters->max_distance)));
  }
  std::vector<IndexEntry> mine;
  std::ranges::copy_if(record.inserted, std::back_inserter(mine), [this](const IndexEntry& entry) {
    return layout().SlotOf(entry.document) == slot();
  });
  index_->InsertAll(mine, 1);
  for (const IndexEntry& entry : record.retired) index_->Remove(entry.fingerprint, entry.document);
  state_ = {record.after, record.parameters};
  GoTo(record.ask);
  return {};
}

/// Entries that are judged need no answers; those that are asked for are answered first.
void SlotMachine::GoTo(std::uint32_t ask) {
  const std::int64_t first = state_.place.position.offset + 1;
  if (resume_.has_value() && resume_->next <= first) resume_.reset();
  if (ask == 0) {
    if (next_ >= first) return;
  } else if (ask == ChangesRecord::kAskAll) {
    resume_.reset();
  } else {
    if (!resume_.has_value() && next_ > first) resume_ = Resume{next_, parameters_};
    asked_until_ = first + ask;
  }
  next_ = first;
  parameters_ = state_.parameters;
}

Status SlotMachine::TakeParameters(const log::Parameters& parameters) {
  CRAWLSIEVE_RETURN_IF_ERROR(CheckFoldVersion(parameters));
  if (parameters.scheme() != layout().scheme) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("the admission log is of scheme {}, slot {} of {}",
                                 parameters.scheme(), slot(), layout().scheme));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(parameters_, ParametersOf(parameters));
  return EnsureReach(static_cast<int>(parameters_->max_distance));
}

void SlotMachine::LookUp(const log::Page& page, std::int64_t offset, CandidatesRecord& record) {
  const PageTraits traits = TraitsOf(page);
  if (!traits.is_text || page.scheme() != layout().scheme ||
      ReasonWithoutComparison(page, traits, *parameters_).has_value()) {
    return;
  }
  const bool is_asked = offset < asked_until_;
  const std::size_t full = std::size_t{parameters_->max_candidates} + kSpare;
  const std::size_t limit = options_.limit == 0 || is_asked ? full : options_.limit;
  SlotAnswer& answer = record.answers.emplace_back();
  answer.offset = offset;
  answer.query = InIndex(page.simhash(), ScopeOf(page, parameters_->scope));
  index_->Find(answer.query, record.max_distance, limit + 1, matches_, &work_);
  answer.is_cut = matches_.size() > limit;
  if (answer.is_cut) matches_.resize(limit);
  for (const Match& match : matches_) {
    answer.candidates.push_back({match.document, static_cast<std::uint8_t>(match.distance)});
  }
  constexpr std::size_t kOfAnswer = 14;
  constexpr std::size_t kOfCandidate = 7;
  answer_bytes_ += kOfAnswer + kOfCandidate * answer.candidates.size();
}

void SlotMachine::EndOfAsked() {
  if (!resume_.has_value() || (next_ < asked_until_ && next_ < resume_->next)) return;
  if (next_ < resume_->next) {
    next_ = resume_->next;
    parameters_ = std::move(resume_->parameters);
  }
  resume_.reset();
}

Result<CandidatesRecord> SlotMachine::Answer(std::span<const LogItem> entries) {
  CandidatesRecord record;
  record.layout = layout();
  record.slot = slot();
  record.place = state_.place;
  record.first = next_;
  record.max_distance = parameters_ ? static_cast<int>(parameters_->max_distance) : 0;
  answer_bytes_ = 0;
  for (const LogItem& item : entries) {
    if (item.offset != next_ || !may_answer() || answer_bytes_ >= options_.record_bytes) break;
    if (!item.is_skipped && item.entry != nullptr) {
      if (item.entry->has_parameters()) {
        // One record has one distance.
        if (!record.answers.empty()) break;
        CRAWLSIEVE_RETURN_IF_ERROR(TakeParameters(item.entry->parameters()));
        record.max_distance = static_cast<int>(parameters_->max_distance);
      } else if (item.entry->has_page() && parameters_.has_value()) {
        LookUp(item.entry->page(), item.offset, record);
      }
    }
    ++next_;
    if (resume_.has_value()) {
      EndOfAsked();
      if (!resume_.has_value()) break;
    }
  }
  return record;
}

}  // namespace crawlsieve
