#pragma once

#include "plugin/base/result.h"
#include "plugin/index/hamming_index.h"
#include "plugin/judge/detector.h"
#include "plugin/log/log_reader.h"
#include "plugin/slots/candidates_record.h"
#include "plugin/slots/changes_record.h"
#include "plugin/slots/layout.h"
#include "plugin/verdict/parameters.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace crawlsieve {

/// One slot of the index: follows what the judge publishes of changes, and answers entries of the
/// log ahead of it.
///
/// Operation: Apply whatever comes of changes; Answer the entries from next() on. What an answer
/// says is true whenever and however often it is sent, for it names the place that it is of.
///
/// Thread-compatible.
class SlotMachine {
 public:
  struct Options {
    SlotLayout layout;
    std::uint32_t slot = 0;
    IndexFactory make_index;
    /// Candidates in an answer at most, unless it was asked for again; 0: 18 more than are compared
    /// with a page, which leaves room for 16 that were retired meanwhile.
    std::uint32_t limit = 0;
    std::int64_t window = kSlotWindow;
    std::size_t record_bytes = std::size_t{256} << 10;  ///< about the longest record
  };

  /// What a slot holds at a place; what its file is made of.
  struct State {
    SlotPlace place;
    std::optional<JudgeParameters> parameters;
  };

  /// An empty slot, before the first entry. Errors: of make_index.
  [[nodiscard]] static Result<SlotMachine> Make(Options options);

  /// A slot with these documents, given in the order of snapshots; `count` of them. Errors:
  /// kMismatch where one isn't the slot's, or is later than the place; of make_index.
  [[nodiscard]] static Result<SlotMachine> Make(Options options, State state, std::uint64_t count,
                                                const EntrySource& documents);

  /// Takes up a record of the topic of changes. One from before its place changes nothing, and what
  /// changed is the same in all layouts. Errors: kMismatch: of another scheme, or it doesn't follow
  /// what the slot has. The slot is as before then.
  [[nodiscard]] Status Apply(const ChangesRecord& record);
  /// The same of its bytes. Errors: also kCorruption, kInvalidInput (see ChangesRecord::Parse).
  [[nodiscard]] Status Apply(std::string_view record);

  /// Offset of the entry to be answered next; it may also go back.
  [[nodiscard]] std::int64_t next() const { return next_; }
  /// Whether it is to be answered now, not only when more changes have come.
  [[nodiscard]] bool may_answer() const {
    return !other_layout_.has_value() && next_ <= state_.place.position.offset + window();
  }
  /// The layout that the judge has, where the last record said that it is another one than this
  /// slot's. It is none that the judge could take answers of.
  [[nodiscard]] const std::optional<SlotLayout>& other_layout() const { return other_layout_; }

  /// Answers entries, which begin at next() and follow each other, as far as one record goes. It
  /// may have no answers, since not every entry is looked up; next() says how far it went. Errors:
  /// kMismatch: rules or a scheme that this process doesn't have; of make_index.
  [[nodiscard]] Result<CandidatesRecord> Answer(std::span<const LogItem> entries);

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const SlotLayout& layout() const { return options_.layout; }
  [[nodiscard]] std::uint32_t slot() const { return options_.slot; }
  [[nodiscard]] const HammingIndex& index() const { return *index_; }
  [[nodiscard]] const LookupWork& work() const { return work_; }

 private:
  /// Where answering goes on once what was asked for is answered.
  struct Resume {
    std::int64_t next = 0;
    std::optional<JudgeParameters> parameters;
  };

  explicit SlotMachine(Options options) : options_(std::move(options)) {}
  [[nodiscard]] std::int64_t window() const { return options_.window; }
  [[nodiscard]] Status EnsureReach(int max_distance);
  [[nodiscard]] Status CheckFollows(const ChangesRecord& record) const;
  void GoTo(std::uint32_t ask);
  [[nodiscard]] Status TakeParameters(const log::Parameters& parameters);
  void LookUp(const log::Page& page, std::int64_t offset, CandidatesRecord& record);
  void EndOfAsked();

  Options options_;
  State state_;
  std::optional<SlotLayout> other_layout_;
  std::unique_ptr<HammingIndex> index_;
  std::int64_t next_ = 0;
  std::optional<JudgeParameters> parameters_;  ///< in force for the entry at next_
  std::int64_t asked_until_ = 0;
  std::optional<Resume> resume_;
  std::vector<Match> matches_;
  std::size_t answer_bytes_ = 0;  ///< of the record that is being made, about
  LookupWork work_;
};

}  // namespace crawlsieve
