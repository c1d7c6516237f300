#include "plugin/judge/revisit.h"

#include "plugin/index/flat_index.h"
#include "plugin/judge/detector.h"
#include "plugin/judge/fold_version.h"
#include "plugin/judge/parameters_entry.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/temporary_directory.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::kScheme;

constexpr const char* kA = "http://host.example/a";
constexpr const char* kB = "http://host.example/b";
constexpr const char* kC = "http://host.example/c";

class RevisitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = std::move(*Store::Open({.directory = directory_.path()}));
    detector_ = std::move(*Detector::Open(
        *store_,
        [](int /*max_distance*/) -> Result<std::unique_ptr<HammingIndex>> {
          return std::make_unique<FlatIndex>();
        },
        kScheme));
    Begin(kFoldVersion);
  }

  void Begin(std::uint32_t fold_version, JudgeParameters parameters = testing::Parameters()) {
    log::Entry entry = ParametersEntry(parameters, kScheme);
    entry.mutable_parameters()->set_fold_version(fold_version);
    ASSERT_TRUE(detector_->Fold(entry).has_value());
  }

  Verdict Judge(const log::Entry& entry) {
    auto folded = detector_->Fold(entry);
    EXPECT_TRUE(folded.has_value()) << folded.error().message;
    return folded.has_value() ? folded->verdict.value_or(Verdict()) : Verdict();
  }

  /// A page that was judged to be `reason`.
  log::Entry Fetched(log::Entry entry, Reason reason) {
    EXPECT_EQ(Judge(entry).reason, reason);
    return entry;
  }

  log::Entry Text(const std::string& url, const std::string& content, std::uint64_t simhash) {
    return entries_.Text(url, content, simhash);
  }

  Verdict Revisit(const std::string& url, const log::Entry& of) {
    return Judge(entries_.Revisit(url, of));
  }

  testing::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  testing::EntryBuilder entries_{kScheme};
};

TEST_F(RevisitTest, OfItsOwnUrlIsUnchangedHoweverOften) {
  const log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  for (int i = 0; i < 3; ++i) {
    const Verdict verdict = Revisit(kA, a);
    EXPECT_EQ(verdict.reason, Reason::kUnchanged);
    ASSERT_TRUE(verdict.match.has_value());
    EXPECT_EQ(verdict.match->url, kA);
    EXPECT_TRUE(verdict.match->exact);
    EXPECT_EQ(verdict.recrawl->changed, false);
    EXPECT_EQ(verdict.cluster->size, 1U);
  }
}

TEST_F(RevisitTest, OfAnotherUrlIsAnExactDuplicateOfWhatThatOneShowed) {
  const log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  const Verdict verdict = Revisit(kB, a);
  EXPECT_EQ(verdict.reason, Reason::kExactDuplicate);
  EXPECT_EQ(verdict.match->url, kA);
  EXPECT_EQ(verdict.match->similarity.ten_thousandths, Score::kOne);
  EXPECT_EQ(verdict.cluster->size, 2U);
  // As if it had come with its body.
  EXPECT_EQ(Judge(Text(kB, "a", 1)).reason, Reason::kExactDuplicate);
  EXPECT_EQ(Revisit(kB, a).cluster->size, 2U);
}

TEST_F(RevisitTest, OfADuplicateIsOneOfTheSameVersion) {
  const log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  const log::Entry b = Fetched(Text(kB, "a", 1), Reason::kExactDuplicate);
  EXPECT_EQ(Revisit(kB, b).reason, Reason::kExactDuplicate) << "again";
  EXPECT_EQ(Revisit(kB, b).match->url, kA) << "the first fetch is still known by its time";
  const Verdict verdict = Revisit(kC, b);
  EXPECT_EQ(verdict.reason, Reason::kExactDuplicate);
  EXPECT_EQ(verdict.match->url, kA);
  EXPECT_EQ(Revisit(kA, b).reason, Reason::kUnchanged) << "of a duplicate of the own version";
}

TEST_F(RevisitTest, OfARevisitCounts) {
  const log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  const log::Entry b = Fetched(entries_.Revisit(kB, a), Reason::kExactDuplicate);
  EXPECT_EQ(Revisit(kB, b).reason, Reason::kExactDuplicate);
  EXPECT_EQ(Revisit(kC, b).match->url, kA);
}

TEST_F(RevisitTest, OfANearDuplicateRepeatsItsVerdictForTheSameUrlAlone) {
  Fetched(Text(kA, "a", 0), Reason::kUnique);
  log::Entry near = Text(kB, "b", 3);
  testing::EntryBuilder::SetSketch(near, testing::SketchAt(0.8));
  const Verdict first = Judge(near);
  ASSERT_EQ(first.reason, Reason::kNearDuplicate);
  const Verdict again = Revisit(kB, near);
  EXPECT_EQ(again.reason, Reason::kNearDuplicate);
  EXPECT_FALSE(again.match->exact);
  EXPECT_EQ(again.match->distance, first.match->distance);
  EXPECT_EQ(again.match->similarity, first.match->similarity);
  EXPECT_EQ(again.recrawl->changed, false);
  EXPECT_EQ(Revisit(kC, near).reason, Reason::kNotEvaluated);
}

TEST_F(RevisitTest, OfANearVersionOfItsOwnIsUnchangedAndNear) {
  const log::Entry first = Fetched(Text(kA, "a", 0), Reason::kUnique);
  log::Entry later = Text(kA, "later", 1);
  testing::EntryBuilder::SetSketch(later, testing::SketchAt(0.9));
  Fetched(later, Reason::kUnchanged);
  const Verdict near = Revisit(kA, later);
  EXPECT_EQ(near.reason, Reason::kUnchanged);
  EXPECT_FALSE(near.match->exact);
  EXPECT_EQ(near.match->distance, 1);
  EXPECT_EQ(Revisit(kB, later).reason, Reason::kNotEvaluated) << "nobody kept those words";
  EXPECT_TRUE(Revisit(kA, first).match->exact);
  EXPECT_EQ(Revisit(kB, first).reason, Reason::kExactDuplicate);
}

TEST_F(RevisitTest, OfWhatTheUrlShowsNoLongerIsNotEvaluated) {
  const log::Entry old = Fetched(Text(kA, "old", 1), Reason::kUnique);
  const log::Entry young = Fetched(Text(kA, "new", ~0ULL), Reason::kUpdated);
  for (const char* url : {kA, kB}) {
    const Verdict verdict = Revisit(url, old);
    EXPECT_EQ(verdict.reason, Reason::kNotEvaluated) << url;
    EXPECT_FALSE(verdict.match.has_value());
  }
  EXPECT_EQ(Revisit(kA, young).reason, Reason::kUnchanged) << "the version is still kept";
}

TEST_F(RevisitTest, OfAFetchThatNobodyJudgedIsNotEvaluatedAndRetiresNothing) {
  log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  Fetched(Text(kB, "b", ~0ULL), Reason::kUnique);
  const log::Entry unknown = Text(kC, "c", 0x0f0f0f0f);
  EXPECT_EQ(Revisit(kB, unknown).reason, Reason::kNotEvaluated);
  a.mutable_page()->set_fetch_time_ms(a.page().fetch_time_ms() + 1000);
  EXPECT_EQ(Revisit(kB, a).reason, Reason::kNotEvaluated) << "another fetch than the known one";
  EXPECT_EQ(Judge(Text(kB, "b", ~0ULL)).reason, Reason::kUnchanged);
}

TEST_F(RevisitTest, WithoutATimeOnlyTheOwnUrlCounts) {
  Fetched(Text(kA, "a", 1), Reason::kUnique);
  log::Entry own = entries_.Page(kA, log::OUTCOME_REVISIT);
  EXPECT_EQ(Judge(own).reason, Reason::kUnchanged);
  log::Entry other = entries_.Page(kB, log::OUTCOME_REVISIT);
  other.mutable_page()->set_revisit_url(kA);
  EXPECT_EQ(Judge(other).reason, Reason::kNotEvaluated);
}

TEST_F(RevisitTest, WithoutATimeItIsNotOfAFetchThatNobodyCouldRead) {
  const log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  log::Entry unread = entries_.Page(kA, log::OUTCOME_NOT_EVALUATED);
  unread.mutable_page()->set_detail("truncated");
  Fetched(unread, Reason::kNotEvaluated);
  EXPECT_EQ(Judge(entries_.Page(kA, log::OUTCOME_REVISIT)).reason, Reason::kNotEvaluated);
  EXPECT_EQ(Revisit(kA, unread).reason, Reason::kNotEvaluated);
  EXPECT_EQ(Revisit(kA, a).reason, Reason::kUnchanged);
  EXPECT_EQ(Judge(entries_.Page(kA, log::OUTCOME_REVISIT)).reason, Reason::kUnchanged);
  Fetched(entries_.Page(kA, log::OUTCOME_ERROR_STATUS), Reason::kErrorStatus);
  EXPECT_EQ(Judge(entries_.Page(kA, log::OUTCOME_REVISIT)).reason, Reason::kUnchanged)
      << "nothing came that could be there again";
}

TEST_F(RevisitTest, TheOwnVersionIsRetiredAsByAnExactDuplicate) {
  const log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  Fetched(Text(kB, "b", ~0ULL), Reason::kUnique);
  const Verdict verdict = Revisit(kB, a);
  EXPECT_EQ(verdict.reason, Reason::kExactDuplicate);
  EXPECT_EQ(verdict.recrawl->changed, true);
  EXPECT_EQ(Judge(Text(kC, "b", ~0ULL)).reason, Reason::kUnique);
}

TEST_F(RevisitTest, OfAVersionNearTheOwnOneIsUnchanged) {
  // Two versions that are near, as pages of two items, and are not as one.
  JudgeParameters parameters = testing::Parameters();
  parameters.other_item_similarity = Score{9'500};
  Begin(kFoldVersion, parameters);
  const log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  log::Entry b = Text(kB, "b", 0);
  testing::EntryBuilder::SetSketch(b, testing::SketchAt(0.8));
  Fetched(b, Reason::kUnique);
  log::Entry with_body = Text(kB, "a", 1);
  const Verdict expected = Judge(with_body);
  EXPECT_EQ(expected.reason, Reason::kUnchanged);
  const Verdict verdict = Revisit(kB, a);
  EXPECT_EQ(verdict.reason, Reason::kUnchanged);
  EXPECT_EQ(verdict.match->url, kB);
  EXPECT_EQ(verdict.match->similarity, expected.match->similarity);
}

TEST_F(RevisitTest, JoinsWithinTheBudgetOfTheCluster) {
  JudgeParameters parameters = testing::Parameters();
  parameters.cluster_budget = 2;
  Begin(kFoldVersion, parameters);
  const log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  EXPECT_EQ(Revisit(kB, a).reason, Reason::kClusterBudget);
  EXPECT_EQ(Revisit(kB, a).reason, Reason::kExactDuplicate);
  EXPECT_EQ(Revisit(kC, a).reason, Reason::kExactDuplicate);
}

TEST_F(RevisitTest, OfAnotherScopeIsNotEvaluated) {
  JudgeParameters parameters = testing::Parameters();
  parameters.scope = Scope::kHost;
  Begin(kFoldVersion, parameters);
  const log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  log::Entry other = entries_.Revisit("http://other.example/", a);
  other.mutable_page()->set_host("other.example");
  EXPECT_EQ(Judge(other).reason, Reason::kNotEvaluated);
  EXPECT_EQ(Revisit(kB, a).reason, Reason::kExactDuplicate);
}

TEST_F(RevisitTest, EachCrawlKnowsItsOwnFetches) {
  JudgeParameters parameters = testing::Parameters();
  parameters.scope = Scope::kCrawl;
  Begin(kFoldVersion, parameters);
  log::Entry a = Text(kA, "a", 1);
  a.mutable_page()->set_crawl_id("monday");
  Fetched(a, Reason::kUnique);
  EXPECT_EQ(Revisit(kB, a).reason, Reason::kNotEvaluated);
  log::Entry same_crawl = entries_.Revisit(kB, a);
  same_crawl.mutable_page()->set_crawl_id("monday");
  EXPECT_EQ(Judge(same_crawl).reason, Reason::kExactDuplicate);
}

TEST_F(RevisitTest, OfAPurgedPageIsNotEvaluatedFromThePurgeOn) {
  JudgeParameters parameters = testing::Parameters();
  parameters.retention.sweep_entries = 1'000'000;
  parameters.retention.sweep_rows = 1;
  Begin(kFoldVersion, parameters);
  Fetched(Text("http://host.example/0", "0", 0x0f0f0f0f), Reason::kUnique);
  const log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  log::Entry purge;
  purge.mutable_purge()->set_host("host.example");
  ASSERT_TRUE(detector_->Fold(purge).has_value());
  ASSERT_TRUE(detector_->is_removing()) << "its rows are still there";
  EXPECT_EQ(Revisit("http://other.example/", a).reason, Reason::kNotEvaluated);
  EXPECT_EQ(Revisit(kA, a).reason, Reason::kNotEvaluated);
}

TEST_F(RevisitTest, FetchedBeforeTheLatestVisitIsOutdated) {
  const log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  log::Entry late = entries_.Revisit(kA, a);
  late.mutable_page()->set_fetch_time_ms(a.page().fetch_time_ms() - 5'000);
  EXPECT_EQ(Judge(late).reason, Reason::kOutdated);
}

TEST_F(RevisitTest, KeepsThePageKnownAcrossVisitsThatFoundNoChange) {
  Fetched(Text(kA, "a", 1), Reason::kUnique);
  const log::Entry b = Fetched(Text(kB, "a", 1), Reason::kExactDuplicate);
  log::Entry not_modified = entries_.Page(kB, log::OUTCOME_ERROR_STATUS);
  not_modified.mutable_page()->set_status(304);
  Fetched(not_modified, Reason::kNotModified);
  EXPECT_EQ(Revisit(kB, b).reason, Reason::kExactDuplicate);
}

TEST_F(RevisitTest, FetchesAreKnownByTheirOwnTimesThoughTheScheduleMovedThem) {
  // Old files that are fed today: the schedule holds a fetch to within a day of its record.
  std::int64_t fed_ms = 1'772'366'400'000;
  const auto fed = [&fed_ms](log::Entry entry) {
    entry.mutable_page()->mutable_source()->set_timestamp_ms(fed_ms += 60'000);
    return entry;
  };
  Fetched(fed(Text(kA, "a", 1)), Reason::kUnique);
  const log::Entry b = Fetched(fed(Text(kB, "a", 1)), Reason::kExactDuplicate);
  EXPECT_EQ(Judge(fed(entries_.Revisit(kB, b))).reason, Reason::kExactDuplicate);
  EXPECT_EQ(Judge(fed(entries_.Revisit(kB, b))).reason, Reason::kExactDuplicate);
  EXPECT_EQ(Judge(fed(entries_.Revisit(kC, b))).match->url, kA);
}

TEST_F(RevisitTest, OfATextThatIsTooShortIsTooShort) {
  const log::Entry a = Fetched(entries_.Text(kA, "a", 1, 3), Reason::kTooShort);
  EXPECT_EQ(Revisit(kB, a).reason, Reason::kTooShort);
  const Verdict own = Revisit(kA, a);
  EXPECT_EQ(own.reason, Reason::kTooShort);
  EXPECT_EQ(own.recrawl->changed, false);
  EXPECT_FALSE(own.cluster.has_value());
}

TEST_F(RevisitTest, OfABodyWithoutTextIsJudgedTheSame) {
  const log::Entry a = Fetched(entries_.Binary(kA, "image"), Reason::kNotHtml);
  EXPECT_EQ(Revisit(kA, a).reason, Reason::kUnchanged);
  EXPECT_EQ(Revisit(kB, a).reason, Reason::kExactDuplicate);
}

TEST_F(RevisitTest, EarlierRulesDoNotKnowIt) {
  Begin(kFoldVersionOfRevisits - 1);
  const log::Entry a = Fetched(Text(kA, "a", 1), Reason::kUnique);
  EXPECT_EQ(Revisit(kA, a).reason, Reason::kNotEvaluated);
  Begin(kFoldVersion);
  EXPECT_EQ(Revisit(kA, a).reason, Reason::kUnchanged) << "the version's own time is enough";
}

TEST(ShownTimes, TakeNoRoomWhereTheyAreTheLastVisit) {
  state::Url url;
  ShownTimes{5, 5}.WriteTo(url, 5);
  EXPECT_EQ(url.ByteSizeLong(), 0U);
  EXPECT_EQ(ShownTimes::Of(url, 5).first, 5U);
  ShownTimes{3, 5}.WriteTo(url, 5);
  EXPECT_EQ(ShownTimes::Of(url, 5).first, 3U);
  EXPECT_EQ(ShownTimes::Of(url, 5).last, 5U);
  ShownTimes{3, 5}.WriteTo(url, 7);
  EXPECT_EQ(ShownTimes::Of(url, 7).last, 5U);
}

}  // namespace
}  // namespace crawlsieve
