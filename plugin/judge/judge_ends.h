#pragma once

#include "plugin/base/broker_error.h"
#include "plugin/judge/detector.h"
#include "plugin/judge/site_report.h"
#include "plugin/log/entry.pb.h"
#include "plugin/log/log_source.h"
#include "plugin/score/url_score.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/verdict.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

// What the judge's machine works between: a fold below it, the group and its log on one side, the
// verdicts on the other, and somebody who is told. All thread-compatible; the machine calls each of
// them on the thread that steps it.

namespace crawlsieve {

/// How far the judges' group is done with the log. This is committed together with the verdicts.
struct CommittedPlace {
  std::int64_t offset = 0;  ///< of the first entry without a verdict
  /// RawChecksum of the entry before it, in hexadecimal digits; empty where it isn't known. With
  /// another entry there, the log lost its end and went on.
  std::string entry_checksum;

  friend bool operator==(const CommittedPlace&, const CommittedPlace&) = default;
};

/// The deterministic fold that the machine drives, with its state: see Detector.
class JudgeFold {
 public:
  virtual ~JudgeFold() = default;
  virtual void ReadAheadFor(std::span<const log::Entry> entries, Purpose purpose) = 0;
  [[nodiscard]] virtual Result<Folded> Fold(const log::Entry& entry) = 0;
  /// Of the page that was folded last. It and entries that are folded then live until TakeScores.
  virtual void WantScores(const log::Page& page, const Verdict& verdict) = 0;
  /// Of each page since the last call.
  [[nodiscard]] virtual Result<std::vector<std::vector<UrlScore>>> TakeScores() = 0;
  /// The question was folded last.
  [[nodiscard]] virtual Result<UrlScore> AnswerTo(const log::Question& question) = 0;
  /// By the page that was folded last.
  [[nodiscard]] virtual Result<std::vector<SiteNews>> NewsOfSites() = 0;
  [[nodiscard]] virtual Status Commit(const LogPosition& position) = 0;
  virtual void Discard() = 0;
  [[nodiscard]] virtual const LogPosition& position() const = 0;
  [[nodiscard]] virtual const std::optional<JudgeParameters>& parameters() const = 0;
  [[nodiscard]] virtual std::uint32_t fold_version() const = 0;
  /// With the index in slots: what was folded since the last Commit, up to `position`, as a record
  /// for them, which asks them to answer the next `ask` entries once more.
  [[nodiscard]] virtual std::string ChangesUpTo(const LogPosition& /*position*/,
                                                std::uint32_t /*ask*/) const {
    return {};
  }
  /// About how long that record is.
  [[nodiscard]] virtual std::size_t changes_bytes() const { return 0; }
};

/// The detector as a fold. Borrows it.
class DetectorFold : public JudgeFold {
 public:
  explicit DetectorFold(Detector& detector) : detector_(detector) {}

  void ReadAheadFor(std::span<const log::Entry> entries, Purpose purpose) override {
    detector_.ReadAheadFor(entries, kReadThreads, purpose);
  }
  Result<Folded> Fold(const log::Entry& entry) override { return detector_.Fold(entry); }
  void WantScores(const log::Page& page, const Verdict& verdict) override {
    detector_.WantScores(page, verdict);
  }
  Result<std::vector<std::vector<UrlScore>>> TakeScores() override {
    return detector_.TakeScores(std::clamp(std::thread::hardware_concurrency(), 1U, kScoreThreads));
  }
  Result<UrlScore> AnswerTo(const log::Question& question) override {
    return detector_.AnswerTo(question);
  }
  Result<std::vector<SiteNews>> NewsOfSites() override { return detector_.NewsOfSites(); }
  Status Commit(const LogPosition& position) override { return detector_.Commit(position); }
  void Discard() override { detector_.Discard(); }
  [[nodiscard]] const LogPosition& position() const override { return detector_.position(); }
  [[nodiscard]] const std::optional<JudgeParameters>& parameters() const override {
    return detector_.parameters();
  }
  [[nodiscard]] std::uint32_t fold_version() const override { return detector_.fold_version(); }

 protected:
  [[nodiscard]] const Detector& detector() const { return detector_; }

 private:
  /// Read-ahead threads, including the caller. More than cores: reads that miss the page cache wait
  /// for the disk, which serves several at once.
  static constexpr std::size_t kReadThreads = 8;
  /// Threads that make scores, the caller included. They hardly wait: one for each core, and each
  /// keeps sites in memory.
  static constexpr unsigned kScoreThreads = 8;

  Detector& detector_;
};

/// Told by the group, inside its Poll and inside Read of its log, whose turn it is to judge.
class JudgeMember {
 public:
  virtual ~JudgeMember() = default;

  /// The log is this member's from now on. Returns where its reader begins; the machine seeks the
  /// right place later.
  [[nodiscard]] virtual BrokerResult<std::int64_t> OnAssigned() = 0;
  /// The log is about to be given to another member: last moment to commit.
  virtual void OnRevoked() = 0;
  /// It was given away already. Nothing may be committed.
  virtual void OnLost() = 0;
};

/// The judges' group with its log.
class JudgeGroup {
 public:
  virtual ~JudgeGroup() = default;

  /// Becomes a member. `member` is told of the log from then on, until the group is closed.
  [[nodiscard]] virtual BrokerStatus Join(JudgeMember& member) = 0;

  /// Serves the membership, waiting up to `wait` for something to happen. Reads nothing.
  [[nodiscard]] virtual BrokerStatus Poll(std::chrono::milliseconds wait) = 0;

  /// How far the group is done; nullopt: it has committed nothing. Waits for a transaction that is
  /// still open to be decided.
  [[nodiscard]] virtual BrokerResult<std::optional<CommittedPlace>> Committed(
      std::chrono::milliseconds timeout) = 0;

  [[nodiscard]] virtual BrokerResult<LogBounds> Bounds(std::chrono::milliseconds timeout) = 0;

  /// The log as the assigned member reads it; Read serves the membership too. Nothing comes from it
  /// between an assignment and the first Seek.
  [[nodiscard]] virtual LogSource& log() = 0;

  /// A reader of the log beside the group.
  [[nodiscard]] virtual BrokerResult<std::unique_ptr<LogSource>> OpenReader() = 0;

  /// Puts an entry at the end of the log, and waits until it is there.
  [[nodiscard]] virtual BrokerStatus Append(const log::Entry& entry) = 0;

  /// There is nothing to judge just now: time to see whether brokers still answer.
  virtual void OnIdle() {}
};

/// The index, where it is in slots of other processes. The fold has a CandidateSource that knows
/// what comes from here.
class JudgeSlots {
 public:
  virtual ~JudgeSlots() = default;

  /// The machine is about to judge: from here on answers are taken that are sent from now on.
  [[nodiscard]] virtual BrokerStatus Open() = 0;
  /// No more answers are needed.
  virtual void Close() = 0;
  /// Takes the answers that have come; waits up to `wait` for the first one. Whether any says
  /// something new.
  [[nodiscard]] virtual BrokerResult<bool> Poll(std::chrono::milliseconds wait) = 0;
  /// Whether all slots have answered for the entry that the fold couldn't take last, only not with
  /// candidates enough.
  [[nodiscard]] virtual bool lacks_depth() const = 0;
  /// Tells the fold which candidates were recorded with the verdicts of the entries from `offset`
  /// on, some at least. Returns the first offset that it says nothing of; `offset`, where the
  /// records haven't come yet. Errors: also kRefused, where there are none of that entry.
  [[nodiscard]] virtual BrokerResult<std::int64_t> Recall(std::int64_t offset) = 0;
  /// The entry at `position` was folded by what Recall told. Whether a record ends with it: before
  /// that, nobody knows that the record is of this log, and the state must not take up what was
  /// folded. Errors: kRefused, where the record names another entry there.
  [[nodiscard]] virtual BrokerResult<bool> Confirm(const LogPosition& position) = 0;
};

/// Where verdicts go: in transactions that also hold the group's place, or (at least once) one by
/// one.
///
/// Operation: Fence, then Begin, Publish..., Commit, and Acknowledge once the state has taken the
/// batch up; Begin again. After any error, and at any time, Close drops what is open.
///
///     outcome      what it means                              what the machine does
///     done         all of it is there, for good               commits the state
///     kRetriable   the sink's own time for repeating is over  discards; begins again
///     kAbortable   none of it is there                        discards; begins again
///     kFenced      another judge took over; none of it is     discards; begins again, as a standby
///     kFatal       all of it is there, or none                discards; begins again where the
///                                                             committed place says
///     kRefused     none of it is there                        discards and ends
class VerdictSink {
 public:
  virtual ~VerdictSink() = default;

  /// Ends what the judge before this one may still do: nothing that it has not committed by the
  /// time this returns will ever be there (exactly once).
  [[nodiscard]] virtual BrokerStatus Fence() = 0;
  /// Serves callbacks; an error where something that was published can't be written.
  [[nodiscard]] virtual BrokerStatus Poll() = 0;
  [[nodiscard]] virtual BrokerStatus Begin() = 0;
  [[nodiscard]] virtual BrokerStatus Publish(const log::Page& page, const Verdict& verdict) = 0;
  /// Whether what was published since Begin is as much as a batch may hold: to be committed before
  /// more is published.
  [[nodiscard]] virtual bool is_full() const { return false; }
  /// Whether it takes scores. They are made only if it does.
  [[nodiscard]] virtual bool takes_scores() const { return false; }
  /// Publishes the scores that come with a page's verdict, which was published before; so may
  /// verdicts of later pages be.
  [[nodiscard]] virtual BrokerStatus PublishScores(std::span<const UrlScore> /*scores*/) {
    return {};
  }
  /// Publishes the answer to a question. Only a sink that takes scores is asked to.
  [[nodiscard]] virtual BrokerStatus PublishAnswer(const log::Question& /*question*/,
                                                   const UrlScore& /*answer*/) {
    return {};
  }
  /// Whether it takes news of sites. They are made only if it does.
  [[nodiscard]] virtual bool takes_sites() const { return false; }
  /// Publishes what became known of sites with the entry before.
  [[nodiscard]] virtual BrokerStatus PublishSites(std::span<const SiteNews> /*news*/) { return {}; }
  /// Publishes what the batch changes in the index, once for each that is committed.
  [[nodiscard]] virtual BrokerStatus PublishChanges(std::string_view /*record*/) { return {}; }
  /// Makes what was published since Begin visible, exactly once together with `place`.
  [[nodiscard]] virtual BrokerStatus Commit(const CommittedPlace& place) = 0;
  /// The state has taken the batch up (at least once: the group learns of the place now).
  [[nodiscard]] virtual BrokerStatus Acknowledge(const CommittedPlace& place) = 0;
  /// Drops what is open. Fence may follow.
  virtual void Close() = 0;
};

/// The states of JudgeMachine.
enum class JudgeState {
  kCreated,
  kWarming,    ///< folds what was published before it joins the group
  kStandby,    ///< a member; another one judges, and this one folds what that one publishes
  kRestoring,  ///< assigned: fences the judge before it, then folds up to the committed place
  kLive,       ///< judges: folds, publishes, commits
  kClosed,     ///< ended: nothing is open
};

/// How far a reader of the log is.
struct LogProgress {
  std::int64_t next = 0;            ///< offset of the entry to be read next
  std::optional<std::int64_t> end;  ///< the high-water mark, where it is known
  Timestamp last;                   ///< of the entry folded last, as the log's record has it
};

/// Is told what the machine does. For metrics and the process's log; nothing depends on it but
/// that an error of those that return a Status ends the machine.
class JudgeObserver {
 public:
  virtual ~JudgeObserver() = default;

  /// `published`: the log has been judged up to there, as far as the machine knows.
  [[nodiscard]] virtual Status OnMove(JudgeState /*from*/, JudgeState /*to*/,
                                      std::int64_t /*published*/) {
    return {};
  }
  /// The judge before this one is fenced; the entries from `from` up to `to` are folded next.
  virtual void OnRestoring(std::int64_t /*from*/, std::int64_t /*to*/) {}
  /// `kafka.log.skip` names the entry at `offset`; `entry` is empty where its bytes are none.
  virtual void OnSkipped(std::int64_t /*offset*/, const log::Entry* /*entry*/, bool /*is_live*/) {}
  /// An entry was judged; its verdict or answer, if there is one, is in the open batch.
  virtual void OnJudged(const log::Entry& /*entry*/, const Folded& /*folded*/,
                        std::chrono::steady_clock::duration /*took*/) {}
  /// A batch is published and in the state.
  [[nodiscard]] virtual Status OnPublished(const LogProgress& /*progress*/) { return {}; }
  /// What OnJudged told since the last OnPublished didn't happen.
  virtual void OnDiscarded() {}
  /// A piece of what was published before is in the state.
  virtual void OnReplayed(const LogProgress& /*progress*/) {}
  /// Slots are asked once more for the next entries; `lacks_depth`: because they had more
  /// candidates near them than they named, else because some haven't answered. `is_again`: for the
  /// entry that they were asked for last, so that was in vain.
  virtual void OnAsked(bool /*lacks_depth*/, bool /*is_again*/) {}
  /// This process's judging parameters were put at the end of the log.
  virtual void OnParametersAppended() {}
};

}  // namespace crawlsieve
