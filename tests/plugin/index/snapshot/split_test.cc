#include "plugin/index/snapshot/split.h"

#include "plugin/index/snapshot/writer.h"
#include "tests/support/temporary_directory.h"

#include <cstdint>
#include <filesystem>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

std::vector<IndexEntry> EntriesOf(const std::filesystem::path& file) {
  const Result<SnapshotFile> store = SnapshotFile::Open(file);
  std::vector<IndexEntry> entries;
  EXPECT_TRUE(store && store->Verify() && store->ForEach([&](std::span<const IndexEntry> more) {
    entries.insert(entries.end(), more.begin(), more.end());
  }));
  return entries;
}

class SplitSnapshotTest : public ::testing::TestWithParam<SnapshotKind> {
 protected:
  void Write(std::uint64_t documents) {
    std::mt19937_64 random(documents);
    std::set<IndexEntry> made;
    for (std::uint64_t document = 1; document <= documents; ++document) {
      const std::uint64_t bits = random() % 3 == 0 ? 0x5555 : random();
      made.insert(IndexEntry{Fingerprint{bits},
                             DocId{GetParam() == SnapshotKind::kRestart ? document : 0}});
    }
    std::vector<IndexEntry> entries(made.begin(), made.end());
    const EntrySource source = [&](std::vector<IndexEntry>& piece) {
      piece = std::exchange(entries, {});
      return !piece.empty();
    };
    ASSERT_TRUE(WriteSnapshot(
        file_, {.kind = GetParam(), .origin = {"scheme", 12}, .max_document = documents + 1},
        source));
  }

  std::vector<SnapshotChunk> Split(std::uint64_t count) const {
    const Result<SnapshotFile> store = SnapshotFile::Open(file_);
    EXPECT_TRUE(store);
    auto chunks = SplitSnapshot(*store, count, [this](std::uint64_t number) {
      return directory_.path() / std::to_string(number);
    });
    EXPECT_TRUE(chunks);
    return chunks ? *chunks : std::vector<SnapshotChunk>();
  }

  testing::TemporaryDirectory directory_;
  const std::filesystem::path file_ = directory_.path() / "snapshot";
};

TEST_P(SplitSnapshotTest, ChunksOneAfterTheOtherAreTheSet) {
  Write(10'000);
  const std::vector<IndexEntry> whole = EntriesOf(file_);
  for (const std::uint64_t count : {1U, 2U, 7U, 300U}) {
    std::vector<IndexEntry> together;
    for (const SnapshotChunk& chunk : Split(count)) {
      const std::vector<IndexEntry> entries = EntriesOf(chunk.file);
      ASSERT_FALSE(entries.empty());
      EXPECT_EQ(entries.front().fingerprint, chunk.first);
      EXPECT_EQ(chunk.info.entries, entries.size());
      EXPECT_EQ(chunk.info.kind, GetParam());
      EXPECT_EQ(chunk.info.origin, (SnapshotOrigin{"scheme", 12}));
      if (!together.empty()) {
        EXPECT_LT(together.back().fingerprint, entries.front().fingerprint);
      }
      together.insert(together.end(), entries.begin(), entries.end());
    }
    EXPECT_TRUE(together == whole) << count;
  }
}

TEST_P(SplitSnapshotTest, AFewEntriesAreAsManyChunksAtMost) {
  Write(3);
  EXPECT_LE(Split(10).size(), 3U);
  Write(0);
  const std::vector<SnapshotChunk> chunks = Split(10);
  ASSERT_EQ(chunks.size(), 1U);
  EXPECT_EQ(chunks[0].info.entries, 0U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SplitSnapshotTest,
                         ::testing::Values(SnapshotKind::kArchive, SnapshotKind::kSearchable,
                                           SnapshotKind::kRestart));

}  // namespace
}  // namespace crawlsieve
