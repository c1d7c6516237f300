#include "tests/plugin/judge/judge_world.h"
#include "tests/support/sanitized.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

// Random histories of a group of judges: joins, losses, fences, aborts, kills and faults of every
// call, in an order that the seed makes. After each step every promise is looked at; at the end
// everything heals, and all must be judged. A failure names its seed.

namespace crawlsieve::testing {
namespace {

constexpr int kShards = 20;
constexpr std::uint32_t kHistoriesPerShard = kIsSanitized ? 50 : 500;

class History {
 public:
  History(std::uint32_t seed, Mutant mutant)
      : random_(seed),
        world_({.is_exactly_once = mutant != Mutant::kNone || seed % 4 != 0,
                .commit_entries = 1 + Below(6),
                .mutant = mutant}) {
    const std::uint32_t judges = 2 + Below(2);
    for (std::uint32_t i = 0; i < judges; ++i) {
      JudgeParameters parameters;
      if (OneIn(3)) parameters.max_distance = 1 + i;
      world_.AddProcess(parameters);
    }
    for (std::uint32_t i = Below(3); i > 0; --i) world_.PlanStray(Below(30));
    world_.portion = [this](std::size_t count) {
      return count == 0 || OneIn(3) ? count : 1 + Below(static_cast<std::uint32_t>(count));
    };
    fault_rate_ = std::array{0U, 5U, 20U, 60U}[Below(4)];
    world_.faults = [this](std::size_t, Call call) { return FaultOf(call); };
    world_.meanwhile = [this](std::size_t process) { StepAnother(process); };
  }

  /// What went wrong; empty: nothing.
  std::string Run() {
    const std::uint32_t actions = 100 + Below(200);
    for (std::uint32_t i = 0; i < actions && world_.violation().empty(); ++i) {
      Act();
      if (std::string refused = Refusal(); !refused.empty()) return refused;
    }
    if (!world_.violation().empty()) return world_.violation();
    return Heal();
  }

 private:
  std::uint32_t Below(std::uint32_t end) { return static_cast<std::uint32_t>(random_()) % end; }
  bool OneIn(std::uint32_t count) { return Below(count) == 0; }
  JudgeProcess& AnyJudge() {
    return world_.process(Below(static_cast<std::uint32_t>(world_.process_count())));
  }

  void Act() {
    JudgeProcess& judge = AnyJudge();
    const std::uint32_t kind = Below(100);
    if (kind < 60) {
      if (!judge.is_running() && OneIn(3)) judge.Start();
      for (std::uint32_t i = 1 + Below(4); i > 0; --i) (void)judge.Step();
    } else if (kind < 75) {
      if (!world_.IsBegun()) return;
      for (std::uint32_t i = Below(6); i > 0; --i) world_.AppendPage();
      if (OneIn(6)) world_.AppendRedelivered();
    } else if (kind < 80) {
      world_.Rebalance();
    } else if (kind < 84) {
      world_.Assign(Below(static_cast<std::uint32_t>(world_.process_count())));
    } else if (kind < 89) {
      world_.Depose(static_cast<int>(Below(10)));
      if (!OneIn(3)) world_.Assign(Below(static_cast<std::uint32_t>(world_.process_count())));
    } else if (kind < 92) {
      judge.Kill(OneIn(5) ? 1000 : Below(4));
    } else if (kind < 93) {
      judge.Stop();
    } else if (kind < 94) {
      world_.TimeOutTransaction();
    } else {
      world_.now += std::chrono::milliseconds(Below(300));
    }
  }

  /// In the middle of a call of one judge another one may get something done.
  void StepAnother(std::size_t process) {
    if (is_inside_ || !OneIn(20)) return;
    const std::size_t other = Below(static_cast<std::uint32_t>(world_.process_count()));
    if (other == process) return;
    is_inside_ = true;
    if (OneIn(6)) world_.Depose(static_cast<int>(Below(10)));
    if (OneIn(3)) world_.Assign(other);
    for (std::uint32_t i = 1 + Below(3); i > 0; --i) (void)world_.process(other).Step();
    is_inside_ = false;
  }

  /// Nothing that happens here is a reason to refuse log or state.
  std::string Refusal() {
    for (std::size_t i = 0; i < world_.process_count(); ++i) {
      const auto& failure = world_.process(i).failure();
      if (failure.has_value() && !failure->may_pass() &&
          !failure->message.starts_with("made to fail") &&
          failure->message.find("made to fail: the disk") == std::string::npos) {
        return fmt::format("judge {} refuses to go on: {}", i, failure->message);
      }
    }
    return {};
  }

  std::string Heal() {
    world_.faults = nullptr;
    world_.meanwhile = nullptr;
    for (std::size_t i = 0; i < world_.process_count(); ++i) {
      if (!world_.process(i).is_running()) world_.process(i).Start();
    }
    bool is_settled = world_.Settle();
    if (is_settled) world_.AppendPage();
    is_settled = is_settled && world_.Settle();
    if (!world_.violation().empty()) return world_.violation();
    if (std::string refused = Refusal(); !refused.empty()) return refused;
    if (!is_settled) return "it doesn't come to rest";
    const auto expected = world_.oracle().Verdicts(0, world_.log.bounds().high);
    if (world_.options().is_exactly_once) {
      return world_.visible() == expected ? "" : "the verdicts are not those of the log";
    }
    for (const Published& verdict : expected) {
      if (std::ranges::count(world_.visible(), verdict) == 0) return "a verdict is missing";
    }
    return {};
  }

  Failing AnyOf(std::initializer_list<Failing> ways) {
    return ways.begin()[Below(static_cast<std::uint32_t>(ways.size()))];
  }

  std::optional<Failing> FaultOf(Call call) {
    using enum ErrorClass;
    using enum Failing::Effect;
    if (fault_rate_ == 0 || Below(1000) >= fault_rate_) return std::nullopt;
    if (OneIn(8)) return Failing{kFatal, kNone, true};
    switch (call) {
      case Call::kPoll:
      case Call::kCommitted:
      case Call::kBounds:
        return AnyOf({{kRetriable}, {kRetriable}, {kFatal}});
      case Call::kReplayRead:
      case Call::kLiveRead:
        return AnyOf({{kRetriable}, {kFatal}, {kAbortable}});
      case Call::kJoin:
      case Call::kOpenReader:
      case Call::kSeek:
        return Failing{kFatal};
      case Call::kAppend:
        return AnyOf({{kFatal}, {kFatal, kDone}, {kFatal, kDone, true}});
      case Call::kFence:
        return AnyOf({{kRetriable}, {kFatal, kDone}, {kFatal}, {kFenced}});
      case Call::kSinkPoll:
      case Call::kPublish:
        return AnyOf({{kAbortable}, {kFatal}, {kFenced}});
      case Call::kBegin:
        return AnyOf({{kFatal}, {kFenced}});
      case Call::kCommit:
        return AnyOf({{kAbortable},
                      {kFenced},
                      {kRetriable, kLater},
                      {kFatal},
                      {kFatal, kDone},
                      {kFatal, kLater},
                      {kFatal, kDone, true},
                      {kFatal, kLater, true}});
      case Call::kAcknowledge:
        return AnyOf({{kRetriable}, {kFatal}, {kFatal, kDone}, {kFatal, kDone, true}});
      case Call::kFold:
      case Call::kStateCommit:
        return Failing{kRefused};
    }
    return std::nullopt;
  }

  std::mt19937 random_;
  bool is_inside_ = false;        ///< a judge steps in the middle of another one's call
  std::uint32_t fault_rate_ = 0;  ///< of a thousand calls
  JudgeWorld world_;
};

class JudgeHistories : public ::testing::TestWithParam<int> {};

TEST_P(JudgeHistories, KeepEveryPromise) {
  const std::uint32_t first = static_cast<std::uint32_t>(GetParam()) * kHistoriesPerShard;
  for (std::uint32_t seed = first; seed < first + kHistoriesPerShard; ++seed) {
    ASSERT_EQ(History(seed, Mutant::kNone).Run(), "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, JudgeHistories, ::testing::Range(0, kShards));

/// The histories are worth what they find.
class JudgeMutants : public ::testing::TestWithParam<Mutant> {};

TEST_P(JudgeMutants, AreFound) {
  constexpr std::uint32_t kSeeds = 200;
  std::uint32_t found = 0;
  std::string how;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    std::string broken = History(seed, GetParam()).Run();
    if (broken.empty()) continue;
    if (found++ == 0) how = fmt::format("seed {}: {}", seed, broken);
  }
  std::printf("found by %u of %u histories; %s\n", found, kSeeds, how.c_str());
  RecordProperty("found", static_cast<int>(found));
  EXPECT_GT(found, 0U);
}

INSTANTIATE_TEST_SUITE_P(Faults, JudgeMutants,
                         ::testing::Values(Mutant::kStateBeforeVerdicts, Mutant::kSkipsAtTakeover,
                                           Mutant::kForgetsDiscard, Mutant::kPublishesAfterFence),
                         [](const auto& mutant) -> std::string {
                           switch (mutant.param) {
                             case Mutant::kStateBeforeVerdicts:
                               return "TheStateBeforeTheVerdicts";
                             case Mutant::kSkipsAtTakeover:
                               return "AnEntrySkippedAtTakeover";
                             case Mutant::kForgetsDiscard:
                               return "ADiscardForgottenAfterAnAbort";
                             case Mutant::kPublishesAfterFence:
                               return "VerdictsPublishedAfterBeingFenced";
                             case Mutant::kNone:
                               break;
                           }
                           return "None";
                         });

}  // namespace
}  // namespace crawlsieve::testing
