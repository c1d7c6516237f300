#include "plugin/judge/decision.h"

#include "plugin/index/flat_index.h"
#include "plugin/judge/apply.h"
#include "plugin/judge/changed_index.h"
#include "plugin/judge/fold_version.h"
#include "plugin/judge/page_fetch.h"
#include "plugin/judge/parameters_entry.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/sanitized.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using RowName = std::pair<Table, std::string>;

/// A judge's state in memory.
class MemoryState final : public JudgeView {
 public:
  MemoryState() { index.Replace(std::make_unique<FlatIndex>()); }

  Result<RowMap::Value> Row(Table table, std::string_view key) override {
    return rows.Find(table, key).value_or(std::nullopt);
  }

  Result<FoundCandidates> Candidates(Fingerprint query, const Reach& reach) override {
    index.get().Find(query, reach.max_distance, reach.limit, matches_);
    return FoundCandidates{matches_, true};
  }

  Changes rows;
  ChangedIndex index;

 private:
  std::vector<Match> matches_;
};

/// Shows another view and notes what is read. Where `shown` is set, other rows seem to be absent;
/// the row that is read when `fails_at` others were can't be read.
class NotingView final : public JudgeView {
 public:
  explicit NotingView(JudgeView& view) : view_(view) {}

  Result<RowMap::Value> Row(Table table, std::string_view key) override {
    RowName name(table, key);
    if (shown != nullptr && !shown->contains(name)) return RowMap::Value();
    if (rows_read++ == fails_at) return MakeError(ErrorCode::kIo, "planted");
    read.insert(std::move(name));
    return view_.Row(table, key);
  }

  Result<FoundCandidates> Candidates(Fingerprint query, const Reach& reach) override {
    asked.insert(query.bits);
    return view_.Candidates(query, reach);
  }

  const std::set<RowName>* shown = nullptr;
  std::size_t fails_at = ~std::size_t{0};
  std::size_t rows_read = 0;
  std::set<RowName> read;
  std::set<std::uint64_t> asked;

 private:
  JudgeView& view_;
};

/// What was decided, with the rows as they are stored.
std::map<RowName, std::string> RowsOf(const PageDecision& decision) {
  Changes changes;
  ChangedIndex index;
  index.Replace(std::make_unique<FlatIndex>());
  Apply(decision, changes, index);
  std::map<RowName, std::string> rows;
  for (const Table table : kFoldedTables) {
    changes.ForEach(table, [&](std::string_view key, const RowMap::Value& value) {
      rows.emplace(RowName(table, key), value.value_or("deleted"));
    });
  }
  return rows;
}

/// Calls visit(page, id, rules, state) for the pages of a random log, and judges each.
template <typename Visit>
void JudgeRandomLog(std::uint64_t seed, std::uint32_t fold_version, const Visit& visit) {
  MemoryState state;
  JudgeParameters parameters;
  schedule::CrawlSchedule crawl{ScheduleOptionsOf(parameters)};
  const JudgeRules rules{parameters, fold_version, crawl};
  std::uint64_t sequence = 0;
  const std::vector<log::Entry> log = testing::WithCanonicalLinks(
      testing::WithRevisits(testing::WithFetches(testing::RandomLog(seed, 1500), seed), seed));
  for (const log::Entry& entry : log) {
    ++sequence;
    if (entry.has_parameters()) {
      parameters = ParametersOf(entry.parameters()).value();
      continue;
    }
    visit(entry.page(), DocId{sequence}, rules, state);
    const auto decision = Decide(entry.page(), DocId{sequence}, rules, state);
    ASSERT_TRUE(decision.has_value()) << decision.error().message;
    Apply(*decision, state.rows, state.index);
    crawl.Add(decision->crawl);
  }
}

/// Random page histories: the seed and the fold version.
class DecisionTest : public ::testing::TestWithParam<std::tuple<std::uint64_t, std::uint32_t>> {
 protected:
  const std::uint64_t seed_ = std::get<0>(GetParam());
  const std::uint32_t fold_version_ = std::get<1>(GetParam());
};

TEST_P(DecisionTest, ReadAheadNamesEveryRowThatADecisionReads) {
  std::map<Table, int> reads;
  int lookups = 0;
  int pattern_reads = 0;
  JudgeRandomLog(seed_, fold_version_,
                 [&](const log::Page& page, DocId id, const JudgeRules& rules, MemoryState& state) {
                   std::set<RowName> named;
                   const RowNamer name = [&named](Table table, std::string_view key) {
                     named.emplace(table, key);
                   };
                   const ReadRules read_rules{rules.parameters, rules.fold_version};
                   NameFirstRows(page, read_rules, name);
                   const std::set<RowName> first = named;
                   NotingView fetched(state);
                   fetched.shown = &first;
                   NameDocuments(page, read_rules, fetched, name);

                   NotingView view(state);
                   ASSERT_TRUE(Decide(page, id, rules, view).has_value());
                   for (const RowName& row : view.read) {
                     ASSERT_TRUE(named.contains(row))
                         << "entry " << id.sequence << " reads a row of table "
                         << static_cast<int>(row.first) << " that isn't named";
                     ++reads[row.first];
                     const bool is_pattern = row.second.find('\0') != std::string::npos;
                     if (row.first == Table::kHosts && is_pattern) ++pattern_reads;
                   }
                   for (const std::uint64_t query : view.asked) {
                     ASSERT_TRUE(fetched.asked.contains(query)) << "entry " << id.sequence;
                     ++lookups;
                   }
                 });
  for (const Table table : {Table::kUrls, Table::kHosts, Table::kContent, Table::kDocuments}) {
    EXPECT_GT(reads[table], 100) << "nothing shown of table " << static_cast<int>(table);
  }
  EXPECT_GT(lookups, 100);
  if (fold_version_ >= kFoldVersionOfSchedules) {
    EXPECT_GT(pattern_reads, 100);
  }
}

TEST_P(DecisionTest, DependsOnNothingButItsArgumentsAndTheView) {
  JudgeRandomLog(seed_, fold_version_,
                 [&](const log::Page& page, DocId id, const JudgeRules& rules, MemoryState& state) {
                   const auto first = Decide(page, id, rules, state);
                   const auto second = Decide(page, id, rules, state);
                   ASSERT_TRUE(first.has_value() && second.has_value());
                   EXPECT_EQ(RowsOf(*first), RowsOf(*second));
                   EXPECT_EQ(first->verdict.reason, second->verdict.reason);
                   EXPECT_EQ(first->verdict.priority.score, second->verdict.priority.score);
                 });
}

TEST_P(DecisionTest, ARowThatCantBeReadIsAnErrorWhicheverItIs) {
  std::size_t failures = 0;
  JudgeRandomLog(seed_, fold_version_,
                 [&](const log::Page& page, DocId id, const JudgeRules& rules, MemoryState& state) {
                   NotingView counting(state);
                   ASSERT_TRUE(Decide(page, id, rules, counting).has_value());
                   for (std::size_t i = 0; i < counting.rows_read; ++i) {
                     NotingView failing(state);
                     failing.fails_at = i;
                     const auto decision = Decide(page, id, rules, failing);
                     ASSERT_FALSE(decision.has_value())
                         << "entry " << id.sequence << ", read " << i;
                     EXPECT_EQ(decision.error().code, ErrorCode::kIo);
                     ++failures;
                   }
                 });
  EXPECT_GT(failures, 2000U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DecisionTest,
                         ::testing::Combine(::testing::ValuesIn(testing::SeedsToTry({0, 1, 2, 3,
                                                                                     20070508})),
                                            ::testing::Values(4U, 5U, 6U, 8U, 9U, 10U)));

TEST(Decide, SaysSoWhereTheIndexHasADocumentThatTheRowsLack) {
  MemoryState state;
  state.index.Insert({Fingerprint{0xff}, DocId{1}});
  const log::Entry entry = testing::EntryBuilder(testing::kScheme).Text("http://a/", "text", 0xff);
  const JudgeParameters parameters = testing::Parameters();
  const schedule::CrawlSchedule crawl{ScheduleOptionsOf(parameters)};
  const auto decision = Decide(entry.page(), DocId{2}, {parameters, kFoldVersion, crawl}, state);
  ASSERT_FALSE(decision.has_value());
  EXPECT_EQ(decision.error().code, ErrorCode::kCorruption);
}

TEST(Rows, KeepFieldsThatThisVersionDoesNotKnow) {
  MemoryState state;
  state::Url known;
  known.set_fetches(7);
  const std::string later_field = "\xa2\x06\x05later";  // number 100, length-delimited
  state.rows.Put(Table::kUrls, "http://a/", known.SerializeAsString() + later_field);
  auto row = UrlRow::Read(state, "http://a/");
  ASSERT_TRUE(row.has_value() && row->has_value());
  EXPECT_EQ((*row)->key, "http://a/");
  (*row)->record.set_fetches(8);
  (*row)->Write(state.rows);
  known.set_fetches(8);
  EXPECT_EQ(state.Row(Table::kUrls, "http://a/").value(), known.SerializeAsString() + later_field);
}

TEST(Rows, ARecordThatCantBeParsedIsNamedByItsKey) {
  MemoryState state;
  state.rows.Put(Table::kHosts, "a", "\xff");
  const auto row = HostRow::Read(state, "a");
  ASSERT_FALSE(row.has_value());
  EXPECT_EQ(row.error().code, ErrorCode::kCorruption);
  EXPECT_NE(row.error().message.find("'a'"), std::string::npos) << row.error().message;
}

TEST(Rows, KeysAreThoseOfTheStateFormat) {
  EXPECT_EQ(DocumentRow::Key(DocId{0x0102030405060708}), "\x01\x02\x03\x04\x05\x06\x07\x08");
  EXPECT_EQ(ContentRow::Key("content", 0), "content");
  EXPECT_EQ(ContentRow::Key("content", 0x4142434445464748), "contentABCDEFGH");
  log::Page page;
  page.set_canonical_url("http://a/");
  page.set_crawl_id("monday");
  EXPECT_EQ(UrlRow::Key(page, Scope::kHost), "http://a/");
  EXPECT_EQ(UrlRow::Key(page, Scope::kCrawl), "http://a/\nmonday");
  EXPECT_EQ(UrlRow::Key("http://b/", page, Scope::kCrawl), "http://b/\nmonday");
  const std::string pattern = PatternRow::Key("a.example", "/N/*");
  EXPECT_EQ(pattern.substr(0, 10), std::string("a.example\0", 10));
  EXPECT_EQ(pattern.size(), 11U);
  EXPECT_EQ(LatestPart::Key("a.example", 2), std::string("\0\xff"
                                                         "a.example\0\2",
                                                         13));
  Changes changes;
  log::Source source;
  source.set_topic("crawl/pages");
  source.set_partition(12);
  const MarkRow mark{MarkRow::Key(source), {}};
  EXPECT_EQ(mark.OfPartition()->topic, "crawl/pages");
  EXPECT_EQ(mark.OfPartition()->number, 12);
  EXPECT_FALSE((MarkRow{"crawl.pages", {}}).OfPartition().has_value());
  mark.Write(changes);
  PositionRow().Write(changes);
  ParametersRow().Write(changes);
  EXPECT_TRUE(changes.Find(Table::kMarks, "crawl/pages/12").has_value());
  EXPECT_TRUE(changes.Find(Table::kMeta, "position").has_value());
  EXPECT_TRUE(changes.Find(Table::kMeta, "parameters").has_value());
}

}  // namespace
}  // namespace crawlsieve
