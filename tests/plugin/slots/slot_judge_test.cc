// The judge's machine with its index in slots: who is killed, is silent or fails to commit only
// delays, and the verdicts that are published are those of the log in one process. Kafka's part is
// in memory, time is counted. A failure names its seed.
#include "plugin/judge/judge_machine.h"
#include "plugin/judge/state_hash.h"
#include "plugin/log/log_reader.h"
#include "tests/plugin/slots/slot_world.h"
#include "tests/support/memory_log.h"
#include "tests/support/sanitized.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using std::chrono::milliseconds;
using testing::kScheme;
using testing::MakeFlatIndex;
using testing::MemoryLog;
using testing::MemoryLogSource;
using testing::TemporaryDirectory;

constexpr std::int64_t kWindow = 300;
const SlotLayout kLayout{3, 4, kScheme};

std::string LineOf(const log::Page& page, const Verdict& verdict) {
  Folded folded;
  folded.verdict = verdict;
  return page.url() + ' ' + testing::Describe(folded);
}

/// What the brokers hold, and the slots' processes.
struct Brokers {
  explicit Brokers(std::uint64_t seed) : random(seed) {}

  MemoryLog log;
  std::vector<std::string> verdicts;
  std::vector<std::string> changes;
  std::vector<std::string> candidates;
  std::optional<CommittedPlace> committed;
  std::vector<std::unique_ptr<SlotMachine>> slots;
  std::vector<std::size_t> next_change;
  std::vector<bool> is_silent;
  std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
  std::mt19937_64 random;
  int fail_percent = 0;  ///< of commits
  std::uint32_t limit = 0;

  void StartSlot(std::uint32_t slot) {
    SlotMachine::Options options;
    options.layout = kLayout;
    options.slot = slot;
    options.make_index = MakeFlatIndex;
    options.window = kWindow;
    options.limit = limit;
    slots[slot] = std::make_unique<SlotMachine>(SlotMachine::Make(std::move(options)).value());
    next_change[slot] = 0;
  }

  void StartAll() {
    slots.resize(kLayout.slots);
    next_change.resize(kLayout.slots);
    is_silent.resize(kLayout.slots);
    for (std::uint32_t slot = 0; slot < kLayout.slots; ++slot) StartSlot(slot);
  }

  /// One round of one slot, as its process does it.
  void StepSlot(std::size_t slot) {
    if (is_silent[slot]) return;
    SlotMachine& machine = *slots[slot];
    for (std::size_t n = 8; n > 0 && next_change[slot] < changes.size(); --n) {
      const auto applied = machine.Apply(changes[next_change[slot]++]);
      ASSERT_TRUE(applied.has_value()) << applied.error().message;
    }
    if (!machine.may_answer()) return;
    const LogDescription description{"fingerprints", {}};
    MemoryLogSource source(log);
    std::optional<std::int64_t> seen_gap;
    LogReader reader(description, source, seen_gap);
    ASSERT_TRUE(reader.Begin(machine.next()).has_value());
    ASSERT_TRUE(reader.Fetch(1 + random() % 64, milliseconds(0)).has_value());
    std::vector<LogItem> items;
    while (auto item = *reader.Take()) items.push_back(*item);
    const auto record = machine.Answer(items);
    ASSERT_TRUE(record.has_value()) << record.error().message;
    if (!record->answers.empty()) candidates.push_back(record->Encode());
  }
};

/// A group with one member, which has the log from the moment it joins.
class OnlyMember final : public JudgeGroup, private MemoryLogSource {
 public:
  explicit OnlyMember(Brokers& brokers) : MemoryLogSource(brokers.log), brokers_(brokers) {}

  BrokerStatus Join(JudgeMember& member) override {
    member_ = &member;
    return {};
  }
  BrokerStatus Poll(milliseconds wait) override {
    brokers_.now += std::max(wait, milliseconds(1));
    if (member_ == nullptr || is_assigned_) return {};
    is_assigned_ = true;
    EXPECT_TRUE(member_->OnAssigned().has_value());
    return {};
  }
  BrokerResult<std::optional<CommittedPlace>> Committed(milliseconds) override {
    return brokers_.committed;
  }
  BrokerResult<LogBounds> Bounds(milliseconds) override { return brokers_.log.bounds(); }
  LogSource& log() override { return *this; }
  BrokerResult<std::unique_ptr<LogSource>> OpenReader() override {
    return std::unique_ptr<LogSource>(std::make_unique<MemoryLogSource>(brokers_.log));
  }
  BrokerStatus Append(const log::Entry& entry) override {
    brokers_.log.Append(entry.SerializeAsString());
    return {};
  }

 private:
  BrokerResult<std::span<const LogRecord>> Read(std::size_t most, milliseconds wait) override {
    brokers_.now += milliseconds(1);
    return MemoryLogSource::Read(std::min<std::size_t>(most, 1 + brokers_.random() % 50), wait);
  }

  Brokers& brokers_;
  JudgeMember* member_ = nullptr;
  bool is_assigned_ = false;
};

/// Transactions that hold verdicts, changes and the place, or nothing.
class Sink final : public VerdictSink {
 public:
  explicit Sink(Brokers& brokers) : brokers_(brokers) {}

  BrokerStatus Fence() override { return {}; }
  BrokerStatus Poll() override { return {}; }
  BrokerStatus Begin() override {
    EXPECT_FALSE(is_open_) << "a transaction begins inside another one";
    is_open_ = true;
    return {};
  }
  BrokerStatus Publish(const log::Page& page, const Verdict& verdict) override {
    EXPECT_TRUE(is_open_);
    verdicts_.push_back(LineOf(page, verdict));
    return {};
  }
  BrokerStatus PublishChanges(std::string_view record) override {
    EXPECT_TRUE(is_open_);
    EXPECT_TRUE(changes_.empty()) << "a transaction has one record of changes";
    changes_ = record;
    return {};
  }
  BrokerStatus Commit(const CommittedPlace& place) override {
    EXPECT_FALSE(changes_.empty());
    const bool fails = static_cast<int>(brokers_.random() % 100) < brokers_.fail_percent;
    if (!fails || brokers_.random() % 2 == 0) {
      EXPECT_GE(place.offset, brokers_.committed ? brokers_.committed->offset : 0);
      brokers_.committed = place;
      std::ranges::move(verdicts_, std::back_inserter(brokers_.verdicts));
      brokers_.changes.push_back(changes_);
    }
    verdicts_.clear();
    changes_.clear();
    is_open_ = false;
    if (fails) return MakeBrokerError(ErrorClass::kFatal, "nobody knows what became of it");
    return {};
  }
  BrokerStatus Acknowledge(const CommittedPlace&) override { return {}; }
  void Close() override {
    is_open_ = false;
    verdicts_.clear();
    changes_.clear();
  }

 private:
  Brokers& brokers_;
  bool is_open_ = false;
  std::vector<std::string> verdicts_;
  std::string changes_;
};

class Slots final : public JudgeSlots {
 public:
  Slots(Brokers& brokers, SlotReplies& replies) : brokers_(brokers), replies_(replies) {}

  BrokerStatus Open() override {
    next_ = brokers_.candidates.size();
    is_open_ = true;
    return {};
  }
  void Close() override { is_open_ = false; }
  BrokerResult<bool> Poll(milliseconds wait) override {
    EXPECT_TRUE(is_open_);
    brokers_.now += wait / 10;
    brokers_.StepSlot(brokers_.random() % kLayout.slots);
    bool is_new = false;
    for (; next_ < brokers_.candidates.size(); ++next_) {
      const auto taken = replies_.Take(brokers_.candidates[next_]);
      EXPECT_TRUE(taken.has_value()) << taken.error().message;
      is_new |= taken && *taken == SlotReplies::Taken::kNew;
    }
    return is_new;
  }
  [[nodiscard]] bool lacks_depth() const override { return replies_.lacks_depth(); }
  BrokerResult<std::int64_t> Recall(std::int64_t offset) override {
    for (const std::string& bytes : brokers_.changes) {
      const auto changes = ChangesRecord::Parse(bytes).value();
      if (changes.after.position.offset < offset) continue;
      if (auto recalled = replies_.Recall(changes); !recalled) return FinalError(recalled.error());
      return changes.after.position.offset + 1;
    }
    return offset;
  }
  BrokerResult<bool> Confirm(const LogPosition& position) override {
    auto confirmed = replies_.Confirm(position);
    if (!confirmed) return FinalError(confirmed.error());
    return *confirmed;
  }

 private:
  Brokers& brokers_;
  SlotReplies& replies_;
  std::size_t next_ = 0;
  bool is_open_ = false;
};

class Asked final : public JudgeObserver {
 public:
  void OnAsked(bool lacks_depth, bool is_again) override {
    ++(lacks_depth ? for_depth : for_all);
    in_vain += is_again ? 1 : 0;
  }
  int for_depth = 0;
  int in_vain = 0;  ///< for the same entry again
  int for_all = 0;
};

/// A judge's process: a state on a disk, and one machine after the other.
class Judge {
 public:
  explicit Judge(Brokers& brokers) : brokers_(brokers) { Start(); }

  void Kill(bool is_flushed) {
    session_.reset();
    detector_->Discard();
    if (is_flushed) {
      EXPECT_TRUE(store_->Flush().has_value());
    }
    Start();
  }
  void Step() {
    if (session_ == nullptr) {
      session_ = std::make_unique<Session>(*this);
      return;
    }
    const BrokerStatus stepped = session_->machine.Step();
    if (stepped) return;
    if (!stepped.error().may_pass()) refusal_ = stepped.error();
    session_.reset();
  }
  /// What no other machine would do better with.
  [[nodiscard]] const std::optional<BrokerError>& refusal() const { return refusal_; }
  [[nodiscard]] Store& store() { return *store_; }
  [[nodiscard]] bool is_live() const {
    return session_ != nullptr && session_->machine.state() == JudgeState::kLive;
  }
  [[nodiscard]] const Asked& asked() const { return asked_; }
  [[nodiscard]] const SlotReplies& replies() const { return *replies_; }
  void Stop() { session_.reset(); }

 private:
  struct Session {
    explicit Session(Judge& judge)
        : group(judge.brokers_),
          sink(judge.brokers_),
          slots(judge.brokers_, *judge.replies_),
          fold(*judge.detector_, kLayout),
          machine(OptionsOf(judge), {fold, group, sink, judge.asked_, &slots}, judge.seen_gap_) {}

    static JudgeMachine::Options OptionsOf(Judge& judge) {
      JudgeMachine::Options options;
      options.log = {"fingerprints", {}};
      options.group = "test.judge";
      options.parameters = testing::ParametersOf(0);
      options.scheme = kScheme;
      options.commit_entries = 60;
      options.now = [&judge] { return judge.brokers_.now; };
      return options;
    }

    OnlyMember group;
    Sink sink;
    Slots slots;
    SlotFold fold;
    JudgeMachine machine;
  };

  void Start() {
    detector_.reset();
    store_.reset();
    store_ = Store::Open({.directory = directory_.path()}).value();
    replies_ = std::make_unique<SlotReplies>(kLayout, kWindow);
    detector_ =
        Detector::Open(*store_, MakeFlatIndex, kScheme, {}, {replies_.get(), kWindow}).value();
  }

  Brokers& brokers_;
  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<SlotReplies> replies_;
  std::unique_ptr<Detector> detector_;
  Asked asked_;
  std::optional<std::int64_t> seen_gap_;
  std::unique_ptr<Session> session_;
  std::optional<BrokerError> refusal_;
};

/// The verdicts and the state of the log in one process.
std::pair<std::vector<std::string>, Checksum> InProcess(const MemoryLog& log) {
  TemporaryDirectory directory;
  const auto store = Store::Open({.directory = directory.path()}).value();
  const auto detector = Detector::Open(*store, MakeFlatIndex, kScheme).value();
  std::vector<std::string> lines;
  for (const auto& [offset, stored] : log.records()) {
    log::Entry entry;
    EXPECT_TRUE(ParseEntry(stored.value, entry));
    const auto folded = detector->Fold(entry);
    EXPECT_TRUE(folded.has_value()) << folded.error().message;
    if (folded->verdict.has_value()) lines.push_back(LineOf(entry.page(), *folded->verdict));
    EXPECT_TRUE(detector->Commit({offset, ToBytes(RawChecksum(stored.value))}).has_value());
  }
  return {lines, StateHash(*store).value()};
}

struct Trouble {
  int kill_judge = 0;  ///< in 10,000 steps
  int kill_slot = 0;
  int silence = 0;
  int fail_percent = 0;
  std::uint32_t limit = 0;
};

class SlotJudge : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void Run(const Trouble& trouble) {
    const std::uint64_t seed = GetParam();
    SCOPED_TRACE(seed);
    Brokers brokers(seed);
    brokers.fail_percent = trouble.fail_percent;
    brokers.limit = trouble.limit;
    for (const log::Entry& entry : testing::RandomLog(4 * seed, 900)) {
      brokers.log.Append(entry.SerializeAsString());
    }
    brokers.StartAll();
    Judge judge(brokers);
    const auto chance = [&](int of_10000) {
      return static_cast<int>(brokers.random() % 10'000) < of_10000;
    };
    int steps = 0;
    const auto is_done = [&] {
      return brokers.committed && brokers.committed->offset == brokers.log.bounds().high &&
             judge.is_live();
    };
    for (; steps < 60'000 && !is_done() && !HasFailure(); ++steps) {
      judge.Step();
      ASSERT_FALSE(judge.refusal().has_value()) << judge.refusal()->message;
      if (chance(3'000)) brokers.StepSlot(brokers.random() % kLayout.slots);
      if (chance(trouble.kill_judge)) judge.Kill(brokers.random() % 2 == 0);
      const auto slot = static_cast<std::uint32_t>(brokers.random() % kLayout.slots);
      if (chance(trouble.kill_slot)) brokers.StartSlot(slot);
      if (chance(trouble.silence)) brokers.is_silent[slot] = !brokers.is_silent[slot];
      if (steps % 4'000 == 3'999)
        std::fill(brokers.is_silent.begin(), brokers.is_silent.end(), false);
    }
    ASSERT_TRUE(is_done()) << "judged up to "
                           << (brokers.committed ? brokers.committed->offset : -1) << " of "
                           << brokers.log.bounds().high;
    asked_ = judge.asked();
    judge.Stop();
    const auto [lines, hash] = InProcess(brokers.log);
    EXPECT_EQ(brokers.verdicts, lines);
    EXPECT_EQ(StateHash(judge.store()).value(), hash);
  }

  Asked asked_;
};

TEST_P(SlotJudge, PublishesTheVerdictsOfOneProcess) {
  Run({});
  EXPECT_GE(asked_.for_all, 1) << "what was answered before it began was not heard";
}

TEST_P(SlotJudge, IsOnlyDelayedByKillsSilenceAndFailedCommits) {
  Run({.kill_judge = 40, .kill_slot = 100, .silence = 30, .fail_percent = 5});
}

TEST_P(SlotJudge, AsksWhereCandidatesAreCut) {
  Run({.kill_judge = 10, .limit = 1});
  EXPECT_GE(asked_.for_depth, 1) << "each ask is for 32 entries";
}

// A slot's last answer is cut, and the slot is dead: the judge says that it waits in vain.
TEST(SlotJudgeWithADeadSlot, AsksForDepthInVainAndNamesTheSlot) {
  Brokers brokers(3);
  brokers.limit = 1;
  for (const log::Entry& entry : testing::RandomLog(12, 900)) {
    brokers.log.Append(entry.SerializeAsString());
  }
  brokers.StartAll();
  Judge judge(brokers);
  for (int step = 0; step < 60'000; ++step) {
    judge.Step();
    if (judge.asked().for_depth > 0) break;
    brokers.StepSlot(brokers.random() % kLayout.slots);
  }
  ASSERT_EQ(judge.asked().for_depth, 1);
  EXPECT_EQ(judge.asked().in_vain, 0);
  EXPECT_FALSE(judge.replies().waited_for().empty());
  std::fill(brokers.is_silent.begin(), brokers.is_silent.end(), true);
  for (int step = 0; step < 1'000 && judge.asked().in_vain == 0; ++step) judge.Step();
  EXPECT_GE(judge.asked().in_vain, 1);
}

/// Judges a log to its end.
void JudgeAll(Brokers& brokers) {
  brokers.StartAll();
  Judge judge(brokers);
  for (int step = 0; step < 60'000; ++step) {
    if (brokers.committed && brokers.committed->offset == brokers.log.bounds().high) return;
    judge.Step();
    ASSERT_FALSE(judge.refusal().has_value()) << judge.refusal()->message;
    brokers.StepSlot(brokers.random() % kLayout.slots);
  }
  FAIL() << "not judged to its end";
}

// The log and the group were made anew, and the topic of changes wasn't: a state that is empty
// begins to fold by the records of the log before. That one had the same pages, at other times.
TEST(SlotJudgeOfAnotherLog, IsRefused) {
  Brokers old(1);
  Brokers brokers(2);
  for (log::Entry& entry : testing::RandomLog(9, 300)) {
    brokers.log.Append(entry.SerializeAsString());
    if (entry.has_page()) {
      log::Source& source = *entry.mutable_page()->mutable_source();
      source.set_timestamp_ms(source.timestamp_ms() + 1);
    }
    old.log.Append(entry.SerializeAsString());
  }
  ASSERT_NO_FATAL_FAILURE(JudgeAll(old));
  ASSERT_NO_FATAL_FAILURE(JudgeAll(brokers));
  brokers.changes.insert(brokers.changes.begin(), old.changes.begin(), old.changes.end());

  Judge restarted(brokers);
  for (int step = 0; step < 1'000 && !restarted.refusal(); ++step) restarted.Step();
  ASSERT_TRUE(restarted.refusal().has_value());
  EXPECT_EQ(restarted.refusal()->code, ErrorCode::kMismatch);
  EXPECT_NE(restarted.refusal()->message.find("another log"), std::string::npos)
      << restarted.refusal()->message;
}

INSTANTIATE_TEST_SUITE_P(
    Seeds, SlotJudge, ::testing::ValuesIn(testing::SeedsToTry({0, 1, 2, 3, 4, 5, 6, 20'261'124})));

}  // namespace
}  // namespace crawlsieve
