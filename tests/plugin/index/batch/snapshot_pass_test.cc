#include "plugin/index/batch/snapshot_pass.h"

#include "plugin/index/flat_index.h"
#include "plugin/index/snapshot/writer.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

class SnapshotPass : public ::testing::Test {
 protected:
  static constexpr int kDistance = 5;

  SnapshotPass() {
    std::mt19937_64 random(7);
    std::set<IndexEntry> entries;
    for (std::uint64_t i = 1; i <= 300'000; ++i)
      entries.insert(IndexEntry{Fingerprint{random()}, DocId{i}});
    std::vector<IndexEntry> stored(entries.begin(), entries.end());
    for (std::size_t i = 0; i < stored.size(); i += 300) {
      const std::uint64_t flip = std::uint64_t{1} << random() % 64;
      queries_.push_back({stored[i].fingerprint.bits ^ flip});
      flat_.Insert(stored[i].fingerprint, stored[i].document);
    }
    const EntrySource source = [&](std::vector<IndexEntry>& piece) {
      piece = std::exchange(stored, {});
      return !piece.empty();
    };
    EXPECT_TRUE(WriteSnapshot(file_, {.kind = SnapshotKind::kRestart, .origin = {}}, source));
  }

  [[nodiscard]] std::vector<std::vector<Match>> Find(const SnapshotPart& part, int threads) const {
    const Result<SnapshotFile> store = SnapshotFile::Open(file_);
    const BatchQueries batch(queries_, kDistance, 300'000);
    const auto pass = PassOverSnapshot(*store, part, batch, {.threads = threads});
    EXPECT_TRUE(pass && pass->complete);
    return MatchesByQuery(queries_.size(), pass->found);
  }

  testing::TemporaryDirectory directory_;
  const std::filesystem::path file_ = directory_.path() / "snapshot";
  std::vector<Fingerprint> queries_;
  FlatIndex flat_;  ///< what is near a query; random ones aren't
};

TEST_F(SnapshotPass, AnswersAreTheSameOnAnyNumberOfThreads) {
  const Result<SnapshotFile> store = SnapshotFile::Open(file_);
  std::vector<std::vector<Match>> expected;
  for (const Fingerprint query : queries_) {
    flat_.Find(query, kDistance, std::numeric_limits<std::size_t>::max(), expected.emplace_back());
  }
  for (const int threads : {1, 2, 3, 50}) {
    EXPECT_EQ(Find(SnapshotPart::Of(*store), threads), expected) << threads;
  }
}

TEST_F(SnapshotPass, ChunksTogetherAreTheWhole) {
  const Result<SnapshotFile> store = SnapshotFile::Open(file_);
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{3}, store->blocks() + 2}) {
    std::uint64_t next = 0;
    for (std::uint64_t number = 1; number <= count; ++number) {
      const SnapshotPart part = SnapshotPart::Chunk(*store, number, count);
      EXPECT_EQ(part.first_block, next);
      next = part.last_block;
    }
    EXPECT_EQ(next, store->blocks());
  }
  std::size_t found = 0;
  for (std::uint64_t number = 1; number <= 3; ++number) {
    for (const auto& matches : Find(SnapshotPart::Chunk(*store, number, 3), 2)) {
      found += matches.size();
    }
  }
  EXPECT_EQ(found, queries_.size());
}

TEST_F(SnapshotPass, EndsEarlyWithTooManyMatches) {
  const Result<SnapshotFile> store = SnapshotFile::Open(file_);
  const BatchQueries batch(queries_, kDistance, 300'000);
  for (const int threads : {1, 4}) {
    const auto pass = PassOverSnapshot(*store, SnapshotPart::Of(*store), batch,
                                       {.threads = threads, .most_matches = 10});
    ASSERT_TRUE(pass);
    EXPECT_FALSE(pass->complete);
  }
}

TEST_F(SnapshotPass, DamagedBlockEndsItOnAnyThread) {
  {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1'000, std::ios::end);
    file.put('\x55').put('\xaa');
  }
  const Result<SnapshotFile> store = SnapshotFile::Open(file_);
  ASSERT_TRUE(store);
  const BatchQueries batch(queries_, kDistance, 300'000);
  for (const int threads : {1, 4}) {
    const auto pass =
        PassOverSnapshot(*store, SnapshotPart::Of(*store), batch, {.threads = threads});
    ASSERT_FALSE(pass);
    EXPECT_EQ(pass.error().code, ErrorCode::kCorruption);
  }
}

}  // namespace
}  // namespace crawlsieve
