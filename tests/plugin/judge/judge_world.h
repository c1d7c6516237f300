#pragma once

#include "plugin/judge/judge_ends.h"
#include "plugin/judge/judge_machine.h"
#include "plugin/log/log_reader.h"
#include "tests/support/memory_log.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

// A deployment of judges in memory, with what Kafka would hold: the log, the group with its
// committed place, the verdicts that a read_committed reader sees, and the epoch by which a
// producer is fenced. A driver steps the judges one piece of work at a time, in whatever order, and
// says what fails. Time is counted, never waited for.

namespace crawlsieve::testing {

/// What a judge published: of which input record, and what the fold said of it.
struct Published {
  std::int64_t source = 0;
  std::uint64_t verdict = 0;

  friend bool operator==(const Published&, const Published&) = default;
};

/// Calls that can be made to fail.
enum class Call {
  kJoin,
  kPoll,
  kCommitted,
  kBounds,
  kOpenReader,
  kSeek,
  kReplayRead,
  kLiveRead,
  kAppend,
  kFence,
  kSinkPoll,
  kBegin,
  kPublish,
  kCommit,
  kAcknowledge,
  kFold,
  kStateCommit,
};
inline constexpr int kCallCount = 17;

/// How a call fails. Besides its fault: whether it took effect all the same, now or later.
struct Failing {
  enum class Effect { kNone, kDone, kLater };
  ErrorClass fault = ErrorClass::kFatal;
  Effect effect = Effect::kNone;
  bool is_kill = false;  ///< the process dies in the call
};

/// Thrown out of a call by which a process is killed.
struct Killed {};

/// Faults of the judge that the tests must find. Each acts as the judge would with the fault in it.
enum class Mutant {
  kNone,
  kStateBeforeVerdicts,
  kSkipsAtTakeover,
  kForgetsDiscard,
  kPublishesAfterFence,
};

/// A fold whose verdicts depend on every entry before: one that is missing, repeated or folded in
/// another order shows in all that follow. Its committed states stay, so that a crash can set it
/// back to any of them.
class ModelFold final : public JudgeFold {
 public:
  struct State {
    LogPosition position;
    std::uint64_t hash = 1;
    std::int64_t mark = -1;  ///< of the input: records up to it count as redelivered
    std::optional<JudgeParameters> parameters;
    std::uint32_t fold_version = 0;
  };

  explicit ModelFold(std::string scheme) : scheme_(std::move(scheme)) {}

  void ReadAheadFor(std::span<const log::Entry> /*entries*/, Purpose /*purpose*/) override {}
  Result<Folded> Fold(const log::Entry& entry) override;
  Result<std::vector<SiteNews>> NewsOfSites() override { return std::vector<SiteNews>(); }
  void WantScores(const log::Page& page, const Verdict& verdict) override {
    UrlScore score;
    score.url = page.canonical_url();
    score.sequence = verdict.sequence;
    scores_.push_back({score});
  }
  Result<std::vector<std::vector<UrlScore>>> TakeScores() override {
    return std::exchange(scores_, {});
  }
  Result<UrlScore> AnswerTo(const log::Question& question) override {
    UrlScore score;
    score.url = question.url();
    return score;
  }
  Status Commit(const LogPosition& position) override;
  void Discard() override;
  [[nodiscard]] const LogPosition& position() const override { return states_.back().position; }
  [[nodiscard]] const std::optional<JudgeParameters>& parameters() const override {
    return open_.parameters;
  }
  [[nodiscard]] std::uint32_t fold_version() const override { return open_.fold_version; }

  /// As after the end of a process that had written the first `count` of its states to files.
  void SetBack(std::size_t count);
  [[nodiscard]] const std::vector<State>& states() const { return states_; }
  [[nodiscard]] bool has_open_changes() const { return has_open_changes_; }
  [[nodiscard]] std::uint64_t open_hash() const { return open_.hash; }

  std::function<Status(Call)> before;              ///< may fail the call
  std::function<void(const State&)> on_committed;  ///< is told of every committed state
  bool forgets_discard = false;
  bool skips_next = false;

 private:
  const std::string scheme_;
  std::vector<State> states_{State()};
  State open_;
  bool has_open_changes_ = false;
  std::vector<std::vector<UrlScore>> scores_;  ///< that are wanted
};

/// What a log says, folded from its beginning: the truth that judges are measured by.
class Oracle {
 public:
  Oracle(const MemoryLog& log, const LogDescription& description, std::string scheme)
      : log_(log), description_(description), fold_(std::move(scheme)) {}

  /// The verdicts of the entries `from` up to, not including, `to`.
  std::vector<Published> Verdicts(std::int64_t from, std::int64_t to);
  /// The fold's hash when the entry at `offset` is folded.
  std::uint64_t HashAt(std::int64_t offset);

 private:
  void FoldUpTo(std::int64_t end);

  const MemoryLog& log_;
  const LogDescription& description_;
  ModelFold fold_;
  std::vector<std::optional<Published>> verdicts_;
  std::vector<std::uint64_t> hashes_;
};

class JudgeProcess;

/// Broker, group and judges.
class JudgeWorld {
 public:
  struct Options {
    bool is_exactly_once = true;
    std::uint32_t commit_entries = 4;
    Mutant mutant = Mutant::kNone;
    std::size_t sink_verdicts = 0;  ///< that make the sink full; 0: it never is
  };

  explicit JudgeWorld(Options options);
  JudgeWorld() : JudgeWorld(Options()) {}
  ~JudgeWorld();
  JudgeWorld(const JudgeWorld&) = delete;
  JudgeWorld& operator=(const JudgeWorld&) = delete;

  static constexpr const char* kScheme = "cs-model";

  // --- The log ---

  /// Appends a page; its offset in the log.
  std::int64_t AppendPage(const std::string& scheme = kScheme);
  /// Whether a judge has written its parameters: whoever extracts waits for that.
  [[nodiscard]] bool IsBegun() { return oracle_->HashAt(log.bounds().high - 1) != 1; }
  /// The same input record as the last page once more.
  std::int64_t AppendRedelivered();
  std::int64_t AppendValue(const std::string& value);
  /// The value at this offset will be something else's, and the configuration passes it over.
  void PlanStray(std::int64_t offset);
  /// The log was changed behind the judges' backs: what it says is read anew.
  void ForgetOracle();

  // --- The group ---

  /// The log goes to `process`: from its owner, who is asked to give it back first.
  void Assign(std::size_t process);
  /// The owner is taken for dead. It learns of that when it has polled `delay` times.
  void Depose(int delay = 0);
  /// Gives the log to the member that joined first, if nobody has it.
  void Rebalance();
  /// The broker ends a transaction that takes too long.
  void TimeOutTransaction();

  // --- Judges ---

  std::size_t AddProcess(JudgeParameters parameters = {});
  JudgeProcess& process(std::size_t index) { return *processes_.at(index); }
  [[nodiscard]] std::size_t process_count() const { return processes_.size(); }

  /// Steps `process` until it is in `state`; whether it got there within `most` steps.
  bool StepUntil(std::size_t process, JudgeState state, int most = 200);
  /// Makes process 0 the live judge of a log with parameters and `pages` judged pages.
  bool GoLive(std::size_t process, int pages = 0);
  /// Steps all until everything in the log is judged; false where that doesn't happen.
  bool Settle(int most = 3000);

  // --- What is to be seen ---

  [[nodiscard]] const std::vector<Published>& visible() const { return visible_; }
  [[nodiscard]] const std::optional<CommittedPlace>& committed() const { return committed_; }
  /// The promise that was broken first; empty: none.
  [[nodiscard]] const std::string& violation() const { return violation_; }
  [[nodiscard]] Oracle& oracle() { return *oracle_; }
  [[nodiscard]] const Options& options() const { return options_; }
  /// With at least once the place is committed behind the state, after a crash with the next batch
  /// only.
  [[nodiscard]] bool all_judged() const;
  [[nodiscard]] std::optional<std::size_t> owner() const { return owner_; }

  MemoryLog log;
  LogDescription description{"fingerprints", {}};
  std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
  /// Asked before every call of every judge: how it fails, nullopt if it doesn't.
  std::function<std::optional<Failing>(std::size_t process, Call call)> faults;
  /// Called in the middle of calls of `process`: time for other judges to do something.
  std::function<void(std::size_t process)> meanwhile;
  /// How many records a Read may hand out of so many.
  std::function<std::size_t(std::size_t)> portion = [](std::size_t count) { return count; };

  /// Lets the next call of this kind fail once, in any process.
  void FailNext(Call call, Failing failing) { next_faults_[call].push_back(failing); }

 private:
  friend class ModelGroup;
  friend class ModelReader;
  friend class ModelSink;
  friend class JudgeProcess;

  enum class Event { kAssigned, kRevoked, kLost };
  struct Pending {
    Event event;
    int delay = 0;
  };
  struct Member {
    bool joined = false;
    std::uint64_t joined_at = 0;
    std::uint64_t generation = 0;
    std::deque<Pending> events;
  };
  struct Transaction {
    std::vector<Published> records;
    CommittedPlace place;
  };

  [[nodiscard]] std::optional<Failing> FaultOf(std::size_t process, Call call);
  void Violate(const std::string& what);
  void Leave(std::size_t process);
  void GiveTo(std::size_t process);
  /// The owner has given the log back.
  void TakeBack(std::size_t process);
  void Apply(const Transaction& transaction);
  /// A transaction that was being committed when its producer was gone is decided.
  void Decide();
  void CheckState(const ModelFold::State& state);

  const Options options_;
  std::unique_ptr<Oracle> oracle_;
  std::vector<std::unique_ptr<JudgeProcess>> processes_;
  std::vector<Member> members_;
  std::optional<std::size_t> owner_;
  std::optional<std::size_t> next_owner_;
  std::uint64_t generation_ = 0;
  std::uint64_t joins_ = 0;
  std::uint64_t epoch_ = 0;
  std::optional<std::uint64_t> undecided_epoch_;  ///< of a transaction that holds a place already
  std::optional<CommittedPlace> committed_;
  std::vector<Published> visible_;
  std::set<std::pair<std::int64_t, std::uint64_t>> visible_set_;
  std::optional<Transaction> in_doubt_;
  std::set<std::int64_t> strays_;
  std::map<Call, std::deque<Failing>> next_faults_;
  std::int64_t next_source_ = 0;
  std::string violation_;
};

/// A judge's process: its state outlives its machines, and in part its end.
class JudgeProcess {
 public:
  JudgeProcess(JudgeWorld& world, std::size_t index, JudgeParameters parameters);
  ~JudgeProcess();
  JudgeProcess(const JudgeProcess&) = delete;
  JudgeProcess& operator=(const JudgeProcess&) = delete;

  /// One step of the machine, or the beginning of another one after a failure that may pass. False:
  /// it was killed or has ended for good.
  bool Step();
  /// An orderly end: commits, and leaves the group.
  void Stop();
  /// Dies. Of its states `lost` at most are gone.
  void Kill(std::size_t lost = 0);
  /// Begins again after Stop, Kill or an error.
  void Start();

  [[nodiscard]] bool is_running() const { return is_running_; }
  /// kClosed where there is no machine.
  [[nodiscard]] JudgeState state() const;
  [[nodiscard]] const std::optional<BrokerError>& failure() const { return failure_; }
  [[nodiscard]] ModelFold& fold() { return fold_; }
  [[nodiscard]] int sessions() const { return sessions_; }
  [[nodiscard]] const std::vector<JudgeState>& moves() const { return observer_.moves; }
  [[nodiscard]] int parameters_appended() const { return observer_.parameters; }
  [[nodiscard]] int skipped() const { return observer_.skipped; }

 private:
  friend class JudgeWorld;

  struct Observer final : JudgeObserver {
    explicit Observer(JudgeWorld& world_in) : world(world_in) {}
    Status OnMove(JudgeState from, JudgeState to, std::int64_t published) override;
    void OnSkipped(std::int64_t, const log::Entry*, bool) override { ++skipped; }
    void OnParametersAppended() override { ++parameters; }
    JudgeWorld& world;
    std::vector<JudgeState> moves;
    int parameters = 0;
    int skipped = 0;
  };
  struct Session;

  void EndSession();

  JudgeWorld& world_;
  const std::size_t index_;
  const JudgeParameters parameters_;
  ModelFold fold_;
  Observer observer_;
  std::optional<std::int64_t> seen_gap_;
  std::unique_ptr<Session> session_;
  bool is_running_ = true;
  int sessions_ = 0;
  std::optional<BrokerError> failure_;  ///< of the last session
};

}  // namespace crawlsieve::testing
