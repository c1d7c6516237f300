#include "plugin/judge/judge_machine.h"

#include "plugin/base/hex.h"
#include "plugin/base/result.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/judge/start.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskTimeout{10'000};
constexpr milliseconds kFollowTimeout{2'000};
constexpr milliseconds kIdlePoll{100};
/// An entry that waits for slots for so long is parked.
constexpr milliseconds kHoldLimit{1'000};
/// Slots are asked again when an entry has waited for so long, and at most as often.
constexpr milliseconds kAskAfter{2'000};
/// Entries that are answered anew where candidates lacked: those behind it may be alike.
constexpr std::uint32_t kAskForDepth = 32;
/// As ChangesRecord::kAskAll.
constexpr std::uint32_t kAskAll = ~std::uint32_t{0};
/// A record of changes has about so many bytes at most, and those of one entry more.
constexpr std::size_t kMostChangesBytes = std::size_t{512} << 10;

BrokerStatus Final(Status status) {
  if (status) return {};
  return FinalError(std::move(status.error()));
}

}  // namespace

JudgeMachine::JudgeMachine(Options options, Ends ends, std::optional<std::int64_t>& seen_gap)
    : options_(std::move(options)), ends_(ends), seen_gap_(seen_gap) {}

bool JudgeMachine::MayMove(JudgeState from, JudgeState to) {
  using enum JudgeState;
  switch (to) {
    case kCreated:
      return false;
    case kWarming:
      return from == kCreated;
    case kStandby:
      return from == kWarming || from == kRestoring || from == kLive;
    case kRestoring:
      return from == kStandby;
    case kLive:
      return from == kRestoring;
    case kClosed:
      return from != kClosed;
  }
  return false;
}

BrokerStatus JudgeMachine::MoveTo(JudgeState state) {
  const JudgeState from = state_;
  if (!MayMove(from, state)) {
    return MakeBrokerError(ErrorClass::kFatal, ErrorCode::kInternal,
                           fmt::format("the judge may not move from state {} to {}",
                                       static_cast<int>(from), static_cast<int>(state)));
  }
  state_ = state;
  return Final(ends_.observer.OnMove(from, state, published_));
}

BrokerStatus JudgeMachine::Step() {
  BrokerStatus worked = Work();
  if (worked && failure_.has_value()) worked = tl::unexpected(*failure_);
  if (!worked) Close();
  return worked;
}

BrokerStatus JudgeMachine::Work() {
  switch (state_) {
    case JudgeState::kCreated:
      return MoveTo(JudgeState::kWarming);
    case JudgeState::kWarming:
    case JudgeState::kStandby:
      return Follow();
    case JudgeState::kRestoring:
      return Restore();
    case JudgeState::kLive:
      return JudgeSome();
    case JudgeState::kClosed:
      break;
  }
  return MakeBrokerError(ErrorClass::kFatal, ErrorCode::kInternal, "the judge has ended");
}

BrokerStatus JudgeMachine::Finish() {
  BrokerStatus finished = failure_.has_value() ? tl::unexpected(*failure_) : CommitBatch();
  if (!finished) Close();
  return finished;
}

void JudgeMachine::Close() {
  if (state_ == JudgeState::kClosed) return;
  Discard();
  replay_.reset();
  live_.reset();
  if (ends_.slots != nullptr) ends_.slots->Close();
  ends_.sink.Close();
  (void)MoveTo(JudgeState::kClosed);
}

void JudgeMachine::Discard() {
  ends_.fold.Discard();
  batch_ = Batch();
  wanted_scores_ = {};
  hold_.reset();
  is_begun_ = false;
  ends_.observer.OnDiscarded();
}

// --- The group -----------------------------------------------------------------------------------

BrokerResult<std::int64_t> JudgeMachine::OnAssigned() {
  CRAWLSIEVE_RETURN_IF_ERROR(MoveTo(JudgeState::kRestoring));
  return published_;
}

void JudgeMachine::OnRevoked() {
  if (auto committed = CommitBatch(); !committed) failure_ = committed.error();
  StepBack();
}

void JudgeMachine::OnLost() { StepBack(); }

void JudgeMachine::StepBack() {
  if (state_ != JudgeState::kRestoring && state_ != JudgeState::kLive) return;
  Discard();
  replay_.reset();
  is_fenced_off_ = false;
  if (ends_.slots != nullptr) ends_.slots->Close();
  ends_.sink.Close();
  if (auto moved = MoveTo(JudgeState::kStandby); !moved && !failure_) failure_ = moved.error();
}

// --- Following and restoring ---------------------------------------------------------------------

/// Folds what the active judge has published for good, and no more. Joins the group only when it
/// has caught up, so that the group never waits for a judge that has yet to fold a long log.
BrokerStatus JudgeMachine::Follow() {
  const bool is_behind = next_ < published_;
  auto polled = ends_.group.Poll(is_behind ? milliseconds(0) : kIdlePoll);
  if (!polled && polled.error().error_class != ErrorClass::kRetriable) return polled;
  if (state_ != JudgeState::kWarming && state_ != JudgeState::kStandby) return {};
  if (!is_behind) {
    // An outage is waited out; what was published before it stays true.
    auto asked = AskPublished(kFollowTimeout);
    if (!asked && !asked.error().may_pass()) return asked;
  }
  CRAWLSIEVE_RETURN_IF_ERROR(ReplaySome());
  if (state_ == JudgeState::kStandby || next_ < published_) return {};
  CRAWLSIEVE_RETURN_IF_ERROR(ends_.group.Join(*this));
  return MoveTo(JudgeState::kStandby);
}

/// One piece of the restore; the group is polled between pieces.
BrokerStatus JudgeMachine::Restore() {
  auto polled = ends_.group.Poll(milliseconds(0));
  if (!polled && polled.error().error_class != ErrorClass::kRetriable) return polled;
  if (state_ != JudgeState::kRestoring) return {};
  if (!is_fenced_off_) {
    CRAWLSIEVE_RETURN_IF_ERROR(Fence());
  }
  CRAWLSIEVE_RETURN_IF_ERROR(ReplaySome());
  return next_ < published_ ? BrokerStatus() : GoLive();
}

/// Only after the judge before this one is fenced the committed place can't change any more.
BrokerStatus JudgeMachine::Fence() {
  CRAWLSIEVE_RETURN_IF_ERROR(ends_.sink.Fence());
  CRAWLSIEVE_RETURN_IF_ERROR(AskPublished(kAskTimeout));
  is_fenced_off_ = true;
  ends_.observer.OnRestoring(next_, published_);
  return {};
}

/// Up to where the log has been judged, and whether it is the log of this state.
BrokerStatus JudgeMachine::AskPublished(milliseconds timeout) {
  // In this order: what is committed lies before the end that is asked for after it.
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto committed, ends_.group.Committed(timeout));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bounds, ends_.group.Bounds(timeout));
  StartFacts facts{options_.log.topic, options_.group, ends_.fold.position().offset,
                   std::nullopt,       bounds,         options_.is_exactly_once};
  if (committed.has_value()) {
    facts.committed = committed->offset;
    committed_ = std::move(*committed);
  }
  auto published = FirstToPublish(facts);
  if (!published) return FinalError(std::move(published.error()));
  published_ = *published;
  log_is_empty_ = bounds.high == 0;
  return {};
}

/// Begins with the last folded entry: that one is read again, to see that this is still the same
/// log.
BrokerStatus JudgeMachine::OpenReplay() {
  next_ = std::max<std::int64_t>(0, ends_.fold.position().offset);
  if (next_ >= published_) return {};
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto source, ends_.group.OpenReader());
  LogReader reader(options_.log, *source, seen_gap_);
  CRAWLSIEVE_RETURN_IF_ERROR(reader.Begin(next_));
  replay_ = std::make_unique<Replay>(Replay{std::move(source), std::move(reader)});
  return {};
}

/// Folds a piece of what was published before, without publishing it again.
BrokerStatus JudgeMachine::ReplaySome() {
  if (replay_ == nullptr) {
    CRAWLSIEVE_RETURN_IF_ERROR(OpenReplay());
  }
  if (replay_ == nullptr || next_ >= published_) return {};
  LogReader& reader = replay_->reader;
  std::int64_t end = published_;
  if (ends_.slots != nullptr) {
    const std::int64_t first = std::max(next_, ends_.fold.position().offset + 1);
    if (first < end) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto recalled, ends_.slots->Recall(first));
      end = std::min(end, recalled);
    }
  }
  if (next_ >= end) return {};
  const auto left = static_cast<std::size_t>(end - next_);
  CRAWLSIEVE_RETURN_IF_ERROR(reader.Fetch(left, kIdlePoll));
  ends_.fold.ReadAheadFor(reader.fetched(), Purpose::kVerdicts);
  while (true) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto item, reader.Take());
    if (!item.has_value()) break;
    next_ = reader.next();
    CRAWLSIEVE_RETURN_IF_ERROR(ReplayItem(*item));
    // Batches end where records do, so that they don't grow without end.
    if (batch_.entries >= options_.commit_entries && ends_.slots != nullptr) {
      CRAWLSIEVE_RETURN_IF_ERROR(CommitReplayed());
    }
  }
  return CommitReplayed();
}

/// Adds what was replayed to the state, unless it ends inside a record of changes.
BrokerStatus JudgeMachine::CommitReplayed() {
  if (batch_.entries == 0 || !batch_.is_confirmed) return {};
  CRAWLSIEVE_RETURN_IF_ERROR(CommitState());
  ends_.observer.OnReplayed(ProgressOf(*replay_->source));
  return {};
}

BrokerStatus JudgeMachine::ReplayItem(const LogItem& item) {
  const LogPosition& position = ends_.fold.position();
  if (item.offset == position.offset && batch_.entries == 0) {
    if (ToBytes(RawChecksum(item.value)) == position.entry_checksum) return {};
    return MakeBrokerError(
        ErrorClass::kRefused, ErrorCode::kMismatch,
        fmt::format("entry {} of log {} is not the one that the state folded there: the log was "
                    "recreated, or the state belongs to another. Start with an empty state "
                    "directory",
                    item.offset, options_.log.topic));
  }
  CRAWLSIEVE_RETURN_IF_ERROR(CheckCommitted(item));
  CRAWLSIEVE_RETURN_IF_ERROR(FoldItem(item));
  if (ends_.slots == nullptr) return {};
  CRAWLSIEVE_ASSIGN_OR_RETURN(batch_.is_confirmed, ends_.slots->Confirm(batch_.position));
  return {};
}

/// What is committed with the group's offset is the checksum of the entry before it. Another one
/// there is an entry that nobody has judged: the log lost its end, and went on.
BrokerStatus JudgeMachine::CheckCommitted(const LogItem& item) const {
  if (!committed_.has_value() || item.offset != committed_->offset - 1 ||
      committed_->entry_checksum.empty() ||
      committed_->entry_checksum == Hex(RawChecksum(item.value))) {
    return {};
  }
  return MakeBrokerError(
      ErrorClass::kRefused, ErrorCode::kMismatch,
      fmt::format("entry {} of log {} is not the one that group {} was done with there: the log "
                  "lost entries and went on. What it holds now from somewhere before that offset "
                  "has no verdict. docs/reliability.md, \"When the log lost entries\"",
                  item.offset, options_.log.topic, options_.group));
}

BrokerStatus JudgeMachine::GoLive() {
  replay_.reset();
  if (batch_.entries > 0) {
    return MakeBrokerError(
        ErrorClass::kRefused, ErrorCode::kMismatch,
        fmt::format("group {} is done with log {} up to offset {}, and no record of changes ends "
                    "there: kafka.changes.topic has records of another log (docs/slots.md)",
                    options_.group, options_.log.topic, published_));
  }
  // Before the log's own first entry is folded nothing may be added to it: it may be of another
  // scheme. JudgeItem compares the parameters again when it meets them.
  const bool is_read = log_is_empty_ || ends_.fold.parameters().has_value();
  if (is_read && !HasOurParameters()) {
    CRAWLSIEVE_RETURN_IF_ERROR(AppendParameters());
  }
  if (ends_.slots != nullptr) {
    CRAWLSIEVE_RETURN_IF_ERROR(ends_.slots->Open());
  }
  asked_.reset();
  held_at_ = asked_for_depth_ = asked_for_ = -1;
  live_ = std::make_unique<LogReader>(options_.log, ends_.group.log(), seen_gap_);
  CRAWLSIEVE_RETURN_IF_ERROR(live_->Begin(published_));
  next_ = published_;
  return MoveTo(JudgeState::kLive);
}

/// Whether what is in force is what this process would have, by the newest rules it has.
bool JudgeMachine::HasOurParameters() const {
  return ends_.fold.parameters() == options_.parameters &&
         ends_.fold.fold_version() >= kFoldVersion;
}

/// Puts this process's judging parameters at the end of the log. They take effect for the entries
/// behind them, here as in every replay.
BrokerStatus JudgeMachine::AppendParameters() {
  parameters_appended_ = true;
  auto appended = ends_.group.Append(ParametersEntry(options_.parameters, options_.scheme));
  if (appended) ends_.observer.OnParametersAppended();
  return appended;
}

// --- Live ----------------------------------------------------------------------------------------

BrokerStatus JudgeMachine::JudgeSome() {
  CRAWLSIEVE_RETURN_IF_ERROR(ends_.sink.Poll());
  if (hold_.has_value()) return JudgeHeld();
  CRAWLSIEVE_RETURN_IF_ERROR(live_->Fetch(options_.commit_entries - batch_.entries, TimeLeft()));
  // What was taken when a rebalance came is another judge's now, or read again after the restore.
  if (state_ != JudgeState::kLive) return {};
  if (ends_.slots != nullptr) {
    CRAWLSIEVE_RETURN_IF_ERROR(ends_.slots->Poll(milliseconds(0)));
  }
  ends_.fold.ReadAheadFor(live_->fetched(), ends_.sink.takes_scores() ? Purpose::kVerdictsAndScores
                                                                      : Purpose::kVerdicts);
  return JudgeFetched();
}

BrokerStatus JudgeMachine::JudgeFetched() {
  while (!hold_.has_value()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto item, live_->Take());
    if (!item.has_value()) break;
    next_ = live_->next();
    CRAWLSIEVE_RETURN_IF_ERROR(JudgeItem(*item));
    // One transaction has one record of changes, and a record has a largest size.
    if (ends_.sink.is_full() || ends_.fold.changes_bytes() >= kMostChangesBytes) {
      CRAWLSIEVE_RETURN_IF_ERROR(CommitBatch());
    }
  }
  // What was fetched goes with the next that is.
  CRAWLSIEVE_RETURN_IF_ERROR(PublishScores());
  return CommitOrAsk();
}

/// Tries the entry that waits once more, if there is something new.
BrokerStatus JudgeMachine::JudgeHeld() {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_new, ends_.slots->Poll(TimeLeft()));
  if (hold_->is_parked || options_.now() - hold_->since >= kHoldLimit) {
    CRAWLSIEVE_RETURN_IF_ERROR(Park());
    if (state_ != JudgeState::kLive || !is_new) return CommitOrAsk();
    // It is read again, with what follows it.
    CRAWLSIEVE_RETURN_IF_ERROR(live_->Begin(hold_->item.offset));
    hold_.reset();
    return {};
  }
  if (!is_new) return CommitOrAsk();
  const LogItem item = std::exchange(hold_, std::nullopt)->item;
  next_ = item.offset + 1;
  CRAWLSIEVE_RETURN_IF_ERROR(JudgeItem(item));
  return JudgeFetched();
}

BrokerStatus JudgeMachine::Park() {
  hold_->is_parked = true;
  auto polled = ends_.group.Poll(milliseconds(0));
  if (!polled && polled.error().error_class != ErrorClass::kRetriable) return polled;
  ends_.group.OnIdle();
  return {};
}

BrokerStatus JudgeMachine::CommitOrAsk() {
  if (state_ != JudgeState::kLive) return {};
  if (hold_.has_value()) {
    const auto now = options_.now();
    const bool lacks_depth = ends_.slots->lacks_depth();
    // What was answered before this judge had its turn was not heard.
    const bool is_due = !asked_.has_value() ||
                        (now - *asked_ >= kAskAfter && now - held_since_ >= kAskAfter) ||
                        (lacks_depth && asked_for_depth_ != hold_->item.offset);
    if (is_due) {
      asked_ = now;
      if (lacks_depth) asked_for_depth_ = hold_->item.offset;
      const bool is_again = std::exchange(asked_for_, hold_->item.offset) == hold_->item.offset;
      ends_.observer.OnAsked(lacks_depth, is_again);
      return CommitBatch(lacks_depth ? kAskForDepth : kAskAll);
    }
  }
  if (batch_.entries == 0) {
    ends_.group.OnIdle();
    return {};
  }
  const bool is_full = batch_.entries >= options_.commit_entries;
  return is_full || TimeLeft() == milliseconds(0) ? CommitBatch() : BrokerStatus();
}

/// Until the open batch is to be committed.
milliseconds JudgeMachine::TimeLeft() const {
  if (batch_.entries == 0) return kIdlePoll;
  const auto end = batch_.begin + options_.commit_interval;
  const auto left = std::chrono::duration_cast<milliseconds>(end - options_.now());
  return std::clamp(left, milliseconds(0), kIdlePoll);
}

BrokerStatus JudgeMachine::Begin() {
  CRAWLSIEVE_RETURN_IF_ERROR(ends_.sink.Begin());
  is_begun_ = true;
  return {};
}

BrokerStatus JudgeMachine::Publish(const log::Page& page, const Verdict& verdict) {
  CRAWLSIEVE_RETURN_IF_ERROR(ends_.sink.Publish(page, verdict));
  if (!ends_.sink.takes_scores()) return {};
  ends_.fold.WantScores(page, verdict);
  wanted_scores_.Add(page);
  return wanted_scores_.is_full() ? PublishScores() : BrokerStatus();
}

BrokerStatus JudgeMachine::PublishScores() {
  if (std::exchange(wanted_scores_, {}).empty()) return {};
  const auto scores = ends_.fold.TakeScores();
  if (!scores) return Final(tl::unexpected(scores.error()));
  for (const std::vector<UrlScore>& of_page : *scores) {
    CRAWLSIEVE_RETURN_IF_ERROR(ends_.sink.PublishScores(of_page));
  }
  return {};
}

BrokerStatus JudgeMachine::PublishSites() {
  if (!ends_.sink.takes_sites()) return {};
  const auto news = ends_.fold.NewsOfSites();
  if (!news) return Final(tl::unexpected(news.error()));
  return news->empty() ? BrokerStatus() : ends_.sink.PublishSites(*news);
}

BrokerStatus JudgeMachine::Answer(const log::Question& question) {
  const auto answer = ends_.fold.AnswerTo(question);
  if (!answer) return Final(tl::unexpected(answer.error()));
  return ends_.sink.PublishAnswer(question, *answer);
}

BrokerStatus JudgeMachine::JudgeItem(const LogItem& item) {
  const auto begin = options_.now();
  if (batch_.entries == 0 && !is_begun_) {
    CRAWLSIEVE_RETURN_IF_ERROR(Begin());
  }
  // Such an entry has to wait for them, and isn't to blame for their errors.
  if (item.entry != nullptr && !item.entry->has_page()) {
    CRAWLSIEVE_RETURN_IF_ERROR(PublishScores());
  }
  auto result = FoldItem(item);
  if (!result && ends_.slots != nullptr && result.error().code == ErrorCode::kBusy) {
    if (std::exchange(held_at_, item.offset) != item.offset) held_since_ = begin;
    hold_ = Hold{item, begin};
    next_ = item.offset;
    return {};
  }
  if (!result) return tl::unexpected(std::move(result.error()));
  const std::optional<Folded>& folded = *result;
  if (!folded.has_value()) return {};
  if (folded->verdict.has_value()) {
    CRAWLSIEVE_RETURN_IF_ERROR(Publish(item.entry->page(), *folded->verdict));
  } else if (folded->outcome == FoldOutcome::kQuestion && ends_.sink.takes_scores()) {
    CRAWLSIEVE_RETURN_IF_ERROR(Answer(item.entry->question()));
  }
  CRAWLSIEVE_RETURN_IF_ERROR(PublishSites());
  ends_.observer.OnJudged(*item.entry, *folded, options_.now() - begin);
  // A judge with other settings was active and left its parameters behind this one's.
  if (folded->outcome == FoldOutcome::kParameters && !parameters_appended_ && !HasOurParameters()) {
    return AppendParameters();
  }
  return {};
}

/// Publishes the batch for good, then adds it to the state: never the other way round.
BrokerStatus JudgeMachine::CommitBatch(std::uint32_t ask) {
  const bool is_empty = batch_.entries == 0;
  if (state_ != JudgeState::kLive || (is_empty && ask == 0)) return {};
  CRAWLSIEVE_RETURN_IF_ERROR(PublishScores());
  const LogPosition position = is_empty ? ends_.fold.position() : batch_.position;
  const CommittedPlace place{position.offset + 1, HexOf(position.entry_checksum)};
  if (ends_.slots != nullptr) {
    if (is_empty && !is_begun_) {
      CRAWLSIEVE_RETURN_IF_ERROR(Begin());
    }
    CRAWLSIEVE_RETURN_IF_ERROR(ends_.sink.PublishChanges(ends_.fold.ChangesUpTo(position, ask)));
  }
  is_begun_ = false;
  CRAWLSIEVE_RETURN_IF_ERROR(ends_.sink.Commit(place));
  if (is_empty) return {};
  CRAWLSIEVE_RETURN_IF_ERROR(CommitState());
  published_ = place.offset;
  committed_ = place;
  if (auto told = ends_.observer.OnPublished(ProgressOf(live_->source())); !told) {
    return Final(told);
  }
  // At least once. Where to go on is known by the state, or after a crash, when that has been set
  // back, by this.
  auto acknowledged = ends_.sink.Acknowledge(place);
  return !acknowledged && acknowledged.error().error_class != ErrorClass::kRetriable
             ? acknowledged
             : BrokerStatus();
}

// --- Folding -------------------------------------------------------------------------------------

BrokerResult<std::optional<Folded>> JudgeMachine::FoldItem(const LogItem& item) {
  std::optional<Folded> result;
  if (item.is_skipped) {
    ends_.observer.OnSkipped(item.offset, item.entry, state_ == JudgeState::kLive);
  } else if (item.entry == nullptr) {
    return NotAnEntry(options_.log, item);
  } else {
    auto folded = ends_.fold.Fold(*item.entry);
    if (!folded) {
      // It is no fault of the entry. Where slots can be waited for, it is folded later.
      if (folded.error().code == ErrorCode::kBusy) {
        if (state_ == JudgeState::kLive) return FinalError(std::move(folded.error()));
        return MakeBrokerError(
            ErrorClass::kRefused, ErrorCode::kMismatch,
            fmt::format("entry {} of log {} can't be folded again with the index in slots: no "
                        "candidates were recorded of it. Start from a state or checkpoint that is "
                        "past it",
                        item.offset, options_.log.topic));
      }
      return Refused(options_.log, item, std::move(folded.error()));
    }
    result = std::move(*folded);
  }
  if (batch_.entries++ == 0) batch_.begin = options_.now();
  last_timestamp_ = item.timestamp;
  batch_.position = {item.offset, ToBytes(RawChecksum(item.value))};
  return result;
}

BrokerStatus JudgeMachine::CommitState() {
  auto stored = ends_.fold.Commit(batch_.position);
  if (!stored) return FinalError(std::move(stored.error()));
  batch_ = Batch();
  has_progressed_ = true;
  return {};
}

LogProgress JudgeMachine::ProgressOf(const LogSource& source) const {
  return {next_, source.KnownEnd(), last_timestamp_};
}

}  // namespace crawlsieve
