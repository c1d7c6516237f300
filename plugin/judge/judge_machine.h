#pragma once

#include "plugin/judge/judge_ends.h"
#include "plugin/judge/score_batch.h"
#include "plugin/log/log_reader.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace crawlsieve {

/// The life of a judge, from its start to its end: one state machine over a log, a fold and a sink
/// of verdicts. The service, a hot standby and `state verify` are this machine with other ends.
///
///     state       reads        folds up to           publishes   moves to
///     kCreated    -            -                     -           kWarming    with the first Step
///     kWarming    own reader   the committed place   no          kStandby    caught up; joins
///     kStandby    own reader   the committed place   no          kRestoring  assigned
///     kRestoring  own reader   the committed place   no          kLive       fenced and caught up
///                                                                kStandby    revoked, lost
///     kLive       the group's  the end of the log    yes         kStandby    revoked (commits the
///                                                                            batch first), lost
///     any         -            -                     -           kClosed     an error, Close
///
/// The order that everything depends on: fold, publish, commit the verdicts with the place, commit
/// the state. So the state never holds an entry whose verdict isn't there for good; after any
/// failure the open batch is discarded, and the next machine begins at the committed place. A
/// machine ends with its first error. Whether another one does better is in the error.
///
/// Thread-compatible. Borrows everything it is given; the fold outlives it, with no open changes.
class JudgeMachine final : public JudgeMember {
 public:
  struct Options {
    LogDescription log;
    std::string group;  ///< its name in messages
    JudgeParameters parameters;
    std::string scheme;
    bool is_exactly_once = true;
    std::uint32_t commit_entries = 2000;             ///< a batch is committed when it has so many
    std::chrono::milliseconds commit_interval{200};  ///< or is so old
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  };

  /// What the machine works between. All of it outlives the machine.
  struct Ends {
    JudgeFold& fold;
    JudgeGroup& group;
    VerdictSink& sink;
    JudgeObserver& observer;
    JudgeSlots* slots = nullptr;  ///< null: the index is in the fold
  };

  /// `seen_gap`: see LogReader; kept by the caller from one machine to the next.
  JudgeMachine(Options options, Ends ends, std::optional<std::int64_t>& seen_gap);
  ~JudgeMachine() override { Close(); }
  JudgeMachine(const JudgeMachine&) = delete;
  JudgeMachine& operator=(const JudgeMachine&) = delete;

  /// One bounded piece of work, with one bounded wait. After an error the machine is closed.
  [[nodiscard]] BrokerStatus Step();

  /// Commits the open batch. To be called before an orderly end. Errors: as Step.
  [[nodiscard]] BrokerStatus Finish();

  /// Discards the open batch and drops what the sink has open. Step must not follow.
  void Close();

  BrokerResult<std::int64_t> OnAssigned() override;
  void OnRevoked() override;
  void OnLost() override;

  [[nodiscard]] JudgeState state() const { return state_; }
  /// The log has been judged up to here, as far as is known.
  [[nodiscard]] std::int64_t published() const { return published_; }
  /// Whether anything was committed to the state: then a failure is not one of many in a row.
  [[nodiscard]] bool has_progressed() const { return has_progressed_; }

  /// The table above.
  [[nodiscard]] static bool MayMove(JudgeState from, JudgeState to);

 private:
  /// What is being folded and not yet committed.
  struct Batch {
    std::uint32_t entries = 0;
    LogPosition position;
    std::chrono::steady_clock::time_point begin;
    bool is_confirmed = true;  ///< it ends where a record of changes of this log does
  };
  /// An entry that waits for slots, while kLive. It is the last one taken of what was fetched; once
  /// it is parked, what was fetched is dropped, so that the group can be served meanwhile.
  struct Hold {
    LogItem item;
    std::chrono::steady_clock::time_point since;
    bool is_parked = false;
  };
  /// Reads what is folded without being published.
  struct Replay {
    std::unique_ptr<LogSource> source;
    LogReader reader;
  };

  [[nodiscard]] BrokerStatus Work();
  [[nodiscard]] BrokerStatus MoveTo(JudgeState state);
  void StepBack();

  [[nodiscard]] BrokerStatus Follow();
  [[nodiscard]] BrokerStatus Restore();
  [[nodiscard]] BrokerStatus Fence();
  [[nodiscard]] BrokerStatus AskPublished(std::chrono::milliseconds timeout);
  [[nodiscard]] BrokerStatus OpenReplay();
  [[nodiscard]] BrokerStatus ReplaySome();
  [[nodiscard]] BrokerStatus ReplayItem(const LogItem& item);
  [[nodiscard]] BrokerStatus CommitReplayed();
  [[nodiscard]] BrokerStatus CheckCommitted(const LogItem& item) const;
  [[nodiscard]] BrokerStatus GoLive();

  [[nodiscard]] BrokerStatus JudgeSome();
  [[nodiscard]] BrokerStatus JudgeFetched();
  [[nodiscard]] BrokerStatus JudgeHeld();
  [[nodiscard]] BrokerStatus Park();
  /// Commits, and asks, where it is time to.
  [[nodiscard]] BrokerStatus CommitOrAsk();
  /// Sets hold_ where the entry has to wait for slots.
  [[nodiscard]] BrokerStatus JudgeItem(const LogItem& item);
  [[nodiscard]] BrokerStatus Begin();
  [[nodiscard]] BrokerStatus Publish(const log::Page& page, const Verdict& verdict);
  /// Of the pages whose scores are wanted.
  [[nodiscard]] BrokerStatus PublishScores();
  [[nodiscard]] BrokerStatus Answer(const log::Question& question);
  /// What the entry changed of sites.
  [[nodiscard]] BrokerStatus PublishSites();
  /// `ask`: see JudgeFold::ChangesUpTo. With one, there may be nothing else to commit.
  [[nodiscard]] BrokerStatus CommitBatch(std::uint32_t ask = 0);
  [[nodiscard]] std::chrono::milliseconds TimeLeft() const;

  /// Folds an item into the open batch; nullopt where it is passed over. kBusy: it has to wait for
  /// slots, and nothing of it is folded.
  [[nodiscard]] BrokerResult<std::optional<Folded>> FoldItem(const LogItem& item);
  [[nodiscard]] BrokerStatus CommitState();
  void Discard();
  [[nodiscard]] bool HasOurParameters() const;
  [[nodiscard]] BrokerStatus AppendParameters();
  [[nodiscard]] LogProgress ProgressOf(const LogSource& source) const;

  const Options options_;
  const Ends ends_;
  std::optional<std::int64_t>& seen_gap_;

  JudgeState state_ = JudgeState::kCreated;
  std::int64_t published_ = 0;
  std::int64_t next_ = 0;  ///< offset of the entry to be read next
  bool log_is_empty_ = false;
  bool is_fenced_off_ = false;  ///< the judge before this one can't publish any more
  Batch batch_;
  ScoreBatch wanted_scores_;  ///< pages whose scores aren't published yet
  Timestamp last_timestamp_;
  std::optional<CommittedPlace> committed_;
  bool parameters_appended_ = false;
  bool has_progressed_ = false;
  std::optional<BrokerError> failure_;  ///< met inside a call of the group
  std::optional<Hold> hold_;
  std::int64_t held_at_ = -1;                         ///< offset of the entry that waited last
  std::chrono::steady_clock::time_point held_since_;  ///< it waits
  std::int64_t asked_for_depth_ = -1;                 ///< offset of the last entry that was
  std::int64_t asked_for_ = -1;                       ///< the same for whatever reason
  bool is_begun_ = false;                             ///< a transaction
  std::optional<std::chrono::steady_clock::time_point> asked_;  ///< last, since it is live
  std::unique_ptr<Replay> replay_;
  std::unique_ptr<LogReader> live_;
};

}  // namespace crawlsieve
