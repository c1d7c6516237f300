#include "consumer/migration/verdict_join.h"

#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::uint64_t kSeed = 20261125;

struct Published {
  Side side = Side::kOld;
  SeenVerdict verdict;
  VerdictPlace place;
};

SeenVerdict VerdictOf(std::int64_t offset, const std::string& outcome,
                      const std::string& match = {}) {
  return {{"pages", 0, offset}, outcome, fmt::format("http://a.example/{}", offset), match};
}

VerdictDifferences Join(const std::vector<Published>& verdicts, std::uint32_t files,
                        std::size_t examples = 2) {
  const testing::TemporaryDirectory directory;
  auto join = VerdictJoin::Make(directory.path(), files);
  EXPECT_TRUE(join.has_value());
  for (const Published& published : verdicts) {
    EXPECT_TRUE(join->Add(published.side, published.verdict, published.place).has_value());
  }
  auto found = join->Finish(examples);
  EXPECT_TRUE(found.has_value());
  return *std::move(found);
}

TEST(VerdictJoin, CountsWhatAMadeUpChangeDoes) {
  std::vector<Published> verdicts;
  for (std::int64_t i = 0; i < 100; ++i) {
    verdicts.push_back({Side::kOld, VerdictOf(i, "keep unique"), {0, i}});
    // The shadow begins at 10, tells nothing of 50, is at 95, and finds every tenth a duplicate.
    if (i < 10 || i == 50 || i >= 95) continue;
    verdicts.push_back({Side::kNew,
                        i % 10 == 0 ? VerdictOf(i, "drop near_duplicate", "http://b.example/")
                                    : VerdictOf(i, "keep unique"),
                        {0, i - 10}});
  }
  verdicts.push_back({Side::kNew, VerdictOf(12, "drop gone"), {0, 90}});
  const VerdictDifferences found = Join(verdicts, 3);
  EXPECT_EQ(found.both, 84U);
  EXPECT_EQ(found.equal, 76U);
  EXPECT_EQ(found.other_match, 0U);
  EXPECT_EQ(found.cells.at({"keep unique", "drop near_duplicate"}).records, 8U);
  EXPECT_EQ(found.only[0], (OneSided{10, 1, 5}));
  EXPECT_EQ(found.only[1], OneSided());
  EXPECT_EQ(found.repeated, (std::array<std::uint64_t, kSides>{0, 1}));
  const OutcomeCell& cell = found.cells.at({"keep unique", "drop near_duplicate"});
  ASSERT_EQ(cell.examples.size(), 2U);
  for (const JoinedRecord& example : cell.examples) {
    EXPECT_EQ(example.source.offset % 10, 0);
    EXPECT_EQ(example.places[0].offset, example.source.offset);
    EXPECT_EQ(example.places[1].offset, example.source.offset - 10);
  }
  EXPECT_TRUE(found.cells.at({"keep unique", "keep unique"}).examples.empty());
}

TEST(VerdictJoin, OneOutcomeWithAnotherMatchIsADifference) {
  const VerdictDifferences found =
      Join({{Side::kOld, VerdictOf(1, "drop exact_duplicate", "http://a.example/"), {0, 0}},
            {Side::kNew, VerdictOf(1, "drop exact_duplicate", "http://b.example/"), {0, 0}}},
           1);
  EXPECT_EQ(found.equal, 0U);
  EXPECT_EQ(found.other_match, 1U);
  const OutcomeCell& cell = found.cells.at({"drop exact_duplicate", "drop exact_duplicate"});
  EXPECT_EQ(cell.other_match, 1U);
  EXPECT_EQ(cell.examples.size(), 1U);
}

/// Verdicts of both sides with gaps, repeats, several partitions and topics.
std::vector<Published> AnyVerdicts(std::mt19937_64& random) {
  const std::array<std::string, 4> outcomes{"keep unique", "drop near_duplicate", "keep updated",
                                            "drop gone"};
  std::vector<Published> verdicts;
  std::map<std::pair<int, std::int32_t>, std::int64_t> next;
  const int count = static_cast<int>(random() % 800);
  for (int i = 0; i < count; ++i) {
    Published published;
    published.side = random() % 2 == 0 ? Side::kOld : Side::kNew;
    published.verdict.source = {random() % 3 == 0 ? "a" : "b",
                                static_cast<std::int32_t>(random() % 3),
                                static_cast<std::int64_t>(random() % 60)};
    published.verdict.outcome = outcomes[random() % outcomes.size()];
    published.verdict.match_url = fmt::format("http://m.example/{}", random() % 2);
    published.place.partition = static_cast<std::int32_t>(random() % 2);
    published.place.offset = next[{static_cast<int>(published.side), published.place.partition}]++;
    verdicts.push_back(std::move(published));
  }
  return verdicts;
}

/// The counts of a join by maps.
VerdictDifferences Oracle(const std::vector<Published>& verdicts) {
  using Key = std::pair<std::string, std::int32_t>;
  std::array<std::map<InputRecordAt, const Published*>, kSides> firsts;
  VerdictDifferences expected;
  std::array<std::map<Key, std::vector<std::int64_t>>, kSides> judged;
  for (const Published& published : verdicts) {
    const auto side = static_cast<std::size_t>(published.side);
    const InputRecordAt& source = published.verdict.source;
    judged[side][{source.topic, source.partition}].push_back(source.offset);
    const auto [at, is_new] = firsts[side].try_emplace(source, &published);
    if (is_new) continue;
    ++expected.repeated[side];
    if (published.place < at->second->place) at->second = &published;
  }
  for (std::size_t side = 0; side < kSides; ++side) {
    for (const auto& [source, published] : firsts[side]) {
      const auto other = firsts[1 - side].find(source);
      if (other != firsts[1 - side].end()) {
        if (side == 1) continue;
        ++expected.both;
        const SeenVerdict& before = published->verdict;
        const SeenVerdict& after = other->second->verdict;
        OutcomeCell& cell = expected.cells[{before.outcome, after.outcome}];
        ++cell.records;
        const bool is_same_match = before.match_url == after.match_url;
        if (!is_same_match) ++cell.other_match;
        if (before.outcome == after.outcome) {
          ++(is_same_match ? expected.equal : expected.other_match);
        }
        continue;
      }
      const auto of_other = judged[1 - side].find({source.topic, source.partition});
      OneSided& only = expected.only[side];
      if (of_other == judged[1 - side].end() ||
          source.offset > std::ranges::max(of_other->second)) {
        ++only.behind;
      } else if (source.offset < std::ranges::min(of_other->second)) {
        ++only.before;
      } else {
        ++only.within;
      }
    }
  }
  return expected;
}

TEST(VerdictJoin, SaysWhatMapsSayWhateverTheFilesAndTheOrder) {
  for (std::uint64_t seed = kSeed; seed < kSeed + 60; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Published> verdicts = AnyVerdicts(random);
    const VerdictDifferences expected = Oracle(verdicts);
    const VerdictDifferences in_order = Join(verdicts, 1);
    std::ranges::shuffle(verdicts, random);
    const VerdictDifferences found = Join(verdicts, 7);
    EXPECT_EQ(found.both, expected.both) << seed;
    EXPECT_EQ(found.equal, expected.equal) << seed;
    EXPECT_EQ(found.other_match, expected.other_match) << seed;
    EXPECT_EQ(found.only, expected.only) << seed;
    EXPECT_EQ(found.repeated, expected.repeated) << seed;
    ASSERT_EQ(found.cells.size(), expected.cells.size()) << seed;
    for (const auto& [outcomes, cell] : expected.cells) {
      const OutcomeCell& other = found.cells.at(outcomes);
      EXPECT_EQ(other.records, cell.records) << seed;
      EXPECT_EQ(other.other_match, cell.other_match) << seed;
      const OutcomeCell& same = in_order.cells.at(outcomes);
      ASSERT_EQ(other.examples.size(), same.examples.size()) << seed;
      for (std::size_t i = 0; i < same.examples.size(); ++i) {
        EXPECT_EQ(other.examples[i].source, same.examples[i].source) << seed;
        EXPECT_EQ(other.examples[i].places, same.examples[i].places) << seed;
      }
    }
  }
}

TEST(VerdictJoin, FilesGrowWithTheVerdicts) {
  EXPECT_EQ(VerdictJoin::FilesFor(0), 1U);
  EXPECT_EQ(VerdictJoin::FilesFor(VerdictJoin::kRowsOfFile), 1U);
  EXPECT_EQ(VerdictJoin::FilesFor(10 * VerdictJoin::kRowsOfFile), 10U);
  EXPECT_EQ(VerdictJoin::FilesFor(~std::uint64_t{0}), VerdictJoin::kMostFiles);
}

TEST(VerdictJoin, RefusesMoreOutcomesThanThereAre) {
  const testing::TemporaryDirectory directory;
  auto join = VerdictJoin::Make(directory.path(), 1);
  ASSERT_TRUE(join.has_value());
  for (int i = 0; i < 255; ++i) {
    ASSERT_TRUE(join->Add(Side::kOld, VerdictOf(i, std::to_string(i)), {0, i}).has_value());
  }
  const auto added = join->Add(Side::kOld, VerdictOf(255, "one more"), {0, 255});
  ASSERT_FALSE(added.has_value());
  EXPECT_EQ(added.error().code, ErrorCode::kInvalidInput);
}

TEST(VerdictJoin, ADirectoryThatIsNotThereIsAnError) {
  EXPECT_FALSE(VerdictJoin::Make("/nowhere/at/all", 1).has_value());
}

}  // namespace
}  // namespace crawlsieve::consumer
