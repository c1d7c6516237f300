#include "plugin/judge/changed_index.h"

#include "plugin/index/flat_index.h"

#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

constexpr Reach kReach{3, 4};

/// Fingerprints of 6 bits, so that many are near each other.
class ChangedIndexTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  ChangedIndexTest() { index_.Replace(std::make_unique<FlatIndex>()); }

  void ChangeAtRandom(int changes) {
    for (; changes > 0; --changes) {
      if (live_.empty() || random_() % 2 == 0) {
        live_.push_back({Fingerprint{random_() % 64}, DocId{++last_}});
        index_.Insert(live_.back());
      } else {
        std::swap(live_[random_() % live_.size()], live_.back());
        index_.Remove(live_.back());
        live_.pop_back();
      }
    }
  }

  std::vector<Match> Find(Fingerprint query) const {
    std::vector<Match> matches;
    index_.get().Find(query, kReach.max_distance, kReach.limit, matches);
    return matches;
  }

  std::vector<std::vector<Match>> FindAll() const {
    std::vector<std::vector<Match>> all;
    for (std::uint64_t bits = 0; bits < 64; ++bits) all.push_back(Find(Fingerprint{bits}));
    return all;
  }

  std::mt19937_64 random_{GetParam()};
  ChangedIndex index_;
  std::vector<IndexEntry> live_;
  std::uint64_t last_ = 0;
};

TEST_P(ChangedIndexTest, AnUpdatedAnswerIsTheOneThatTheIndexGives) {
  int updated = 0;
  int unknown = 0;
  for (int round = 0; round < 200; ++round) {
    if (round % 10 == 0) index_.Commit();
    ChangeAtRandom(3);
    const auto before = FindAll();
    const std::size_t since = index_.change_count();
    ChangeAtRandom(4);
    for (std::uint64_t bits = 0; bits < 64; ++bits) {
      std::vector<Match> answer = before[bits];
      if (!index_.Update(Fingerprint{bits}, kReach, since, answer)) {
        ++unknown;
        continue;
      }
      ++updated;
      ASSERT_EQ(answer, Find(Fingerprint{bits})) << "round " << round << ", query " << bits;
    }
  }
  EXPECT_GT(updated, 1000);
  EXPECT_GT(unknown, 10);
}

TEST_P(ChangedIndexTest, UndoGivesTheAnswersOfTheLastCommit) {
  ChangeAtRandom(60);
  index_.Commit();
  const auto committed = FindAll();
  ChangeAtRandom(60);
  ASSERT_NE(FindAll(), committed);
  EXPECT_FALSE(index_.Removed().empty());
  EXPECT_TRUE(index_.Undo());
  EXPECT_EQ(FindAll(), committed);
  EXPECT_EQ(index_.change_count(), 0U);
  EXPECT_FALSE(index_.Undo()) << "there is nothing left to undo";
}

TEST_P(ChangedIndexTest, RedoBringsTheChangesIntoAnIndexOfWhatIsCommitted) {
  ChangeAtRandom(60);
  index_.Commit();
  auto refilled = std::make_unique<FlatIndex>();
  for (const IndexEntry& entry : live_) refilled->Insert(entry.fingerprint, entry.document);
  ChangeAtRandom(60);
  const auto expected = FindAll();
  index_.Replace(std::move(refilled));
  index_.Redo();
  EXPECT_EQ(FindAll(), expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ChangedIndexTest, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace crawlsieve
