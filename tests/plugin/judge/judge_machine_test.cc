#include "plugin/judge/judge_machine.h"

#include "tests/plugin/judge/judge_world.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum JudgeState;

constexpr Failing kRetriable{ErrorClass::kRetriable};
constexpr Failing kUnknown{ErrorClass::kFatal};
constexpr Failing kUnknownButDone{ErrorClass::kFatal, Failing::Effect::kDone};
constexpr Failing kUnknownUntilLater{ErrorClass::kFatal, Failing::Effect::kLater};
constexpr Failing kAborted{ErrorClass::kAbortable};
constexpr Failing kFenced{ErrorClass::kFenced};
constexpr Failing kFinal{ErrorClass::kRefused};
constexpr Failing kKill{ErrorClass::kFatal, Failing::Effect::kNone, true};
constexpr Failing kKillAfter{ErrorClass::kFatal, Failing::Effect::kDone, true};
constexpr Failing kKillBeforeItLands{ErrorClass::kFatal, Failing::Effect::kLater, true};

/// Situations in the life of judges; every one ends with a look at all promises.
class JudgeMachineTest : public ::testing::Test {
 protected:
  void SetUp() override { Make({}); }

  void Make(JudgeWorld::Options options) {
    world_ = std::make_unique<JudgeWorld>(options);
    world_->AddProcess();
    world_->AddProcess();
  }

  void TearDown() override { EXPECT_EQ(world_->violation(), ""); }

  JudgeProcess& one() { return world_->process(0); }
  JudgeProcess& two() { return world_->process(1); }

  void AppendPages(int count) {
    for (int i = 0; i < count; ++i) world_->AppendPage();
  }

  void Step(JudgeProcess& judge, int times = 1) {
    for (int i = 0; i < times; ++i) (void)judge.Step();
  }

  /// Steps `judge` until it doesn't run any more, and returns the message of what ended it.
  std::string EndOf(JudgeProcess& judge) {
    for (int i = 0; i < 500 && judge.is_running(); ++i) {
      world_->Rebalance();
      (void)judge.Step();
    }
    EXPECT_FALSE(judge.is_running());
    return judge.failure().has_value() ? judge.failure()->message : "(none)";
  }

  /// Judge one is live, judge two stands by, and `pages` pages are judged.
  void StartBoth(int pages) {
    ASSERT_TRUE(world_->GoLive(0, pages));
    ASSERT_TRUE(world_->StepUntil(1, kStandby));
  }

  /// Everything in the log has its verdict.
  void ExpectAllJudged() {
    ASSERT_TRUE(world_->Settle()) << world_->violation();
    EXPECT_EQ(world_->violation(), "");
    const auto expected = world_->oracle().Verdicts(0, world_->log.bounds().high);
    if (world_->options().is_exactly_once) {
      EXPECT_EQ(world_->visible(), expected);
    } else {
      for (const Published& verdict : expected) {
        EXPECT_THAT(world_->visible(), ::testing::Contains(verdict));
      }
    }
  }

  std::unique_ptr<JudgeWorld> world_;
};

// --- Start ---------------------------------------------------------------------------------------

TEST_F(JudgeMachineTest, OnAnEmptyLogItWritesItsParametersAndJudgesFromTheFirstEntry) {
  ASSERT_TRUE(world_->GoLive(0, 5));
  EXPECT_EQ(one().parameters_appended(), 1);
  EXPECT_EQ(world_->visible().size(), 5U);
  EXPECT_THAT(one().moves(), ElementsAre(kWarming, kStandby, kRestoring, kLive));
}

TEST_F(JudgeMachineTest, ItJoinsOnlyWhenItHasCaughtUp) {
  ASSERT_TRUE(world_->GoLive(0, 40));
  world_->portion = [](std::size_t count) { return std::min<std::size_t>(count, 1); };
  Step(two(), 10);
  EXPECT_EQ(two().state(), kWarming);
  ASSERT_TRUE(world_->StepUntil(1, kStandby));
  EXPECT_EQ(two().fold().position().offset, 40);
}

TEST_F(JudgeMachineTest, ItDoesNotAppendParametersThatAreInForce) {
  ASSERT_TRUE(world_->GoLive(0, 3));
  one().Stop();
  one().Start();
  world_->AppendPage();
  ExpectAllJudged();
  EXPECT_EQ(one().parameters_appended(), 1);
}

TEST_F(JudgeMachineTest, OtherParametersGoToTheEndOfTheLog) {
  ASSERT_TRUE(world_->GoLive(0, 3));
  JudgeParameters other;
  other.max_distance = 3;
  world_->AddProcess(other);
  one().Stop();
  ASSERT_TRUE(world_->GoLive(2, 2));
  EXPECT_EQ(world_->process(2).parameters_appended(), 1);
  EXPECT_EQ(world_->process(2).fold().parameters()->max_distance, 3U);
}

TEST_F(JudgeMachineTest, ItAddsNothingToALogWhoseFirstEntryItHasNotFolded) {
  log::Entry foreign = ParametersEntry(JudgeParameters(), "another scheme");
  world_->AppendValue(foreign.SerializeAsString());
  ASSERT_TRUE(world_->StepUntil(0, kStandby));
  world_->Assign(0);
  EXPECT_THAT(EndOf(one()), HasSubstr("another scheme"));
  EXPECT_EQ(world_->log.bounds().high, 1);
}

TEST_F(JudgeMachineTest, ParametersOfAJudgeBeforeItBehindItsOwnAreAnswered) {
  // The log has entries, and nothing of it was judged: the parameters are met while live.
  JudgeParameters other;
  other.max_distance = 3;
  world_->AppendValue(ParametersEntry(other, JudgeWorld::kScheme).SerializeAsString());
  ASSERT_TRUE(world_->GoLive(0, 2));
  EXPECT_EQ(one().parameters_appended(), 1);
  EXPECT_EQ(one().fold().parameters(), JudgeParameters());
}

// --- Standby -------------------------------------------------------------------------------------

TEST_F(JudgeMachineTest, AStandbyFoldsWhatIsPublishedAndNoMore) {
  StartBoth(4);
  AppendPages(10);  // nobody judges them
  Step(two(), 20);
  EXPECT_EQ(two().fold().position().offset, 4);
  EXPECT_EQ(two().state(), kStandby);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, AStandbyThatIsBehindCatchesUpBeforeItGoesLive) {
  StartBoth(2);
  AppendPages(50);
  for (int i = 0; i < 100 && !world_->all_judged(); ++i) Step(one());
  EXPECT_EQ(two().fold().position().offset, 2);
  one().Kill();
  world_->AppendPage();
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, AStandbyWaitsAnOutageOut) {
  StartBoth(2);
  for (int i = 0; i < 20; ++i) world_->FailNext(Call::kCommitted, kRetriable);
  Step(two(), 20);
  EXPECT_EQ(two().sessions(), 1);
  EXPECT_EQ(two().state(), kStandby);
}

TEST_F(JudgeMachineTest, AStandbyWhoseClientBreaksBeginsAgain) {
  StartBoth(2);
  world_->FailNext(Call::kPoll, kUnknown);
  Step(two(), 3);
  EXPECT_EQ(two().sessions(), 2);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, AWarmingJudgeWhoseReaderBreaksBeginsAgain) {
  ASSERT_TRUE(world_->GoLive(0, 10));
  for (const Call call : {Call::kOpenReader, Call::kReplayRead, Call::kJoin}) {
    world_->FailNext(call, kUnknown);
  }
  for (int i = 0; i < 50 && two().state() != kStandby; ++i) Step(two());
  EXPECT_EQ(two().sessions(), 4);
}

TEST_F(JudgeMachineTest, ARetriableReadIsAsIfNothingHadCome) {
  ASSERT_TRUE(world_->GoLive(0, 10));
  world_->FailNext(Call::kReplayRead, kRetriable);
  ASSERT_TRUE(world_->StepUntil(1, kStandby));
  EXPECT_EQ(two().sessions(), 1);
}

TEST_F(JudgeMachineTest, AStandbySeesThatItsLogWasReplaced) {
  StartBoth(4);
  two().Kill();
  one().Stop();
  world_->log.Recreate();
  for (int i = 0; i < 10; ++i) world_->AppendPage("another");
  two().Start();
  EXPECT_THAT(EndOf(two()), HasSubstr("is not the one that the state folded there"));
}

// --- Takeover ------------------------------------------------------------------------------------

TEST_F(JudgeMachineTest, AKilledJudgeIsFollowedByTheStandbyWithTheSameVerdicts) {
  StartBoth(6);
  AppendPages(3);
  Step(one());  // a batch is open
  one().Kill();
  ExpectAllJudged();
  EXPECT_EQ(two().state(), kLive);
}

TEST_F(JudgeMachineTest, ARevokedJudgeCommitsItsOpenBatchFirst) {
  StartBoth(4);
  AppendPages(2);
  Step(one());
  EXPECT_EQ(world_->committed()->offset, 5);
  world_->Assign(1);
  Step(one());
  EXPECT_EQ(world_->committed()->offset, 7);
  EXPECT_EQ(one().state(), kStandby);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, ALostJudgeDropsItsOpenBatch) {
  StartBoth(4);
  AppendPages(2);
  Step(one());
  world_->Depose();
  Step(one());
  EXPECT_EQ(one().state(), kStandby);
  EXPECT_EQ(world_->committed()->offset, 5);
  EXPECT_FALSE(one().fold().has_open_changes());
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, AJudgeThatWasPausedIsFencedAndBecomesTheStandby) {
  StartBoth(4);
  AppendPages(2);
  Step(one());
  world_->Depose(/*delay=*/5);  // it doesn't know yet
  world_->Assign(1);
  ASSERT_TRUE(world_->StepUntil(1, kLive));
  AppendPages(4);
  for (int i = 0; i < 10; ++i) Step(one());  // commits, and is refused
  EXPECT_EQ(world_->committed()->offset, 5);
  EXPECT_EQ(one().sessions(), 2);
  ExpectAllJudged();
  EXPECT_EQ(two().state(), kLive);
  EXPECT_EQ(one().state(), kStandby);
}

TEST_F(JudgeMachineTest, FencedBetweenItsBatchesItPublishesNothingMore) {
  StartBoth(4);
  world_->Depose(/*delay=*/50);
  world_->Assign(1);
  ASSERT_TRUE(world_->StepUntil(1, kLive));
  AppendPages(6);
  Step(one(), 3);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, FencedWhileItRestoresItBeginsAgain) {
  StartBoth(4);
  one().Kill();
  world_->Rebalance();
  world_->FailNext(Call::kFence, kFenced);
  Step(two(), 3);
  EXPECT_EQ(two().failure()->error_class, ErrorClass::kFenced);
  world_->AppendPage();
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, FencedAtTheBeginOfABatchItDropsNothingThatWasPromised) {
  StartBoth(4);
  world_->FailNext(Call::kBegin, kFenced);
  AppendPages(3);
  ExpectAllJudged();
  EXPECT_EQ(one().sessions(), 2);
}

TEST_F(JudgeMachineTest, FencedInTheMiddleOfABatchItsVerdictsAreNotSeen) {
  StartBoth(4);
  AppendPages(3);
  world_->FailNext(Call::kPublish, kFenced);
  Step(one());
  EXPECT_EQ(world_->visible().size(), 4U);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, RevokedWhileItRestoresItGoesBackToStandby) {
  ASSERT_TRUE(world_->GoLive(0, 40));
  ASSERT_TRUE(world_->StepUntil(1, kStandby));
  AppendPages(40);
  for (int i = 0; i < 100 && !world_->all_judged(); ++i) Step(one());
  one().Kill();
  world_->portion = [](std::size_t count) { return std::min<std::size_t>(count, 1); };
  world_->Rebalance();
  ASSERT_TRUE(world_->StepUntil(1, kRestoring));
  Step(two(), 2);
  world_->Depose();
  Step(two());
  EXPECT_EQ(two().state(), kStandby);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, AssignedAgainInOnePollItRestoresAnew) {
  StartBoth(4);
  AppendPages(2);
  Step(one());
  world_->Depose();
  world_->Assign(0);
  Step(one());
  EXPECT_EQ(one().state(), kRestoring);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, TheJudgeBeforeItIsFencedBeforeTheCommittedPlaceIsRead) {
  StartBoth(4);
  one().Kill();
  world_->Rebalance();
  ASSERT_TRUE(world_->StepUntil(1, kRestoring));
  std::vector<Call> calls;
  world_->faults = [&calls](std::size_t, Call call) {
    calls.push_back(call);
    return std::nullopt;
  };
  Step(two());
  const auto fence = std::ranges::find(calls, Call::kFence);
  ASSERT_NE(fence, calls.end());
  EXPECT_EQ(std::ranges::count(calls.begin(), fence, Call::kCommitted), 0);
  EXPECT_EQ(std::ranges::count(fence, calls.end(), Call::kCommitted), 1);
}

TEST_F(JudgeMachineTest, ACommitThatIsOnItsWayCountsBeforeTheNextJudgeGoesOn) {
  StartBoth(4);
  AppendPages(3);
  world_->FailNext(Call::kCommit, kUnknownUntilLater);
  Step(one(), 3);
  ASSERT_EQ(world_->committed()->offset, 5) << "its commit is still on its way";
  one().Kill();
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, AnEmptyStateTakesOverByFoldingAllThatWasPublished) {
  ASSERT_TRUE(world_->GoLive(0, 30));
  one().Kill();
  AppendPages(5);
  ExpectAllJudged();
  EXPECT_EQ(two().fold().position().offset, world_->log.bounds().high - 1);
}

TEST_F(JudgeMachineTest, AStateOfAnEarlierTimeIsFoldedForwardWithoutPublishing) {
  ASSERT_TRUE(world_->GoLive(0, 30));
  one().Kill(/*lost=*/3);
  ASSERT_LT(one().fold().position().offset, 29);
  one().Start();
  AppendPages(2);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, AProcessThatLostItsWholeStateFoldsAllOfItAgain) {
  ASSERT_TRUE(world_->GoLive(0, 30));
  one().Kill(/*lost=*/1000);
  ASSERT_EQ(one().fold().position().offset, -1);
  one().Start();
  AppendPages(2);
  ExpectAllJudged();
}

// --- Batches -------------------------------------------------------------------------------------

TEST_F(JudgeMachineTest, AFullBatchIsCommittedAtOnce) {
  StartBoth(0);
  AppendPages(4);
  Step(one());
  EXPECT_EQ(world_->committed()->offset, 5);
}

TEST_F(JudgeMachineTest, AFullSinkIsCommittedAmongFetchedEntries) {
  Make({.commit_entries = 100, .sink_verdicts = 2});
  StartBoth(0);
  AppendPages(5);
  Step(one());
  EXPECT_EQ(world_->committed()->offset, 5) << "the parameters and twice two verdicts";
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, ABatchIsCommittedWhenItsTimeIsOver) {
  StartBoth(0);
  AppendPages(1);
  Step(one());
  EXPECT_EQ(world_->committed()->offset, 1);
  world_->now += std::chrono::milliseconds(201);
  Step(one());
  EXPECT_EQ(world_->committed()->offset, 2);
}

TEST_F(JudgeMachineTest, AnOrderlyEndCommitsTheOpenBatch) {
  StartBoth(0);
  AppendPages(2);
  Step(one());
  one().Stop();
  EXPECT_EQ(world_->committed()->offset, 3);
}

TEST_F(JudgeMachineTest, AnAbortedBatchIsJudgedAgain) {
  StartBoth(4);
  AppendPages(3);
  world_->FailNext(Call::kCommit, kAborted);
  world_->now += std::chrono::seconds(1);
  Step(one(), 3);
  EXPECT_FALSE(one().fold().has_open_changes());
  ExpectAllJudged();
  EXPECT_EQ(one().sessions(), 2);
}

TEST_F(JudgeMachineTest, ABatchWhoseRecordsCannotBeWrittenIsJudgedAgain) {
  StartBoth(4);
  AppendPages(2);
  Step(one());
  world_->FailNext(Call::kSinkPoll, kAborted);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, ACommitOfUnknownOutcomeThatHappenedIsNotRepeated) {
  StartBoth(4);
  AppendPages(4);
  world_->FailNext(Call::kCommit, kUnknownButDone);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, ACommitOfUnknownOutcomeThatDidNotHappenIsRepeated) {
  StartBoth(4);
  AppendPages(4);
  world_->FailNext(Call::kCommit, kUnknown);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, ACommitOfUnknownOutcomeThatHappensLaterCountsOnce) {
  StartBoth(4);
  AppendPages(4);
  world_->FailNext(Call::kCommit, kUnknownUntilLater);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, ATransactionThatTheBrokerTimedOutIsJudgedAgain) {
  StartBoth(4);
  AppendPages(2);
  Step(one());
  world_->TimeOutTransaction();
  ExpectAllJudged();
  EXPECT_EQ(one().sessions(), 2);
}

TEST_F(JudgeMachineTest, ARevocationWhoseCommitFailsEndsTheSession) {
  StartBoth(4);
  AppendPages(2);
  Step(one());
  world_->FailNext(Call::kCommit, kUnknown);
  world_->Assign(1);
  Step(one());
  ASSERT_TRUE(one().failure().has_value());
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, ARefusedVerdictEndsTheJudgeForGood) {
  StartBoth(4);
  AppendPages(2);
  world_->FailNext(Call::kPublish, kFinal);
  EXPECT_THAT(EndOf(one()), HasSubstr("publish"));
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, KilledBetweenTheCommitsOfVerdictsAndStateItFoldsTheBatchAgain) {
  StartBoth(4);
  AppendPages(4);
  world_->FailNext(Call::kStateCommit, kKill);
  Step(one());
  ASSERT_FALSE(one().is_running());
  EXPECT_EQ(world_->committed()->offset, 9);
  EXPECT_EQ(one().fold().position().offset, 4);
  one().Start();
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, KilledInTheCommitItGoesOnWhereThatSays) {
  for (const Failing& kill : {kKill, kKillAfter, kKillBeforeItLands}) {
    Make({});
    StartBoth(4);
    AppendPages(4);
    world_->FailNext(Call::kCommit, kill);
    Step(one());
    ASSERT_FALSE(one().is_running());
    one().Start();
    ExpectAllJudged();
  }
}

TEST_F(JudgeMachineTest, ADiskThatRefusesTheStateEndsTheJudgeAndLosesNothing) {
  StartBoth(4);
  AppendPages(4);
  world_->FailNext(Call::kStateCommit, kFinal);
  EXPECT_THAT(EndOf(one()), HasSubstr("the disk"));
  one().Start();
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, AReadErrorOfTheStateEndsTheJudgeAndLosesNothing) {
  StartBoth(4);
  AppendPages(4);
  world_->FailNext(Call::kFold, kFinal);
  EXPECT_THAT(EndOf(one()), HasSubstr("the disk"));
  EXPECT_FALSE(one().fold().has_open_changes());
  one().Start();
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, AFailedSeekIsNotGoneOnFrom) {
  ASSERT_TRUE(world_->GoLive(0, 4));
  one().Kill();
  one().Start();
  world_->FailNext(Call::kSeek, kUnknown);
  AppendPages(3);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, ParametersWhoseAppendFailedAreAppendedByTheNextSession) {
  for (const Failing& failing : {kUnknown, kUnknownButDone}) {
    Make({});
    world_->FailNext(Call::kAppend, failing);
    ASSERT_TRUE(world_->StepUntil(0, kStandby));
    world_->Assign(0);
    for (int i = 0; i < 20 && one().sessions() < 2; ++i) Step(one());
    for (int i = 0; i < 200 && one().state() != kLive; ++i) {
      world_->Rebalance();
      Step(one());
    }
    AppendPages(2);
    ExpectAllJudged();
    EXPECT_EQ(world_->visible().size(), 2U);
    EXPECT_EQ(world_->violation(), "");
  }
}

TEST_F(JudgeMachineTest, ARedeliveredRecordGetsNoSecondVerdict) {
  StartBoth(4);
  world_->AppendRedelivered();
  AppendPages(1);
  ExpectAllJudged();
  EXPECT_EQ(world_->visible().size(), 5U);
}

// --- The log -------------------------------------------------------------------------------------

TEST_F(JudgeMachineTest, AGapInTheLogMayPassOnceAndThenEndsTheJudge) {
  ASSERT_TRUE(world_->GoLive(0, 4));
  world_->log.LeaveOut();
  AppendPages(3);
  EXPECT_THAT(EndOf(one()), HasSubstr("goes on with offset 6 where 5 was expected"));
  EXPECT_EQ(one().sessions(), 2);
  EXPECT_EQ(world_->committed()->offset, 5);
}

TEST_F(JudgeMachineTest, AHoleThatIsNamedIsPassedOverByEveryJudge) {
  ASSERT_TRUE(world_->GoLive(0, 4));
  world_->log.LeaveOut();
  AppendPages(3);
  EXPECT_THAT(EndOf(one()), HasSubstr("\"5:hole\""));
  world_->description.skipped = {{5, "hole"}};
  one().Start();
  ExpectAllJudged();
  EXPECT_EQ(one().skipped(), 1);
  two().Start();
  ExpectAllJudged();
  EXPECT_EQ(two().skipped(), 1) << "in the replay";
  EXPECT_EQ(world_->visible().size(), 7U);
}

TEST_F(JudgeMachineTest, AGapInWhatIsReplayedEndsTheJudgeToo) {
  ASSERT_TRUE(world_->GoLive(0, 4));
  one().Kill(/*lost=*/1000);
  one().Start();
  MemoryLog torn;
  for (const auto& [offset, stored] : world_->log.records()) {
    if (offset == 2) {
      torn.LeaveOut();
    } else {
      torn.Append(stored.value);
    }
  }
  world_->log = torn;
  EXPECT_THAT(EndOf(one()), HasSubstr("goes on with offset 3 where 2 was expected"));
}

TEST_F(JudgeMachineTest, ATruncatedLogIsRefused) {
  ASSERT_TRUE(world_->GoLive(0, 10));
  one().Stop();
  world_->log.Truncate(6);
  one().Start();
  EXPECT_THAT(EndOf(one()), HasSubstr("the log ends at 6"));
}

TEST_F(JudgeMachineTest, ATruncatedLogIsRefusedByAnEmptyStateToo) {
  ASSERT_TRUE(world_->GoLive(0, 10));
  one().Stop();
  world_->log.Truncate(6);
  EXPECT_THAT(EndOf(two()), HasSubstr("has committed offset 11"));
}

TEST_F(JudgeMachineTest, ALogThatLostItsEndAndWentOnIsRefusedByItsState) {
  ASSERT_TRUE(world_->GoLive(0, 10));
  one().Stop();
  world_->log.Truncate(6);
  AppendPages(10);
  one().Start();
  EXPECT_THAT(EndOf(one()), HasSubstr("entry 10 of log fingerprints is not the one"));
}

TEST_F(JudgeMachineTest, ALogThatLostItsEndAndWentOnIsRefusedByTheCommittedChecksum) {
  ASSERT_TRUE(world_->GoLive(0, 10));
  one().Stop();
  world_->log.Truncate(6);
  AppendPages(10);
  EXPECT_THAT(EndOf(two()), HasSubstr("the log lost entries and went on"));
  world_->ForgetOracle();
}

TEST_F(JudgeMachineTest, ARecreatedEmptyLogIsRefused) {
  ASSERT_TRUE(world_->GoLive(0, 10));
  one().Stop();
  world_->log.Recreate();
  one().Start();
  EXPECT_THAT(EndOf(one()), HasSubstr("recreated or truncated"));
}

TEST_F(JudgeMachineTest, ALogWhoseBeginningWasDeletedServesAStateThatCoversIt) {
  ASSERT_TRUE(world_->GoLive(0, 10));
  one().Stop();
  ASSERT_NE(world_->oracle().HashAt(10), 0U);
  world_->log.DeleteBefore(8);
  one().Start();
  AppendPages(3);
  ExpectAllJudged();
  EXPECT_THAT(EndOf(two()), HasSubstr("begins at offset 8"));
}

TEST_F(JudgeMachineTest, AnEntryOfAnotherSchemeEndsTheJudgeAndSaysWhichItIs) {
  StartBoth(4);
  world_->AppendPage("cs-other");
  const std::string message = EndOf(one());
  EXPECT_THAT(message, HasSubstr("an entry of scheme cs-other (log fingerprints, offset 5)"));
  EXPECT_THAT(message, HasSubstr("kafka.log.skip"));
}

TEST_F(JudgeMachineTest, WhatIsNotAnEntryEndsTheJudgeAndSaysWhatToDo) {
  StartBoth(4);
  world_->AppendValue("\xff\xff not an entry");
  EXPECT_THAT(EndOf(one()), HasSubstr("what is not an entry of crawlsieve (log fingerprints"));
}

TEST_F(JudgeMachineTest, ANamedEntryIsPassedOverLiveAndInAReplay) {
  world_->PlanStray(3);
  StartBoth(6);
  EXPECT_EQ(one().skipped(), 1);
  EXPECT_EQ(two().skipped(), 1);
  ExpectAllJudged();
  EXPECT_EQ(world_->visible().size(), 6U);
}

TEST_F(JudgeMachineTest, ANamedEntryAtTheBeginningIsPassedOver) {
  world_->PlanStray(0);
  StartBoth(3);
  ExpectAllJudged();
}

TEST_F(JudgeMachineTest, ACommittedPlaceThatWasSetBackIsRefused) {
  // A world of its own, since its promise is broken by hand: the group knows less than the state.
  JudgeWorld earlier;
  earlier.AddProcess();
  ASSERT_TRUE(earlier.GoLive(0, 4));
  JudgeProcess& judge = earlier.process(0);
  judge.Stop();
  for (int i = 0; i < 4; ++i) earlier.AppendPage();
  log::Entry entry;
  ASSERT_TRUE(ParseEntry(earlier.log.records().at(5).value, entry));
  ASSERT_TRUE(judge.fold().Fold(entry).has_value());
  ASSERT_TRUE(judge.fold().Commit({5, "a checksum"}).has_value());
  judge.Start();
  EXPECT_THAT(EndOf(judge), HasSubstr("past the committed offset 5"));
  EXPECT_THAT(earlier.violation(), HasSubstr("isn't published")) << "the model sees it as well";
}

// --- At least once -------------------------------------------------------------------------------

class JudgeAtLeastOnceTest : public JudgeMachineTest {
 protected:
  void SetUp() override { Make({.is_exactly_once = false}); }
};

TEST_F(JudgeAtLeastOnceTest, AllIsJudgedAndThePlaceIsCommittedBehindTheState) {
  StartBoth(6);
  ExpectAllJudged();
  EXPECT_EQ(world_->visible().size(), 6U);
}

TEST_F(JudgeAtLeastOnceTest, KilledBeforeTheStateItRepeatsTheBatch) {
  StartBoth(4);
  AppendPages(4);
  world_->FailNext(Call::kStateCommit, kKill);
  Step(one());
  one().Start();
  ExpectAllJudged();
  EXPECT_EQ(world_->visible().size(), 12U) << "four of them twice";
}

TEST_F(JudgeAtLeastOnceTest, KilledBeforeThePlaceIsCommittedItRepeatsNothing) {
  StartBoth(4);
  AppendPages(4);
  world_->FailNext(Call::kAcknowledge, kKill);
  Step(one());
  one().Start();
  AppendPages(1);
  world_->Assign(0);
  ASSERT_TRUE(world_->StepUntil(0, kStandby));
  world_->Assign(0);
  ExpectAllJudged();
}

TEST_F(JudgeAtLeastOnceTest, APlaceThatCannotBeCommittedJustNowIsCommittedWithTheNextBatch) {
  StartBoth(4);
  world_->FailNext(Call::kAcknowledge, kRetriable);
  AppendPages(8);
  ExpectAllJudged();
  EXPECT_EQ(one().sessions(), 1);
}

TEST_F(JudgeAtLeastOnceTest, AFailedFlushIsPublishedAgain) {
  StartBoth(4);
  AppendPages(4);
  world_->FailNext(Call::kCommit, kUnknown);
  ExpectAllJudged();
  EXPECT_GT(world_->visible().size(), 8U);
}

TEST_F(JudgeAtLeastOnceTest, AStateAheadOfThePlaceGoesOnBehindItself) {
  StartBoth(4);
  AppendPages(4);
  world_->FailNext(Call::kAcknowledge, kKill);
  Step(one());
  EXPECT_EQ(world_->committed()->offset, 5);
  EXPECT_EQ(one().fold().position().offset, 8);
  two().Kill();
  one().Start();
  AppendPages(1);
  ExpectAllJudged();
  EXPECT_EQ(world_->visible().size(), 9U);
}

// --- The table of moves --------------------------------------------------------------------------

TEST(JudgeMoves, AreThoseOfTheTable) {
  const std::vector<std::pair<JudgeState, JudgeState>> moves = {
      {kCreated, kWarming},   {kWarming, kStandby},  {kStandby, kRestoring}, {kRestoring, kLive},
      {kRestoring, kStandby}, {kLive, kStandby},     {kCreated, kClosed},    {kWarming, kClosed},
      {kStandby, kClosed},    {kRestoring, kClosed}, {kLive, kClosed}};
  for (const JudgeState from : {kCreated, kWarming, kStandby, kRestoring, kLive, kClosed}) {
    for (const JudgeState to : {kCreated, kWarming, kStandby, kRestoring, kLive, kClosed}) {
      const bool is_listed = std::ranges::count(moves, std::pair(from, to)) > 0;
      EXPECT_EQ(JudgeMachine::MayMove(from, to), is_listed)
          << static_cast<int>(from) << " to " << static_cast<int>(to);
    }
  }
}

}  // namespace
}  // namespace crawlsieve::testing
