// Pages that are taken out of the state: purges, expiry, and the bound on kept pages.
#include "plugin/judge/removal.h"

#include "plugin/judge/detector.h"
#include "plugin/judge/freed_room.h"
#include "plugin/judge/live_state.h"
#include "plugin/judge/selection.h"
#include "plugin/log/links.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/make_flat_index.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using ::testing::ElementsAre;
using testing::EntryBuilder;
using ::testing::IsEmpty;
using testing::kScheme;

constexpr std::int64_t kDay = 86'400'000;
constexpr std::int64_t kNoon = 1'772'366'400'000;

log::Entry PurgeOfUrl(const std::string& id, const std::string& url) {
  log::Entry entry;
  entry.mutable_purge()->set_id(id);
  entry.mutable_purge()->set_url(url);
  return entry;
}

log::Entry PurgeOfCrawl(const std::string& id, const std::string& crawl) {
  log::Entry entry;
  entry.mutable_purge()->set_id(id);
  entry.mutable_purge()->set_crawl_id(crawl);
  return entry;
}

/// A state that entries are folded into.
class Judge {
 public:
  explicit Judge(const JudgeParameters& parameters) : Judge(ParametersEntry(parameters, kScheme)) {}
  explicit Judge(const log::Entry& parameters) {
    store_ = std::move(*Store::Open({.directory = directory_.path()}));
    detector_ = std::move(*Detector::Open(*store_, testing::MakeFlatIndex, kScheme));
    Fold(parameters);
  }

  Folded Fold(const log::Entry& entry) {
    auto folded = detector_->Fold(entry);
    EXPECT_TRUE(folded.has_value()) << folded.error().message;
    EXPECT_TRUE(detector_->Commit({offset_++, std::string(16, 'x')}).has_value());
    return folded.has_value() ? std::move(*folded) : Folded();
  }

  Reason ReasonOf(const log::Entry& entry) { return Fold(entry).verdict.value().reason; }

  /// Entries that change nothing but the number of entries.
  void Pass(int count, EntryBuilder& entries) {
    for (int i = 0; i < count; ++i) Fold(entries.Page("", log::OUTCOME_DEAD_LETTER));
  }

  /// Names of the tables that have the text in a key or a value.
  [[nodiscard]] std::vector<Table> WhereIs(std::string_view text) const {
    std::vector<Table> found;
    for (std::size_t i = 0; i < kTableCount; ++i) {
      const auto table = static_cast<Table>(i);
      bool is_here = false;
      EXPECT_TRUE(store_
                      ->ForEach(table,
                                [&](std::string_view key, std::string_view value) -> Status {
                                  is_here |= key.find(text) != std::string_view::npos ||
                                             value.find(text) != std::string_view::npos;
                                  return {};
                                })
                      .has_value());
      if (is_here) found.push_back(table);
    }
    return found;
  }

  /// Files of the state that have the text, once they are merged and the state was opened anew.
  [[nodiscard]] std::vector<std::string> FilesWith(std::string_view text) {
    store_->GiveRoomBack();
    EXPECT_TRUE(store_->Flush().has_value());
    store_->WaitForRoom();
    detector_.reset();
    store_.reset();
    store_ = std::move(*Store::Open({.directory = directory_.path()}));
    detector_ = std::move(*Detector::Open(*store_, testing::MakeFlatIndex, kScheme));
    std::vector<std::string> found;
    for (const auto& file : std::filesystem::directory_iterator(directory_.path())) {
      std::ifstream stream(file.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
      if (bytes.find(text) != std::string::npos) found.push_back(file.path().filename());
    }
    return found;
  }

  [[nodiscard]] bool is_removing() const { return detector_->is_removing(); }
  [[nodiscard]] std::size_t RowsOf(Table table) const {
    return store_->Range(table, "", "", 1'000'000)->size();
  }
  /// Whether an answer to a question for a URL's score says that it was fetched.
  [[nodiscard]] bool IsKnown(const std::string& url) {
    log::Entry entry;
    log::Question& question = *entry.mutable_question();
    question.mutable_source()->set_topic("asked");
    question.mutable_source()->set_offset(offset_);
    question.mutable_source()->set_previous_offset(offset_ - 1);
    question.set_scheme(kScheme);
    question.set_url(url);
    question.set_host("host.example");
    EXPECT_EQ(Fold(entry).outcome, FoldOutcome::kQuestion);
    return detector_->AnswerTo(entry.question()).value().fetched;
  }

  /// URLs of the scores that come with a page.
  [[nodiscard]] std::vector<std::string> ScoredWith(const log::Entry& entry) {
    const Folded folded = Fold(entry);
    std::vector<std::string> urls;
    const auto scores = detector_->ScoresOf(entry.page(), folded.verdict.value());
    EXPECT_TRUE(scores.has_value());
    for (const UrlScore& score : scores.value()) urls.push_back(score.url);
    return urls;
  }

  /// URLs that a view of the state shows, a running judge's.
  [[nodiscard]] std::vector<std::string> Shown() const {
    std::vector<std::string> urls;
    const auto state = LiveState::Of(*store_).value();
    EXPECT_TRUE(state
                    ->ForEachOf(Table::kUrls, {},
                                [&](std::string_view key, std::string_view value) -> Result<bool> {
                                  EXPECT_TRUE(state->Row(Table::kUrls, key)->has_value());
                                  urls.emplace_back(UrlRow::Parse(key, value).value().url());
                                  return true;
                                })
                    .has_value());
    return urls;
  }

  [[nodiscard]] std::uint64_t indexed() const { return detector_->index_stats().documents; }

 private:
  testing::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  std::int64_t offset_ = 0;
};

JudgeParameters Sweeping(std::uint32_t entries, std::uint32_t rows) {
  JudgeParameters parameters = testing::Parameters();
  parameters.retention.sweep_entries = entries;
  parameters.retention.sweep_rows = rows;
  return parameters;
}

TEST(Removal, AUrlThatIsPurgedLeavesNothingAndIsNewTheNextTime) {
  Judge judge(testing::Parameters());
  EntryBuilder entries(kScheme);
  const std::string url = "http://host.example/secret/name";
  EXPECT_EQ(judge.ReasonOf(entries.Text(url, "a", 1)), Reason::kUnique);
  EXPECT_EQ(judge.ReasonOf(entries.Text("http://host.example/other", "b", 0xff00)),
            Reason::kUnique);
  EXPECT_FALSE(judge.WhereIs("secret").empty());
  EXPECT_EQ(judge.Fold(PurgeOfUrl("1", url)).outcome, FoldOutcome::kPurge);
  EXPECT_THAT(judge.WhereIs("secret"), IsEmpty());
  EXPECT_EQ(judge.RowsOf(Table::kDocuments), 1U);
  EXPECT_EQ(judge.RowsOf(Table::kContent), 1U);
  EXPECT_EQ(judge.indexed(), 1U);
  EXPECT_EQ(judge.ReasonOf(entries.Text("http://host.example/copy", "a", 1)), Reason::kUnique);
  EXPECT_EQ(judge.ReasonOf(entries.Text("http://host.example/other", "b", 0xff00)),
            Reason::kUnchanged);
  EXPECT_EQ(judge.ReasonOf(entries.Text(url, "c", 0xff0000)), Reason::kUnique);
}

TEST(Removal, APurgeThatIsSentTwiceTakesNothingTheSecondTime) {
  Judge judge(testing::Parameters());
  EntryBuilder entries(kScheme);
  const log::Entry purge = PurgeOfUrl("1", "http://host.example/a");
  EXPECT_EQ(judge.Fold(purge).outcome, FoldOutcome::kPurge);
  EXPECT_EQ(judge.ReasonOf(entries.Text("http://host.example/a", "a", 1)), Reason::kUnique);
  EXPECT_EQ(judge.Fold(purge).outcome, FoldOutcome::kPurgeIgnored);
  EXPECT_EQ(judge.ReasonOf(entries.Text("http://host.example/a", "a", 1)), Reason::kUnchanged);
}

TEST(Removal, APurgeOfNothingOrBeforeItsRulesIsIgnored) {
  Judge judge(testing::Parameters());
  EXPECT_EQ(judge.Fold(PurgeOfUrl("1", "")).outcome, FoldOutcome::kPurgeIgnored);
  log::Entry nothing;
  nothing.mutable_purge()->set_id("2");
  EXPECT_EQ(judge.Fold(nothing).outcome, FoldOutcome::kPurgeIgnored);
  log::Entry earlier = ParametersEntry(testing::Parameters(), kScheme);
  earlier.mutable_parameters()->set_fold_version(7);
  judge.Fold(earlier);
  EXPECT_EQ(judge.Fold(PurgeOfUrl("3", "http://a/")).outcome, FoldOutcome::kPurgeIgnored);
}

TEST(Removal, RowsThatAreStillThereCountAsGone) {
  // A row is looked at after each thousandth entry: the others stay where they are.
  Judge judge(Sweeping(1000, 1));
  EntryBuilder entries(kScheme);
  const auto page = [&entries](int i) {
    log::Entry entry = entries.Text("http://host.example/" + std::to_string(i), std::to_string(i),
                                    0x0123456789abcdefULL * static_cast<std::uint64_t>(i + 1));
    entry.mutable_page()->set_crawl_id("monday");
    return entry;
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(judge.ReasonOf(page(i)), Reason::kUnique);
  judge.Fold(PurgeOfCrawl("1", "monday"));
  EXPECT_EQ(judge.RowsOf(Table::kDocuments), 4U);
  log::Entry copy = page(4);
  copy.mutable_page()->set_canonical_url("http://elsewhere.example/");
  EXPECT_EQ(judge.ReasonOf(copy), Reason::kUnique);
  EXPECT_EQ(judge.ReasonOf(page(3)), Reason::kUnique);
  EXPECT_EQ(judge.ReasonOf(page(3)), Reason::kUnchanged);
  EXPECT_EQ(judge.ReasonOf(page(4)), Reason::kExactDuplicate);
  judge.Pass(10'000, entries);
  EXPECT_EQ(judge.RowsOf(Table::kDocuments), 2U);
  EXPECT_EQ(judge.RowsOf(Table::kContent), 2U);
  EXPECT_EQ(judge.RowsOf(Table::kUrls), 3U);
  EXPECT_EQ(judge.indexed(), 2U);
  EXPECT_EQ(judge.ReasonOf(page(3)), Reason::kUnchanged);
}

TEST(Removal, NobodyIsShownRowsThatAreStillThere) {
  Judge judge(Sweeping(1000, 1));
  EntryBuilder entries(kScheme);
  const auto url = [](int i) { return "http://host.example/" + std::to_string(i); };
  for (int i = 0; i < 4; ++i) {
    log::Entry entry = entries.Text(url(i), std::to_string(i),
                                    0x0123456789abcdefULL * static_cast<std::uint64_t>(i + 1));
    entry.mutable_page()->set_crawl_id(i < 3 ? "monday" : "tuesday");
    judge.Fold(entry);
  }
  EXPECT_TRUE(judge.IsKnown(url(2)));
  const Folded folded = judge.Fold(PurgeOfCrawl("1", "monday"));
  EXPECT_EQ(folded.removed.purged_urls, 1U);
  EXPECT_EQ(folded.removed.purges_done, 0U);
  EXPECT_EQ(judge.RowsOf(Table::kUrls), 3U);
  EXPECT_THAT(judge.Shown(), ElementsAre(url(3)));
  EXPECT_FALSE(judge.IsKnown(url(2)));
  EXPECT_TRUE(judge.IsKnown(url(3)));
  log::Entry linking = entries.Text("http://host.example/links", "links", 0x5555);
  linking.mutable_page()->set_crawl_id("tuesday");
  const std::vector<std::string> links = {url(2), url(3)};
  linking.mutable_page()->set_links(log::PackLinks(links, {}, "http://host.example/links").bytes);
  EXPECT_THAT(judge.ScoredWith(linking), ElementsAre("http://host.example/links", url(2)));
}

TEST(Removal, SaysHowMuchWentAndWhy) {
  JudgeParameters parameters = Sweeping(1, 100);
  parameters.retention.max_pages = 2;
  Judge judge(parameters);
  EntryBuilder entries(kScheme);
  Removed removed;
  for (int i = 0; i < 5; ++i) {
    removed.Add(
        judge
            .Fold(entries.Text("http://host.example/" + std::to_string(i), std::to_string(i),
                               0x0123456789abcdefULL * static_cast<std::uint64_t>(i + 1)))
            .removed);
  }
  EXPECT_EQ(removed, (Removed{.evicted_pages = 3}));
  log::Entry host;
  host.mutable_purge()->set_id("1");
  host.mutable_purge()->set_host("host.example");
  EXPECT_EQ(judge.Fold(host).removed,
            (Removed{.purged_urls = 5, .purged_pages = 2, .purges_done = 1}));
}

TEST(FreedRoom, IsWorthGivingBackOnceEnoughHasGone) {
  FreedRoom room;
  EXPECT_FALSE(room.IsTimeToLook());
  room.Add({.purged_pages = 5, .purges_done = 1});
  EXPECT_TRUE(room.IsTimeToLook());
  EXPECT_FALSE(room.IsWorthIt(100));
  EXPECT_FALSE(room.IsTimeToLook());
  room.Add({.purged_pages = 5, .purges_done = 1});
  EXPECT_TRUE(room.IsTimeToLook());
  EXPECT_TRUE(room.IsWorthIt(100));  // ten of a hundred and ten
  EXPECT_FALSE(room.IsTimeToLook());
  room.Add({.evicted_pages = 100'000});
  EXPECT_TRUE(room.IsTimeToLook());
  EXPECT_FALSE(room.IsWorthIt(400'000));
  EXPECT_FALSE(room.IsTimeToLook());
  room.Add({.evicted_pages = 100'000});
  EXPECT_TRUE(room.IsTimeToLook());
  EXPECT_TRUE(room.IsWorthIt(400'000));
}

TEST(Removal, SelectionsCoverWhatTheySay) {
  const Selection host(Selection::Kind::kHost, "a.example");
  EXPECT_TRUE(host.CoversUrl("http://a.example/"));
  EXPECT_TRUE(host.CoversUrl("https://a.example:8080/x"));
  EXPECT_FALSE(host.CoversUrl("https://a.example.org/"));
  EXPECT_FALSE(host.CoversUrl("https://b.a.example/"));
  const Selection prefix(Selection::Kind::kUrlPrefix, "http://a.example/x");
  EXPECT_TRUE(prefix.CoversUrl("http://a.example/xyz"));
  EXPECT_FALSE(prefix.CoversUrl("https://a.example/xyz"));
  const Selection url(Selection::Kind::kUrl, "http://a.example/x");
  EXPECT_FALSE(url.CoversUrl("http://a.example/xyz"));
  EXPECT_THAT(url.Ranges(), ElementsAre(KeyRange{"http://a.example/x", true},
                                        KeyRange{"http://a.example/x\n", false}));
}

/// A page of the day after `days` days.
log::Entry On(int days, log::Entry entry) {
  entry.mutable_page()->mutable_source()->set_timestamp_ms(kNoon + days * kDay);
  entry.mutable_page()->set_fetch_time_ms(kNoon + days * kDay);
  return entry;
}

TEST(Removal, PagesThatNobodySawForTheTimeGoAndTheOthersStay) {
  JudgeParameters parameters = Sweeping(1, 100);
  parameters.retention.expire_seconds = 10 * 86'400;
  parameters.sites.max = 0;  // what was learned of sites doesn't expire
  Judge judge(parameters);
  EntryBuilder entries(kScheme);
  judge.Fold(On(0, entries.Text("http://host.example/old", "a", 1)));
  judge.Fold(On(0, entries.Text("http://host.example/seen", "b", 0xff00)));
  for (int day = 1; day < 30; ++day) {
    judge.Fold(
        On(day, entries.Text("http://other.example/" + std::to_string(day % 2), "b", 0xff00)));
  }
  EXPECT_THAT(judge.WhereIs("/old"), IsEmpty());
  // Others repeat it, so its URL stays its own, however long it was not fetched.
  EXPECT_EQ(judge.ReasonOf(On(30, entries.Text("http://host.example/seen", "b", 0xff00))),
            Reason::kUnchanged);
  EXPECT_EQ(judge.indexed(), 1U);
}

TEST(Removal, OneWrongClockExpiresNothing) {
  JudgeParameters parameters = Sweeping(4, 100);
  parameters.retention.expire_seconds = 2 * 86'400;
  Judge judge(parameters);
  EntryBuilder entries(kScheme);
  judge.Fold(On(0, entries.Text("http://host.example/old", "a", 1)));
  for (int i = 0; i < 400; ++i) {
    judge.Fold(On(i % 4 == 0 ? 0 : 70'000, entries.Page("http://x/", log::OUTCOME_ERROR_STATUS)));
  }
  EXPECT_FALSE(judge.WhereIs("/old").empty());
}

TEST(Removal, AnExpiryOfZeroExpiresNothing) {
  Judge judge(Sweeping(1, 100));
  EntryBuilder entries(kScheme);
  judge.Fold(On(0, entries.Text("http://host.example/old", "a", 1)));
  for (int day = 1; day < 100; ++day) {
    judge.Fold(On(day * 40, entries.Page("http://x/", log::OUTCOME_ERROR_STATUS)));
  }
  EXPECT_FALSE(judge.WhereIs("/old").empty());
}

TEST(Removal, MoreKeptPagesThanTheBoundLetTheOldestGo) {
  JudgeParameters parameters = Sweeping(1, 100);
  parameters.retention.max_pages = 3;
  Judge judge(parameters);
  EntryBuilder entries(kScheme);
  const auto page = [&entries](int i) {
    return entries.Text("http://host.example/" + std::to_string(i), std::to_string(i),
                        0x0123456789abcdefULL * static_cast<std::uint64_t>(i + 1));
  };
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(judge.ReasonOf(page(i)), Reason::kUnique);
    EXPECT_LE(judge.indexed(), 3U);
  }
  for (int i = 7; i < 10; ++i) EXPECT_EQ(judge.ReasonOf(page(i)), Reason::kUnchanged);
  EXPECT_EQ(judge.ReasonOf(page(0)), Reason::kUnique);
}

TEST(RemovalClock, MovesToTheEarliestTimeAndByADayAtMost) {
  RemovalProgress progress;
  progress.NoteTime(0);
  progress.NoteTime(-5);
  progress.MoveClock();
  EXPECT_EQ(progress.now, 0U);
  progress.NoteTime(kNoon + 5000);
  progress.NoteTime(kNoon);
  progress.MoveClock();
  EXPECT_EQ(progress.now, static_cast<std::uint64_t>(kNoon / 1000));
  progress.NoteTime(kNoon - kDay);
  progress.MoveClock();
  EXPECT_EQ(progress.now, static_cast<std::uint64_t>(kNoon / 1000));
  progress.NoteTime(kNoon + 100 * kDay);
  progress.MoveClock();
  EXPECT_EQ(progress.now, static_cast<std::uint64_t>((kNoon + kDay) / 1000));
}

/// Random pages of which some are of the host "secretive.x", and one is "/whisper".
std::vector<log::Entry> LogWithSecrets(std::uint64_t seed) {
  auto log = testing::WithRevisits(testing::WithFetches(testing::RandomLog(seed, 700), seed), seed);
  const auto rename = [](std::string& text) {
    for (const auto& [from, to] : {std::pair("b.x", "secretive.x"), std::pair("343", "whisper")}) {
      const std::size_t at = text.find(from);
      if (at != std::string::npos) text.replace(at, 3, to);
    }
  };
  for (log::Entry& entry : log) {
    if (!entry.has_page()) continue;
    log::Page& page = *entry.mutable_page();
    for (std::string* text :
         {page.mutable_url(), page.mutable_canonical_url(), page.mutable_final_url(),
          page.mutable_host(), page.mutable_id(), page.mutable_redirect_target(),
          page.mutable_redirect_host(), page.mutable_revisit_url()}) {
      rename(*text);
    }
  }
  return log;
}

class RemovalOfAll : public ::testing::TestWithParam<std::uint64_t> {};

/// Somebody asks to be forgotten: then no row and no file of the state has the name any more,
/// whatever other pages had to do with those that go.
TEST_P(RemovalOfAll, NoByteOfTheStateNamesWhatWasPurged) {
  const std::uint64_t seed = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto log = testing::WithRemoval(LogWithSecrets(seed), seed);
  std::vector<log::Entry> purges(3);
  purges[0].mutable_purge()->set_url("http://b.yy/whisper");
  purges[1].mutable_purge()->set_host("secretive.x");
  // Of a host by two prefixes.
  purges[2].mutable_purge()->set_url_prefix("http://secretive.x");
  purges.push_back(purges[2]);
  purges[3].mutable_purge()->set_url_prefix("https://secretive.x");
  Judge judge(log.front());
  bool was_there = false;
  for (const log::Entry& entry : log) {
    judge.Fold(entry);
    was_there = was_there || !judge.WhereIs("secretive").empty();
  }
  EXPECT_TRUE(was_there);
  EntryBuilder entries(kScheme);
  for (std::size_t i = 0; i < purges.size(); ++i) {
    purges[i].mutable_purge()->set_id("all" + std::to_string(i));
    const bool is_meant = seed % 2 == 0 ? i < 2 : i != 1;
    if (!is_meant) continue;
    EXPECT_EQ(judge.Fold(purges[i]).outcome, FoldOutcome::kPurge);
  }
  for (int i = 0; i < 20'000 && judge.is_removing(); ++i) {
    judge.Fold(entries.Page("", log::OUTCOME_DEAD_LETTER));
  }
  EXPECT_FALSE(judge.is_removing());
  // Expiry, which waited, leaves the row that it was at.
  for (int i = 0; i < 10; ++i) judge.Fold(entries.Page("", log::OUTCOME_DEAD_LETTER));
  // A host's own counts go only with a purge of the host.
  if (seed % 2 == 0) {
    EXPECT_THAT(judge.WhereIs("secretive"), IsEmpty());
    EXPECT_THAT(judge.FilesWith("secretive"), IsEmpty());
  }
  EXPECT_THAT(judge.WhereIs("//secretive"), IsEmpty());
  EXPECT_THAT(judge.WhereIs("whisper"), IsEmpty());
  EXPECT_THAT(judge.FilesWith("whisper"), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RemovalOfAll,
                         ::testing::Range<std::uint64_t>(0, testing::kIsSanitized ? 4 : 16));

class RemovalHistory : public ::testing::TestWithParam<std::uint64_t> {};

/// What can be told from the outside, in any history.
TEST_P(RemovalHistory, NoVerdictNamesAPageThatWasPurgedBeforeIt) {
  const std::uint64_t seed = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto log = testing::WithRemoval(
      testing::WithRevisits(testing::WithFetches(testing::RandomLog(seed, 600), seed), seed), seed);
  testing::TemporaryDirectory directory;
  const auto store = std::move(*Store::Open({.directory = directory.path()}));
  const auto detector = std::move(*Detector::Open(*store, testing::MakeFlatIndex, kScheme));
  struct Purge {
    std::uint64_t sequence;
    Selection selection;
  };
  std::vector<Purge> purges;
  std::uint64_t sequence = 0;  // of the last verdict
  std::size_t duplicates = 0;
  for (const log::Entry& entry : log) {
    const auto folded = detector->Fold(entry);
    ASSERT_TRUE(folded.has_value()) << folded.error().message;
    if (folded->outcome == FoldOutcome::kPurge) {
      purges.push_back({sequence, Selection::Of(entry.purge()).value()});
    }
    if (!folded->verdict.has_value()) continue;
    sequence = folded->verdict->sequence;
    const auto& match = folded->verdict->match;
    if (!match.has_value()) continue;
    ++duplicates;
    for (const Purge& purge : purges) {
      EXPECT_FALSE(match->document.sequence <= purge.sequence &&
                   purge.selection.CoversUrl(match->url))
          << match->url << " was purged behind " << purge.sequence;
    }
  }
  EXPECT_GT(purges.size(), 5U);
  EXPECT_GT(duplicates, 10U);
  // The index has the documents with text, and each content leads to its document.
  ASSERT_TRUE(detector->Commit({static_cast<std::int64_t>(log.size()), "x"}).has_value());
  std::uint64_t texts = 0;
  const auto documents = *store->Range(Table::kDocuments, "", "", 100'000);
  for (const Store::Row& row : documents) {
    const auto document = DocumentRow::Parse(row.key, row.value);
    texts += document->InIndex().has_value() ? 1 : 0;
  }
  EXPECT_EQ(detector->index_stats().documents, texts);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RemovalHistory,
                         ::testing::Range<std::uint64_t>(0, testing::kIsSanitized ? 6 : 24));

}  // namespace
}  // namespace crawlsieve
