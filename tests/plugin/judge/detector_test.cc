#include "plugin/judge/detector.h"

#include "plugin/index/flat_index.h"
#include "plugin/index/sharded_index.h"
#include "plugin/judge/state_hash.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::EntryBuilder;
using testing::kScheme;
using testing::Parameters;
using testing::ParametersOf;
using testing::RandomLog;
using testing::SketchAt;
using testing::TemporaryDirectory;
using testing::WithFetches;
using testing::WithRevisits;

Result<std::unique_ptr<HammingIndex>> MakeFlatIndex(int /*max_distance*/) {
  return std::make_unique<FlatIndex>();
}

Result<std::unique_ptr<HammingIndex>> MakeShardedIndex(int max_distance) {
  return ShardedIndex::Create(
      {.max_distance = max_distance, .shards = 4, .expected_entries = 1000});
}

log::Entry DaysLater(int days, log::Entry entry) {
  log::Page& page = *entry.mutable_page();
  page.set_fetch_time_ms(page.fetch_time_ms() + days * std::int64_t{86'400'000});
  return entry;
}

log::Entry WithTitle(log::Entry entry, std::uint32_t title) {
  entry.mutable_page()->set_title(title);
  return entry;
}

/// A detector on an empty state, with the parameters entry folded.
class DetectorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    OpenStore();
    Fold(ParametersEntry(Parameters(), kScheme));
  }

  void OpenStore() {
    auto store = Store::Open({.directory = directory_.path() / "state"});
    ASSERT_TRUE(store.has_value()) << store.error().message;
    store_ = std::move(*store);
    auto detector = Detector::Open(*store_, MakeFlatIndex, kScheme);
    ASSERT_TRUE(detector.has_value()) << detector.error().message;
    detector_ = std::move(*detector);
  }

  /// As after the end of the process: only what was committed is left.
  void Restart() {
    detector_.reset();
    ASSERT_TRUE(store_->Flush().has_value());
    store_.reset();
    OpenStore();
  }

  Folded Fold(const log::Entry& entry) {
    auto folded = detector_->Fold(entry);
    EXPECT_TRUE(folded.has_value()) << folded.error().message;
    return folded.has_value() ? *folded : Folded();
  }

  Verdict Judge(const log::Entry& entry) {
    const Folded folded = Fold(entry);
    EXPECT_EQ(folded.outcome, FoldOutcome::kVerdict);
    return folded.verdict.value_or(Verdict());
  }

  void Commit() {
    const auto committed = detector_->Commit(LogPosition{++log_offset_, "0123456789abcdef"});
    ASSERT_TRUE(committed.has_value()) << committed.error().message;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  EntryBuilder entries_{kScheme};
  std::int64_t log_offset_ = -1;
};

TEST_F(DetectorTest, FirstPageIsUnique) {
  const Verdict verdict = Judge(entries_.Text("http://a/", "text", 0xff));
  EXPECT_EQ(verdict.reason, Reason::kUnique);
  EXPECT_FALSE(verdict.match.has_value());
  ASSERT_TRUE(verdict.cluster.has_value());
  EXPECT_EQ(verdict.cluster->id.sequence, verdict.sequence);
  EXPECT_EQ(verdict.cluster->size, 1U);
  ASSERT_TRUE(verdict.recrawl.has_value());
  EXPECT_EQ(verdict.recrawl->changed, std::nullopt);
}

TEST_F(DetectorTest, SequenceCountsFoldedEntries) {
  EXPECT_EQ(Judge(entries_.Text("http://a/", "a", 0)).sequence, 2U);
  Fold(entries_.Page("", log::OUTCOME_DEAD_LETTER));
  EXPECT_EQ(Judge(entries_.Text("http://b/", "b", ~0ULL)).sequence, 4U);
}

TEST_F(DetectorTest, SameContentOnAnotherUrlIsAnExactDuplicate) {
  const Verdict first = Judge(entries_.Text("http://a/", "text", 0xff));
  const Verdict verdict = Judge(entries_.Text("http://b/", "text", 0xff));
  EXPECT_EQ(verdict.reason, Reason::kExactDuplicate);
  ASSERT_TRUE(verdict.match.has_value());
  EXPECT_EQ(verdict.match->document.sequence, first.sequence);
  EXPECT_EQ(verdict.match->url, "http://a/");
  EXPECT_EQ(verdict.match->id, "id of http://a/");
  EXPECT_TRUE(verdict.match->exact);
  EXPECT_EQ(verdict.match->similarity.ten_thousandths, Score::kOne);
  EXPECT_EQ(verdict.cluster->size, 2U);
}

TEST_F(DetectorTest, EveryDistanceUpToTheMaximumIsANearDuplicate) {
  Judge(entries_.Text("http://a/", "text", 0));
  for (int distance = 1; distance <= 3; ++distance) {
    const Verdict verdict =
        Judge(entries_.Text("http://near/" + std::to_string(distance),
                            "near " + std::to_string(distance), (1ULL << distance) - 1));
    EXPECT_EQ(verdict.reason, Reason::kNearDuplicate) << distance;
    ASSERT_TRUE(verdict.match.has_value());
    EXPECT_EQ(verdict.match->distance, distance);
    EXPECT_FALSE(verdict.match->exact);
    EXPECT_EQ(verdict.cluster->size, static_cast<std::uint64_t>(distance) + 1);
  }
  EXPECT_EQ(Judge(entries_.Text("http://far/", "far", 0xf)).reason, Reason::kUnique);
}

TEST_F(DetectorTest, ACandidateThatTheSketchDoesNotConfirmIsNoDuplicate) {
  Judge(entries_.Text("http://a/", "item 1", 0));
  log::Entry other = entries_.Text("http://b/", "item 2", 0x1);
  EntryBuilder::SetSketch(other, SketchAt(0.65));
  EXPECT_EQ(Judge(other).reason, Reason::kUnique);
  log::Entry near = entries_.Text("http://c/", "item 1, other counter", 0x3);
  EntryBuilder::SetSketch(near, SketchAt(0.75));
  const Verdict verdict = Judge(near);
  EXPECT_EQ(verdict.reason, Reason::kNearDuplicate);
  EXPECT_EQ(verdict.match->distance, 1) << "b is nearer to c than a";
  EXPECT_EQ(verdict.match->url, "http://b/");
}

TEST_F(DetectorTest, TheNearestConfirmedCandidateMatches) {
  log::Entry other = entries_.Text("http://other/", "item 2", 0);
  EntryBuilder::SetSketch(other, SketchAt(0.2));
  Judge(other);
  Judge(entries_.Text("http://item/", "item 1", 0x7));
  const Verdict verdict = Judge(entries_.Text("http://copy/", "item 1 again", 0));
  EXPECT_EQ(verdict.reason, Reason::kNearDuplicate);
  EXPECT_EQ(verdict.match->url, "http://item/");
  EXPECT_EQ(verdict.match->distance, 3);
  EXPECT_EQ(verdict.match->similarity.ten_thousandths, Score::kOne);
  EXPECT_EQ(detector_->confirm_work().compared, 3U);
  EXPECT_EQ(detector_->confirm_work().confirmed, 1U);
}

TEST_F(DetectorTest, NoMoreCandidatesAreComparedThanTheParametersAllow) {
  // Pages of one template: all within reach, none alike. With a fourth the bound of 3 is met.
  for (int i = 0; i < 4; ++i) {
    log::Entry item = entries_.Text("http://" + std::to_string(i), std::to_string(i), 0);
    Sketch sketch;
    sketch.words[static_cast<std::size_t>(i)] = sketch.words[6] = ~std::uint64_t{0};
    EntryBuilder::SetSketch(item, sketch);
    ASSERT_EQ(Judge(item).reason, Reason::kUnique);
  }
  EXPECT_EQ(detector_->confirm_work().cut, 0U) << "three others are all compared";
  EXPECT_EQ(detector_->confirm_work().compared, 0U + 1 + 2 + 3);
  Judge(entries_.Text("http://a/", "a", 0));
  EXPECT_EQ(detector_->confirm_work().cut, 1U);
  EXPECT_EQ(detector_->confirm_work().compared, 0U + 1 + 2 + 3 + 3);
}

TEST_F(DetectorTest, ThePagesOwnVersionTakesNoPlaceAmongTheCandidates) {
  log::Entry own = entries_.Text("http://own/", "own", 0);
  EntryBuilder::SetSketch(own, SketchAt(0.1));
  Judge(own);
  for (int i = 0; i < 2; ++i) {
    log::Entry item = entries_.Text("http://" + std::to_string(i), std::to_string(i), 0);
    Sketch sketch;
    sketch.words[static_cast<std::size_t>(i)] = sketch.words[6] = ~std::uint64_t{0};
    EntryBuilder::SetSketch(item, sketch);
    ASSERT_EQ(Judge(item).reason, Reason::kUnique);
  }
  Judge(entries_.Text("http://item/", "item", 0));
  const Verdict verdict = Judge(entries_.Text("http://own/", "item, again", 0));
  EXPECT_EQ(verdict.match->url, "http://item/") << "the third candidate, own version apart";
}

TEST_F(DetectorTest, AnUpdateThatOnlyTheSketchShowsIsAnUpdate) {
  Judge(entries_.Text("http://a/", "old", 0));
  log::Entry update = entries_.Text("http://a/", "new", 0x1);
  EntryBuilder::SetSketch(update, SketchAt(0.5));
  const Verdict verdict = Judge(update);
  EXPECT_EQ(verdict.reason, Reason::kUpdated);
  EXPECT_EQ(verdict.recrawl->changed, true);
}

TEST_F(DetectorTest, ChangesThatDoNotCountDoNotHastenTheNextFetch) {
  Judge(entries_.Text("http://a/", "text", 0));
  Judge(entries_.Text("http://a/", "text, another date", 0x1));
  EXPECT_EQ(Judge(entries_.Text("http://a/", "text, a third date", 0x3)).recrawl->changed, false);
  Judge(entries_.Text("http://b/", "text, and an advertisement", 0x1));
  const Verdict again = Judge(entries_.Text("http://b/", "text, and another one", 0x3));
  EXPECT_EQ(again.reason, Reason::kNearDuplicate);
  EXPECT_EQ(again.recrawl->changed, false) << "repeats the same page as before";
}

TEST(SketchInTheState, TakesAtMost64BytesOfAKeptPage) {
  state::Document without;
  without.set_url("http://a/");
  state::Document with = without;
  with.set_shingles((1 << 21) - 1);  // twice the words of a page at its limit
  with.set_title(kTitleClasses);
  for (std::size_t i = 0; i < Sketch::kWords; ++i) with.add_sketch(~std::uint64_t{0});
  EXPECT_LE(with.ByteSizeLong() - without.ByteSizeLong(), 64U);
}

TEST_F(DetectorTest, RefusesASketchOfAnotherLength) {
  log::Entry entry = entries_.Text("http://a/", "text", 0);
  entry.mutable_page()->mutable_sketch()->RemoveLast();
  const auto folded = detector_->Fold(entry);
  ASSERT_FALSE(folded.has_value());
  EXPECT_EQ(folded.error().code, ErrorCode::kInvalidInput);
}

TEST_F(DetectorTest, NearDuplicatesDoNotChain) {
  Judge(entries_.Text("http://a/", "a", 0));
  EXPECT_EQ(Judge(entries_.Text("http://b/", "b", 0x7)).reason, Reason::kNearDuplicate);
  // Within reach of b, but b was dropped: out of reach of a, the page is new.
  EXPECT_EQ(Judge(entries_.Text("http://c/", "c", 0x3f)).reason, Reason::kUnique);
}

TEST_F(DetectorTest, NearestThenOldestRepresentativeMatches) {
  Judge(entries_.Text("http://two/", "two", 0x3));
  Judge(entries_.Text("http://one/", "one", 0xf0));
  Judge(entries_.Text("http://other/", "other", 0xf000000));
  const Verdict verdict = Judge(entries_.Text("http://x/", "x", 0x70));
  ASSERT_TRUE(verdict.match.has_value());
  EXPECT_EQ(verdict.match->url, "http://one/");
}

TEST_F(DetectorTest, ExactMatchGoesBeforeANearerOne) {
  Judge(entries_.Text("http://a/", "text", 0x1));
  const Verdict verdict = Judge(entries_.Text("http://b/", "text", 0x1));
  EXPECT_TRUE(verdict.match->exact);
}

TEST_F(DetectorTest, SameUrlSameContentIsUnchanged) {
  const Verdict first = Judge(entries_.Text("http://a/", "text", 0xff));
  const Verdict verdict = Judge(DaysLater(30, entries_.Text("http://a/", "text", 0xff)));
  EXPECT_EQ(verdict.reason, Reason::kUnchanged);
  EXPECT_EQ(verdict.match->document.sequence, first.sequence);
  EXPECT_TRUE(verdict.match->exact);
  EXPECT_EQ(verdict.cluster->size, 1U) << "a URL is not counted twice";
  EXPECT_EQ(verdict.recrawl->changed, false);
  EXPECT_GT(verdict.recrawl->interval_seconds, first.recrawl->interval_seconds);
}

TEST_F(DetectorTest, SameUrlNearlySameContentIsUnchanged) {
  Judge(entries_.Text("http://a/", "text", 0));
  const Verdict verdict = Judge(entries_.Text("http://a/", "text with another date", 0x7));
  EXPECT_EQ(verdict.reason, Reason::kUnchanged);
  EXPECT_FALSE(verdict.match->exact);
  EXPECT_EQ(verdict.match->distance, 3);
}

TEST_F(DetectorTest, SmallChangesInManyStepsAreFoundAtLast) {
  Judge(entries_.Text("http://a/", "0", 0));
  EXPECT_EQ(Judge(entries_.Text("http://a/", "1", 0x3)).reason, Reason::kUnchanged);
  // Two bits from the last fetch, four from the kept version.
  EXPECT_EQ(Judge(entries_.Text("http://a/", "2", 0xf)).reason, Reason::kUpdated);
}

TEST_F(DetectorTest, SameUrlOtherContentIsUpdatedAndReplaces) {
  const Verdict first = Judge(entries_.Text("http://a/", "old", 0));
  const Verdict verdict = Judge(DaysLater(1, entries_.Text("http://a/", "new", 0xffff)));
  EXPECT_EQ(verdict.reason, Reason::kUpdated);
  EXPECT_FALSE(verdict.match.has_value());
  EXPECT_EQ(verdict.recrawl->changed, true);
  EXPECT_LT(verdict.recrawl->interval_seconds, first.recrawl->interval_seconds);
  // The old version is retired, the new one is live.
  EXPECT_EQ(Judge(entries_.Text("http://b/", "old", 0)).reason, Reason::kUnique);
  EXPECT_EQ(Judge(entries_.Text("http://c/", "new", 0xffff)).match->url, "http://a/");
}

TEST_F(DetectorTest, UpdateToAnotherPagesContentIsADuplicateAndRetiresTheOldVersion) {
  Judge(entries_.Text("http://a/", "a", 0));
  Judge(entries_.Text("http://b/", "b", 0xffff));
  EXPECT_EQ(Judge(entries_.Text("http://a/", "b", 0xffff)).reason, Reason::kExactDuplicate);
  EXPECT_EQ(Judge(entries_.Text("http://c/", "a", 0)).reason, Reason::kUnique);
}

TEST_F(DetectorTest, RevisitOfADuplicateStaysADuplicateAndCountsOnce) {
  Judge(entries_.Text("http://a/", "text", 0));
  Judge(entries_.Text("http://b/", "text", 0));
  const Verdict again = Judge(entries_.Text("http://b/", "text", 0));
  EXPECT_EQ(again.reason, Reason::kExactDuplicate);
  EXPECT_EQ(again.cluster->size, 2U);
  EXPECT_EQ(again.recrawl->changed, false);
}

TEST_F(DetectorTest, RevisitOfADuplicateWhoseRepresentativeIsGoneIsJudgedAfresh) {
  Judge(entries_.Text("http://a/", "text", 0));
  Judge(entries_.Text("http://b/", "text", 0));
  EXPECT_EQ(Judge(entries_.Page("http://a/", log::OUTCOME_DELETED)).reason, Reason::kDeleted);
  EXPECT_EQ(Judge(entries_.Text("http://b/", "text", 0)).reason, Reason::kUnique);
  EXPECT_EQ(Judge(entries_.Text("http://a/", "text", 0)).match->url, "http://b/");
}

TEST_F(DetectorTest, DeletingAnUnknownPageIsHarmless) {
  const Verdict verdict = Judge(entries_.Page("http://never/", log::OUTCOME_DELETED));
  EXPECT_EQ(verdict.reason, Reason::kDeleted);
  EXPECT_FALSE(verdict.recrawl.has_value());
}

TEST_F(DetectorTest, ShortPagesAreNeverDuplicatesNorMatches) {
  Judge(entries_.Text("http://a/", "few words", 0, 19));
  EXPECT_EQ(Judge(entries_.Text("http://b/", "few words", 0, 19)).reason, Reason::kTooShort);
  EXPECT_EQ(Judge(entries_.Text("http://c/", "more words", 0, 20)).reason, Reason::kUnique);
  EXPECT_EQ(Judge(entries_.Text("http://d/", "few words", 0, 19)).reason, Reason::kTooShort);
}

TEST_F(DetectorTest, PagesWithoutTextAreTooShortWhateverTheMinimum) {
  JudgeParameters parameters = Parameters();
  parameters.min_features = 0;
  Fold(ParametersEntry(parameters, kScheme));
  EXPECT_EQ(Judge(entries_.Text("http://a/", "", 0, 0)).reason, Reason::kTooShort);
  EXPECT_EQ(Judge(entries_.Text("http://b/", "", 0, 0)).reason, Reason::kTooShort);
}

TEST_F(DetectorTest, APageThatBecameShortRetiresItsKeptVersion) {
  Judge(entries_.Text("http://a/", "long", 0));
  EXPECT_EQ(Judge(entries_.Text("http://a/", "short", 0, 5)).reason, Reason::kTooShort);
  EXPECT_EQ(Judge(entries_.Text("http://b/", "long", 0)).reason, Reason::kUnique);
}

TEST_F(DetectorTest, FailedFetchesLeaveTheKeptVersionAlone) {
  Judge(entries_.Text("http://a/", "text", 0));
  EXPECT_EQ(Judge(entries_.Page("http://a/", log::OUTCOME_ERROR_STATUS)).reason,
            Reason::kErrorStatus);
  EXPECT_EQ(Judge(entries_.Text("http://b/", "text", 0)).reason, Reason::kExactDuplicate);
}

TEST_F(DetectorTest, WhatCouldNotBeEvaluatedIsKeptAndLeavesTheKeptVersionAlone) {
  const Verdict first = Judge(entries_.Text("http://a/", "text", 0));
  const Verdict verdict = Judge(entries_.Page("http://a/", log::OUTCOME_NOT_EVALUATED));
  EXPECT_EQ(verdict.reason, Reason::kNotEvaluated);
  EXPECT_EQ(RuleFor(verdict.reason).decision, Decision::kKeep);
  const Verdict copy = Judge(entries_.Text("http://b/", "text", 0));
  EXPECT_EQ(copy.reason, Reason::kExactDuplicate);
  EXPECT_EQ(copy.match->document.sequence, first.sequence);
  EXPECT_EQ(Judge(entries_.Text("http://a/", "text", 0)).reason, Reason::kUnchanged);
}

TEST_F(DetectorTest, ByVersionFourWhatCouldNotBeEvaluatedReplaces) {
  log::Entry parameters = ParametersEntry(Parameters(), kScheme);
  parameters.mutable_parameters()->set_fold_version(4);
  Fold(parameters);
  Judge(entries_.Text("http://a/", "text", 0));
  Judge(entries_.Page("http://a/", log::OUTCOME_NOT_EVALUATED));
  EXPECT_EQ(Judge(entries_.Text("http://b/", "text", 0)).reason, Reason::kUnique);
}

TEST_F(DetectorTest, BodiesThatAreNotHtmlAreComparedByteForByte) {
  EXPECT_EQ(Judge(entries_.Binary("http://a/1.pdf", "bytes")).reason, Reason::kNotHtml);
  const Verdict copy = Judge(entries_.Binary("http://b/1.pdf", "bytes"));
  EXPECT_EQ(copy.reason, Reason::kExactDuplicate);
  EXPECT_EQ(copy.match->url, "http://a/1.pdf");
  EXPECT_EQ(Judge(entries_.Binary("http://a/1.pdf", "bytes")).reason, Reason::kUnchanged);
  EXPECT_EQ(Judge(entries_.Binary("http://a/1.pdf", "other")).reason, Reason::kNotHtml);
}

TEST_F(DetectorTest, RedeliveryChangesNothing) {
  const log::Entry entry = entries_.Text("http://a/", "text", 0);
  Judge(entry);
  const Folded again = Fold(entry);
  EXPECT_EQ(again.outcome, FoldOutcome::kRedelivered);
  EXPECT_FALSE(again.verdict.has_value());
  EXPECT_EQ(Judge(entries_.Text("http://b/", "b", ~0ULL)).sequence, 3U);
}

TEST_F(DetectorTest, RedeliveryAfterARestartChangesNothing) {
  const log::Entry entry = entries_.Text("http://a/", "text", 0);
  Judge(entry);
  Commit();
  Restart();
  EXPECT_EQ(Fold(entry).outcome, FoldOutcome::kRedelivered);
}

log::Entry ParametersOfVersion(std::uint32_t fold_version) {
  log::Entry entry = ParametersEntry(Parameters(), kScheme);
  entry.mutable_parameters()->set_fold_version(fold_version);
  return entry;
}

TEST_F(DetectorTest, ByTheRulesOfVersion4AnEntryThatRanAheadIsIgnored) {
  Fold(ParametersOfVersion(4));
  Judge(entries_.Text("http://a/", "a", 0));
  const log::Entry skipped = entries_.Text("http://b/", "b", 0xffff);
  const log::Entry ahead = entries_.Text("http://c/", "c", ~0ULL);
  EXPECT_EQ(Fold(ahead).outcome, FoldOutcome::kRanAhead);
  EXPECT_EQ(Judge(skipped).reason, Reason::kUnique);
  EXPECT_EQ(Judge(ahead).reason, Reason::kUnique) << "the owner delivers it again, in order";
}

TEST_F(DetectorTest, EntriesBehindALossAreJudgedAndTheLossIsNamedUntilItIsMadeGood) {
  Judge(entries_.Text("http://a/", "a", 0));
  const log::Entry lost = entries_.Text("http://b/", "b", 0xffff);
  const log::Entry ahead = entries_.Text("http://c/", "c", ~0ULL);
  const Folded folded = Fold(ahead);
  EXPECT_EQ(folded.outcome, FoldOutcome::kVerdict);
  EXPECT_EQ(folded.gap.opened, (OffsetRange{1, 1}));
  Commit();
  Restart();
  auto open = detector_->OpenGaps();
  ASSERT_TRUE(open.has_value() && open->size() == 1);
  EXPECT_EQ(open->front().topic, "crawl.pages");
  EXPECT_EQ(open->front().offsets, (OffsetRange{1, 1}));
  const Folded filled = Fold(lost);
  EXPECT_EQ(filled.outcome, FoldOutcome::kVerdict) << "delivered again, it is judged";
  EXPECT_TRUE(filled.gap.is_filling);
  EXPECT_EQ(Fold(lost).outcome, FoldOutcome::kRedelivered) << "and only once";
  Commit();
  EXPECT_TRUE(detector_->OpenGaps()->empty());
}

TEST_F(DetectorTest, PagesThatRunIntoALimitCountForTheirHostAsDuplicatesDo) {
  const auto host_score = [&](const char* detail) {
    log::Entry entry = entries_.Page("http://a/" + std::string(detail), log::OUTCOME_NOT_EVALUATED);
    entry.mutable_page()->set_detail(detail);
    entry.mutable_page()->set_host(std::string(detail) + ".example");
    return Judge(entry).priority.components.host;
  };
  for (const std::string_view code : kLimitCodes) {
    EXPECT_EQ(host_score(code.data()), (Score{10'000 - 10'000 * 2 / 5})) << code;
  }
  for (const char* code : {"bad_encoding", "missing_body", "unsupported_body_ref", "truncated"}) {
    EXPECT_EQ(host_score(code), (Score{10'000 - 10'000 / 4})) << code;
  }
  Fold(ParametersOfVersion(4));
  EXPECT_EQ(host_score("parse_time"), (Score{10'000 - 10'000 * 2 / 5})) << "counts nothing more";
}

TEST_F(DetectorTest, GapsInSourceOffsetsAreLegitimate) {
  log::Entry first = entries_.Text("http://a/", "a", 0);
  log::Entry second = entries_.Text("http://b/", "b", ~0ULL);
  first.mutable_page()->mutable_source()->set_offset(10);
  first.mutable_page()->mutable_source()->set_previous_offset(-1);
  second.mutable_page()->mutable_source()->set_offset(50);
  second.mutable_page()->mutable_source()->set_previous_offset(10);
  EXPECT_EQ(Fold(first).outcome, FoldOutcome::kVerdict);
  EXPECT_EQ(Fold(second).outcome, FoldOutcome::kVerdict);
}

TEST_F(DetectorTest, ARaisedGenerationStartsAfresh) {
  const log::Entry old = entries_.Text("http://a/", "a", 0);
  Judge(old);
  log::Entry raised = old;
  raised.mutable_page()->mutable_source()->set_generation(2);
  EXPECT_EQ(Fold(raised).outcome, FoldOutcome::kVerdict);
  log::Entry late = entries_.Text("http://z/", "z", ~0ULL);
  EXPECT_EQ(Fold(late).outcome, FoldOutcome::kStaleGeneration);
}

TEST_F(DetectorTest, PartitionsHaveMarksOfTheirOwn) {
  const log::Entry first = entries_.Text("http://a/", "a", 0);
  log::Entry other = first;
  other.mutable_page()->mutable_source()->set_partition(1);
  Judge(first);
  EXPECT_EQ(Fold(other).outcome, FoldOutcome::kVerdict);
}

TEST_F(DetectorTest, DeadLettersMoveTheMark) {
  const log::Entry entry = entries_.Page("", log::OUTCOME_DEAD_LETTER);
  EXPECT_EQ(Fold(entry).outcome, FoldOutcome::kDeadLetter);
  EXPECT_EQ(Fold(entry).outcome, FoldOutcome::kRedelivered);
}

TEST_F(DetectorTest, DiscardForgetsWhatWasNotCommitted) {
  Judge(entries_.Text("http://kept/", "kept", 0));
  Commit();
  const log::Entry entry = entries_.Text("http://a/", "text", 0xffff);
  const Verdict before = Judge(entry);
  Judge(entries_.Page("http://kept/", log::OUTCOME_DELETED));
  detector_->Discard();
  const Verdict after = Judge(entry);
  entries_.GoBack(1);
  EXPECT_EQ(after.reason, Reason::kUnique);
  EXPECT_EQ(after.sequence, before.sequence);
  EXPECT_EQ(Judge(entries_.Text("http://b/", "near kept", 1)).match->url, "http://kept/");
}

TEST_F(DetectorTest, StateSurvivesARestart) {
  Judge(entries_.Text("http://a/", "text", 0));
  Commit();
  Judge(entries_.Text("http://lost/", "not committed", 0xffff));
  Restart();
  entries_.GoBack(1);
  EXPECT_EQ(detector_->position().offset, 0);
  EXPECT_EQ(detector_->parameters(), Parameters());
  const Verdict near = Judge(entries_.Text("http://b/", "near", 1));
  EXPECT_EQ(near.reason, Reason::kNearDuplicate);
  EXPECT_EQ(near.sequence, 3U);
}

TEST_F(DetectorTest, LaterParametersJudgeLaterPages) {
  Judge(entries_.Text("http://a/", "a", 0));
  EXPECT_EQ(Judge(entries_.Text("http://b/", "b", 0x1f)).reason, Reason::kUnique);
  JudgeParameters wider = Parameters();
  wider.max_distance = 5;
  Fold(ParametersEntry(wider, kScheme));
  EXPECT_EQ(Judge(entries_.Text("http://c/", "c", 0x3e0)).match->url, "http://a/");
  detector_->Discard();
  EXPECT_EQ(detector_->parameters(), std::nullopt);
}

TEST_F(DetectorTest, RefusesAnotherScheme) {
  EntryBuilder foreign("cs1-other");
  const auto folded = detector_->Fold(foreign.Text("http://a/", "a", 0));
  ASSERT_FALSE(folded.has_value());
  EXPECT_EQ(folded.error().code, ErrorCode::kMismatch);
  EXPECT_FALSE(detector_->Fold(ParametersEntry(JudgeParameters(), "cs1-other")).has_value());
}

TEST_F(DetectorTest, RefusesStateOfAnotherScheme) {
  Commit();
  detector_.reset();
  const auto other = Detector::Open(*store_, MakeFlatIndex, "cs1-other");
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::kMismatch);
}

TEST_F(DetectorTest, RefusesAFoldVersionItDoesNotHave) {
  for (const std::uint32_t version : {kOldestFoldVersion - 1, kFoldVersion + 1}) {
    log::Entry entry = ParametersEntry(Parameters(), kScheme);
    entry.mutable_parameters()->set_fold_version(version);
    const auto folded = detector_->Fold(entry);
    ASSERT_FALSE(folded.has_value()) << version;
    EXPECT_EQ(folded.error().code, ErrorCode::kMismatch) << version;
  }
}

TEST(DetectorStart, RefusesALogThatBeginsWithAPage) {
  TemporaryDirectory directory;
  auto store = Store::Open({.directory = directory.path()});
  ASSERT_TRUE(store.has_value());
  auto detector = Detector::Open(**store, MakeFlatIndex, kScheme);
  ASSERT_TRUE(detector.has_value());
  EXPECT_FALSE((*detector)->Fold(EntryBuilder(kScheme).Text("http://a/", "a", 0)).has_value());
  EXPECT_FALSE((*detector)->Fold(log::Entry()).has_value());
}

/// Parameters that tests of clusters begin with: only what a test sets differs from the others'.
template <typename Change>
log::Entry ParametersWith(const Change& change) {
  JudgeParameters parameters = Parameters();
  change(parameters);
  return ParametersEntry(parameters, kScheme);
}

log::Entry OnHost(log::Entry entry, const std::string& host, std::uint32_t domain_bytes = 0) {
  entry.mutable_page()->set_host(host);
  entry.mutable_page()->set_registered_domain_bytes(domain_bytes);
  return entry;
}

log::Entry InCrawl(log::Entry entry, const std::string& crawl) {
  entry.mutable_page()->set_crawl_id(crawl);
  return entry;
}

TEST_F(DetectorTest, TheFirstOfAClusterAreKeptUpToItsBudget) {
  Fold(ParametersWith([](JudgeParameters& p) { p.cluster_budget = 3; }));
  const Verdict first = Judge(entries_.Text("http://a/", "text", 0));
  const Verdict exact = Judge(entries_.Text("http://b/", "text", 0));
  const Verdict near = Judge(entries_.Text("http://c/", "nearly", 1));
  const Verdict over = Judge(entries_.Text("http://d/", "nearly too", 2));
  EXPECT_EQ(exact.reason, Reason::kClusterBudget);
  ASSERT_TRUE(exact.match.has_value());
  EXPECT_TRUE(exact.match->exact);
  EXPECT_EQ(exact.match->document.sequence, first.sequence);
  EXPECT_EQ(near.reason, Reason::kClusterBudget);
  EXPECT_EQ(near.cluster->size, 3U);
  EXPECT_EQ(over.reason, Reason::kNearDuplicate);
  EXPECT_EQ(over.match->document.sequence, first.sequence);
  EXPECT_EQ(over.cluster->size, 4U);
}

TEST_F(DetectorTest, ARevisitTakesNothingOfTheBudget) {
  Fold(ParametersWith([](JudgeParameters& p) { p.cluster_budget = 3; }));
  Judge(entries_.Text("http://a/", "text", 0));
  EXPECT_EQ(Judge(entries_.Text("http://b/", "text", 0)).reason, Reason::kClusterBudget);
  EXPECT_EQ(Judge(entries_.Text("http://b/", "text", 0)).reason, Reason::kExactDuplicate);
  EXPECT_EQ(Judge(entries_.Text("http://a/", "text", 0)).reason, Reason::kUnchanged);
  EXPECT_EQ(Judge(entries_.Text("http://c/", "text", 0)).reason, Reason::kClusterBudget);
  EXPECT_EQ(Judge(entries_.Text("http://d/", "text", 0)).reason, Reason::kExactDuplicate);
}

TEST_F(DetectorTest, PagesKeptWithinTheBudgetAreNoRepresentatives) {
  Fold(ParametersWith([](JudgeParameters& p) { p.cluster_budget = 2; }));
  Judge(entries_.Text("http://a/", "text", 0));
  EXPECT_EQ(Judge(entries_.Text("http://b/", "nearly", 0b111)).reason, Reason::kClusterBudget);
  // Six bits from the representative, three from the page that was kept beside it.
  EXPECT_EQ(Judge(entries_.Text("http://c/", "other", 0b111111)).reason, Reason::kUnique);
}

TEST_F(DetectorTest, AClusterWhoseRepresentativeIsGoneStartsAfresh) {
  Fold(ParametersWith([](JudgeParameters& p) { p.cluster_budget = 2; }));
  Judge(entries_.Text("http://a/", "text", 0));
  Judge(entries_.Text("http://b/", "text", 0));
  Judge(entries_.Page("http://a/", log::OUTCOME_DELETED));
  const Verdict again = Judge(entries_.Text("http://b/", "text", 0));
  EXPECT_EQ(again.reason, Reason::kUnique);
  EXPECT_EQ(again.cluster->size, 1U);
  EXPECT_EQ(Judge(entries_.Text("http://c/", "text", 0)).reason, Reason::kClusterBudget);
}

TEST_F(DetectorTest, WithinAHostOnlyPagesOfThatHostMatch) {
  Fold(ParametersWith([](JudgeParameters& p) { p.scope = Scope::kHost; }));
  Judge(OnHost(entries_.Text("http://a.x/1", "text", 0), "a.x"));
  EXPECT_EQ(Judge(OnHost(entries_.Text("http://b.x/1", "text", 0), "b.x")).reason, Reason::kUnique);
  EXPECT_EQ(Judge(OnHost(entries_.Text("http://b.x/2", "text", 0), "b.x")).match->url,
            "http://b.x/1");
  EXPECT_EQ(Judge(OnHost(entries_.Text("http://a.x/2", "nearly", 1), "a.x")).match->url,
            "http://a.x/1");
}

TEST_F(DetectorTest, WithinARegisteredDomainPagesOfItsHostsMatch) {
  Fold(ParametersWith([](JudgeParameters& p) { p.scope = Scope::kRegisteredDomain; }));
  constexpr std::uint32_t bytes = sizeof("x.org") - 1;
  Judge(OnHost(entries_.Text("http://a.x.org/", "text", 0), "a.x.org", bytes));
  EXPECT_EQ(Judge(OnHost(entries_.Text("http://b.x.org/", "text", 0), "b.x.org", bytes)).reason,
            Reason::kExactDuplicate);
  EXPECT_EQ(Judge(OnHost(entries_.Text("http://a.y.org/", "text", 0), "a.y.org", bytes)).reason,
            Reason::kUnique);
  EXPECT_EQ(Judge(OnHost(entries_.Text("http://x.org/", "text", 0), "x.org")).reason,
            Reason::kExactDuplicate)
      << "a host that nothing is known of is its own domain";
  EXPECT_EQ(Judge(OnHost(entries_.Text("http://org/", "text", 0), "org", 99)).reason,
            Reason::kUnique);
}

TEST_F(DetectorTest, EachCrawlHasUrlsAndContentsOfItsOwn) {
  Fold(ParametersWith([](JudgeParameters& p) { p.scope = Scope::kCrawl; }));
  Judge(InCrawl(entries_.Text("http://a/", "text", 0), "monday"));
  EXPECT_EQ(Judge(InCrawl(entries_.Text("http://a/", "text", 0), "tuesday")).reason,
            Reason::kUnique);
  EXPECT_EQ(Judge(InCrawl(entries_.Text("http://b/", "text", 0), "tuesday")).reason,
            Reason::kExactDuplicate);
  EXPECT_EQ(Judge(InCrawl(entries_.Text("http://a/", "text", 0), "monday")).reason,
            Reason::kUnchanged);
  EXPECT_EQ(Judge(InCrawl(entries_.Text("http://a/", "other", ~0ULL), "monday")).reason,
            Reason::kUpdated);
  EXPECT_EQ(Judge(InCrawl(entries_.Text("http://c/", "text", 0), "tuesday")).match->url,
            "http://a/")
      << "the update in one crawl retired the version of another";
}

TEST_F(DetectorTest, WhatWasKeptInAnotherScopeIsRetiredThereAndMatchesNothingHere) {
  Judge(entries_.Text("http://a/", "text", 0));
  Fold(ParametersWith([](JudgeParameters& p) { p.scope = Scope::kHost; }));
  EXPECT_EQ(Judge(entries_.Text("http://b/", "text", 0)).reason, Reason::kUnique);
  EXPECT_EQ(Judge(entries_.Text("http://a/", "text", 0)).reason, Reason::kUnchanged);
  EXPECT_EQ(Judge(entries_.Text("http://a/", "other", ~0ULL)).reason, Reason::kUpdated);
  Fold(ParametersWith([](JudgeParameters&) {}));
  EXPECT_EQ(Judge(entries_.Text("http://c/", "text", 0)).reason, Reason::kUnique);
}

TEST_F(DetectorTest, TheScopeSurvivesARestart) {
  Fold(ParametersWith([](JudgeParameters& p) { p.scope = Scope::kHost; }));
  Judge(OnHost(entries_.Text("http://a.x/1", "text", 0), "a.x"));
  Commit();
  Restart();
  EXPECT_EQ(Judge(OnHost(entries_.Text("http://b.x/1", "nearly", 1), "b.x")).reason,
            Reason::kUnique);
  EXPECT_EQ(Judge(OnHost(entries_.Text("http://a.x/2", "nearly", 1), "a.x")).reason,
            Reason::kNearDuplicate);
}

TEST_F(DetectorTest, NoPreferredUrlIsNamedUnlessAskedFor) {
  Judge(entries_.Text("http://long.example/", "text", 0));
  EXPECT_EQ(Judge(entries_.Text("https://a/", "text", 0)).cluster->preferred_url, "");
}

TEST_F(DetectorTest, ThePreferredUrlIsTheBestOfTheClusterAndTheRepresentativeStays) {
  Fold(ParametersWith([](JudgeParameters& p) {
    p.preferred_url = {UrlPreference::kHttps, UrlPreference::kShorter};
  }));
  const Verdict first = Judge(entries_.Text("http://a.example/", "text", 0));
  EXPECT_EQ(first.cluster->preferred_url, "http://a.example/");
  const auto preferred = [&](const std::string& url) {
    const Verdict verdict = Judge(entries_.Text(url, "text", 0));
    EXPECT_EQ(verdict.match->document.sequence, first.sequence);
    return verdict.cluster->preferred_url;
  };
  EXPECT_EQ(preferred("https://a.example/longer"), "https://a.example/longer");
  EXPECT_EQ(preferred("http://a/"), "https://a.example/longer");
  EXPECT_EQ(preferred("https://a.example/short"), "https://a.example/short");
  EXPECT_EQ(preferred("https://b.example/short"), "https://a.example/short") << "the earlier stays";
  EXPECT_EQ(preferred("http://a.example/"), "https://a.example/short");
}

TEST_F(DetectorTest, APreferredUrlThatShowsSomethingElseGivesWayToTheRepresentatives) {
  Fold(ParametersWith([](JudgeParameters& p) { p.preferred_url = {UrlPreference::kShorter}; }));
  Judge(entries_.Text("http://a.example/", "text", 0));
  EXPECT_EQ(Judge(entries_.Text("http://b/", "text", 0)).cluster->preferred_url, "http://b/");
  Judge(entries_.Page("http://b/", log::OUTCOME_ERROR_STATUS));
  EXPECT_EQ(Judge(entries_.Text("http://c.example/long", "text", 0)).cluster->preferred_url,
            "http://b/")
      << "a failed fetch says nothing about the content";
  Judge(entries_.Text("http://b/", "other", ~0ULL));
  EXPECT_EQ(Judge(entries_.Text("http://c.example/long", "text", 0)).cluster->preferred_url,
            "http://a.example/");
  EXPECT_EQ(Judge(entries_.Text("http://d/", "text", 0)).cluster->preferred_url, "http://d/");
  Judge(entries_.Page("http://d/", log::OUTCOME_DELETED));
  EXPECT_EQ(Judge(entries_.Text("http://c.example/long", "text", 0)).cluster->preferred_url,
            "http://a.example/");
}

TEST_F(DetectorTest, TheScoreThatPrefersAUrlLeavesNoveltyOut) {
  Fold(ParametersWith([](JudgeParameters& p) {
    p.preferred_url = {UrlPreference::kScore};
    p.priority = {900, 0, 100, 0};
  }));
  log::Entry deep = entries_.Text("http://a/1/2/3/4", "text", 0);
  deep.mutable_page()->set_path_depth(4);
  Judge(deep);
  const Verdict shallow = Judge(entries_.Text("http://a/1", "text", 0));
  EXPECT_EQ(shallow.priority.components.novelty, Score{0});
  EXPECT_EQ(shallow.cluster->preferred_url, "http://a/1");
}

TEST_F(DetectorTest, ItemEvidenceMovesWhatIsAskedOfAPage) {
  Fold(ParametersWith([](JudgeParameters& p) {
    p.same_item_similarity = Score{5'500};
    p.other_item_similarity = Score{9'000};
  }));
  Judge(WithTitle(entries_.Text("http://a/x", "text", 0), 1));
  const auto judge = [&](const std::string& url, std::uint32_t title, double similarity) {
    log::Entry entry = WithTitle(entries_.Text(url, url, 0x1), title);
    EntryBuilder::SetSketch(entry, SketchAt(similarity));
    entry.mutable_page()->mutable_source()->set_previous_offset(-1);  // not behind those discarded
    const Reason reason = Judge(entry).reason;
    detector_->Discard();  // so that each meets the first page alone
    return reason;
  };
  Commit();
  EXPECT_EQ(judge("http://b/x", 1, 0.6), Reason::kNearDuplicate);
  EXPECT_EQ(judge("http://b/x", 2, 0.6), Reason::kUnique);
  EXPECT_EQ(judge("http://b/y", 1, 0.6), Reason::kUnique);
  EXPECT_EQ(judge("http://b/y", 1, 0.8), Reason::kNearDuplicate);
  EXPECT_EQ(judge("http://b/y", 2, 0.8), Reason::kUnique);
  EXPECT_EQ(judge("http://a/y", 1, 0.8), Reason::kUnique);
  EXPECT_EQ(judge("http://a/y", 1, 0.95), Reason::kNearDuplicate);
  EXPECT_EQ(judge("http://a/x", 2, 0.8), Reason::kUnchanged) << "one URL says nothing";
  Restart();
  EXPECT_EQ(judge("http://b/x", 1, 0.6), Reason::kNearDuplicate) << "the state keeps the title";
}

TEST_F(DetectorTest, RefusesParametersOfOptionsItDoesNotHave) {
  log::Entry entry = ParametersEntry(Parameters(), kScheme);
  entry.mutable_parameters()->set_scope(static_cast<log::Scope>(99));
  EXPECT_FALSE(detector_->Fold(entry).has_value());
  entry.mutable_parameters()->set_scope(log::SCOPE_GLOBAL);
  entry.mutable_parameters()->add_preferred_url(log::URL_PREFERENCE_UNSPECIFIED);
  EXPECT_FALSE(detector_->Fold(entry).has_value());
}

std::string Describe(const Folded& folded) {
  std::string text = std::to_string(static_cast<int>(folded.outcome));
  if (!folded.verdict.has_value()) return text;
  const Verdict& verdict = *folded.verdict;
  text += ' ' + std::to_string(verdict.sequence) + ' ' + std::string(RuleFor(verdict.reason).name);
  if (verdict.match) {
    text += " -> " + std::to_string(verdict.match->document.sequence) + ' ' + verdict.match->url +
            ' ' + std::to_string(verdict.match->distance) + ' ' +
            std::to_string(verdict.match->similarity.ten_thousandths);
  }
  if (verdict.cluster)
    text += " of " + std::to_string(verdict.cluster->size) + ' ' + verdict.cluster->preferred_url;
  text += ' ' + std::to_string(verdict.priority.score.ten_thousandths);
  if (verdict.recrawl) {
    text += ' ' + std::to_string(verdict.recrawl->interval_seconds) + ' ' +
            std::to_string(verdict.recrawl->next_fetch.time_since_epoch().count());
  }
  return text;
}

/// Folds a log on an empty state; `disturb` may commit, discard-and-refold, restart or read ahead.
enum class Disturbance { kNone, kCommitOften, kDiscardAndRefold, kRestart, kCrash, kReadAhead };

std::vector<std::string> FoldAll(const std::vector<log::Entry>& log, const IndexFactory& make_index,
                                 Disturbance disturbance) {
  TemporaryDirectory directory;
  std::vector<std::string> verdicts(log.size());
  const StoreOptions options{.directory = directory.path(), .write_buffer_bytes = 40'000};
  auto store = Store::Open(options);
  auto detector = Detector::Open(**store, make_index, kScheme);
  std::mt19937 random(5);
  std::size_t furthest = 0;
  int times_set_back = 0;
  for (std::size_t next = 0; next < log.size();) {
    const bool reads_ahead = disturbance == Disturbance::kReadAhead;
    const std::size_t batch_end = std::min(next + (reads_ahead ? 250 : 7), log.size());
    const auto fold_batch = [&] {
      for (std::size_t i = next; i < batch_end; ++i) {
        if (reads_ahead && i % 80 == 0) {  // with entries folded and not committed, too
          (*detector)->ReadAheadFor(
              std::span(log).subspan(i, std::min<std::size_t>(70, log.size() - i)), 2);
        }
        auto folded = (*detector)->Fold(log[i]);
        EXPECT_TRUE(folded.has_value()) << folded.error().message;
        if (folded) verdicts[i] = Describe(*folded);
      }
    };
    fold_batch();
    if (disturbance == Disturbance::kDiscardAndRefold) {
      (*detector)->Discard();
      fold_batch();
    } else if (disturbance == Disturbance::kCrash && next >= furthest && random() % 4 == 0) {
      // The process dies; what it had committed and not yet written to files is folded again.
      furthest = batch_end;
      detector->reset();
      store->reset();
      store = Store::Open(options);
      detector = Detector::Open(**store, make_index, kScheme);
      const auto left = static_cast<std::size_t>((*detector)->position().offset + 1);
      EXPECT_LE(left, next);
      if (left < next) ++times_set_back;
      next = left;
      continue;
    } else if (disturbance == Disturbance::kRestart) {
      // The process dies before the batch is committed, and folds it again.
      detector->reset();
      EXPECT_TRUE((*store)->Flush().has_value());
      store->reset();
      store = Store::Open(options);
      detector = Detector::Open(**store, make_index, kScheme);
      EXPECT_EQ((*detector)->position().offset, static_cast<std::int64_t>(next) - 1);
      fold_batch();
    }
    if (disturbance != Disturbance::kNone || batch_end == log.size()) {
      const auto committed =
          (*detector)->Commit(LogPosition{static_cast<std::int64_t>(batch_end) - 1, ""});
      EXPECT_TRUE(committed.has_value());
    }
    next = batch_end;
  }
  EXPECT_EQ(times_set_back > 0, disturbance == Disturbance::kCrash);
  verdicts.push_back(Hex(StateHash(**store).value()));  // the same state too, byte for byte
  return verdicts;
}

class DetectorFoldTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(DetectorFoldTest, IsTheSameHoweverItIsInterruptedAndWhateverTheIndex) {
  const std::vector<log::Entry> log = testing::WithCanonicalLinks(
      WithRevisits(WithFetches(RandomLog(GetParam(), 400), GetParam()), GetParam()));
  const auto expected = FoldAll(log, MakeFlatIndex, Disturbance::kNone);
  EXPECT_EQ(FoldAll(log, MakeFlatIndex, Disturbance::kCommitOften), expected);
  EXPECT_EQ(FoldAll(log, MakeFlatIndex, Disturbance::kDiscardAndRefold), expected);
  EXPECT_EQ(FoldAll(log, MakeShardedIndex, Disturbance::kDiscardAndRefold), expected);
  EXPECT_EQ(FoldAll(log, MakeShardedIndex, Disturbance::kRestart), expected);
  EXPECT_EQ(FoldAll(log, MakeShardedIndex, Disturbance::kCrash), expected);
  EXPECT_EQ(FoldAll(log, MakeShardedIndex, Disturbance::kReadAhead), expected);
}

TEST_P(DetectorFoldTest, TakesOutTheSameRowsHoweverItIsInterrupted) {
  const std::vector<log::Entry> log = testing::WithRemoval(
      WithRevisits(WithFetches(RandomLog(GetParam(), 400), GetParam()), GetParam()), GetParam());
  const auto expected = FoldAll(log, MakeFlatIndex, Disturbance::kNone);
  EXPECT_EQ(FoldAll(log, MakeFlatIndex, Disturbance::kCommitOften), expected);
  EXPECT_EQ(FoldAll(log, MakeShardedIndex, Disturbance::kDiscardAndRefold), expected);
  EXPECT_EQ(FoldAll(log, MakeShardedIndex, Disturbance::kRestart), expected);
  EXPECT_EQ(FoldAll(log, MakeShardedIndex, Disturbance::kCrash), expected);
  EXPECT_EQ(FoldAll(log, MakeShardedIndex, Disturbance::kReadAhead), expected);
}

/// What a page may be compared with, by the parameters of the log.
std::string ScopeNameOf(const log::Page& page, Scope scope) {
  switch (scope) {
    case Scope::kGlobal:
      return {};
    case Scope::kCrawl:
      return page.crawl_id();
    case Scope::kRegisteredDomain:
      return page.host().substr(page.host().size() - page.registered_domain_bytes());
    case Scope::kHost:
      return page.host();
  }
  return {};
}

/// What of a verdict can be checked from the outside: who was kept, and who is still live.
TEST_P(DetectorFoldTest, EveryDuplicateNamesALiveKeptPageWithinReach) {
  const JudgeParameters parameters = ParametersOf(GetParam());
  TemporaryDirectory directory;
  auto store = Store::Open({.directory = directory.path()});
  auto detector = Detector::Open(**store, MakeShardedIndex, kScheme);
  struct Kept {
    std::string identity;
    log::Page page;
    std::string scope;
    std::uint64_t size = 1;
  };
  const auto identity_of = [&](const log::Page& page) {
    return page.url() + (parameters.scope == Scope::kCrawl ? ' ' + page.crawl_id() : "");
  };
  std::unordered_map<std::uint64_t, Kept> live;
  std::unordered_map<std::string, std::uint64_t> cluster_of;  // by identity, as last judged
  std::set<Reason> met;
  std::map<std::pair<std::string, std::int64_t>, log::Page> fetched;  // by identity and second
  int revisits = 0;
  const std::vector<log::Entry> log =
      WithRevisits(WithFetches(RandomLog(GetParam(), 3000), GetParam()), GetParam());
  for (const log::Entry& entry : log) {
    const auto folded = (*detector)->Fold(entry);
    ASSERT_TRUE(folded.has_value()) << folded.error().message;
    if (!folded->verdict.has_value()) continue;
    const Verdict& verdict = *folded->verdict;
    const Rule& rule = RuleFor(verdict.reason);
    const log::Page& page = entry.page();
    const std::string identity = identity_of(page);
    const std::string scope = ScopeNameOf(page, parameters.scope);
    // What was really fetched, as far as anything was.
    log::Page content = page;
    const bool is_revisit = page.outcome() == log::OUTCOME_REVISIT;
    if (is_revisit && page.has_revisit_time_ms()) {
      log::Page earlier = page;
      if (!page.revisit_url().empty()) earlier.set_url(page.revisit_url());
      content = fetched[{identity_of(earlier), page.revisit_time_ms() / 1000}];
    } else if (is_revisit) {
      content = fetched[{identity, 0}];
    }
    const bool has_content = content.content_checksum().size() > 0;
    met.insert(verdict.reason);
    if (verdict.reason == Reason::kOutdated) continue;  // changes nothing
    if (verdict.match.has_value()) {
      const auto match = live.find(verdict.match->document.sequence);
      ASSERT_NE(match, live.end()) << "matches something that is not live";
      Kept& kept = match->second;
      EXPECT_EQ(kept.page.url(), verdict.match->url);
      EXPECT_EQ(kept.scope, scope);
      EXPECT_EQ(kept.identity == identity, rule.match == MatchRule::kOwnVersion);
      if (verdict.match->exact) {
        EXPECT_EQ(kept.page.content_checksum(), content.content_checksum());
      } else {
        EXPECT_LE(HammingDistance({kept.page.simhash()}, {content.simhash()}), 3);
        EXPECT_GE(EstimateSimilarity(TraitsOf(kept.page), TraitsOf(content)), Score{7'000});
      }
      const bool joins = cluster_of[identity] != match->first;
      if (joins) ++kept.size;
      EXPECT_EQ(verdict.cluster->size, kept.size);
      EXPECT_EQ(
          verdict.reason == Reason::kClusterBudget,
          joins && rule.match == MatchRule::kOtherPage && kept.size <= parameters.cluster_budget);
    } else {
      EXPECT_EQ(rule.match, MatchRule::kNone);
    }
    if (verdict.reason == Reason::kUnique || verdict.reason == Reason::kUpdated) {
      for (const auto& [sequence, kept] : live) {
        if (kept.identity == identity || kept.scope != scope) continue;
        EXPECT_NE(kept.page.content_checksum(), page.content_checksum());
      }
    }
    if (rule.retires_own) {
      std::erase_if(live, [&](const auto& item) { return item.second.identity == identity; });
    }
    if (rule.inserts) live[verdict.sequence] = {identity, page, scope};
    const bool shows = !is_revisit || verdict.reason != Reason::kNotEvaluated;
    if (has_content && shows) {
      fetched[{identity, page.fetch_time_ms() / 1000}] = content;
      fetched[{identity, 0}] = content;
    }
    revisits += is_revisit && verdict.match.has_value() ? 1 : 0;
    if (page.outcome() == log::OUTCOME_TEXT || page.outcome() == log::OUTCOME_NOT_HTML ||
        (is_revisit && shows)) {
      cluster_of[identity] = verdict.cluster.has_value() ? verdict.cluster->id.sequence : 0;
    } else if (page.outcome() == log::OUTCOME_DELETED) {
      cluster_of.erase(identity);
    }
    if (verdict.cluster.has_value()) {
      const std::string& preferred = verdict.cluster->preferred_url;
      EXPECT_EQ(preferred.empty(), parameters.preferred_url.empty());
      if (!preferred.empty()) {
        const std::string last =
            parameters.scope == Scope::kCrawl ? preferred + ' ' + page.crawl_id() : preferred;
        EXPECT_EQ(cluster_of[last], verdict.cluster->id.sequence) << "prefers what has left";
      }
    }
  }
  EXPECT_EQ(met.size(), kReasonCount - (parameters.cluster_budget == 1 ? 1U : 0U))
      << "a reason was never met";
  EXPECT_GT(revisits, 20);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DetectorFoldTest,
                         ::testing::ValuesIn(testing::SeedsToTry({0, 1, 2, 3, 7, 20070508})));

}  // namespace
}  // namespace crawlsieve
