#include "plugin/index/flat_index.h"
#include "plugin/index/snapshot/directory.h"
#include "plugin/index/snapshot/writer.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <bit>
#include <csignal>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace crawlsieve {
namespace {

constexpr SnapshotKind kKinds[] = {SnapshotKind::kArchive, SnapshotKind::kSearchable,
                                   SnapshotKind::kRestart};
const SnapshotOrigin kOrigin{.scheme = "cs1-0123456789abcdef", .log_offset = 4711};

/// Gives `entries` in pieces of 7.
EntrySource SourceOf(const std::vector<IndexEntry>& entries) {
  return [&entries, next = std::size_t{0}](std::vector<IndexEntry>& piece) mutable {
    const std::size_t end = std::min(next + 7, entries.size());
    piece.assign(entries.begin() + static_cast<long>(next),
                 entries.begin() + static_cast<long>(end));
    next = end;
    return !piece.empty();
  };
}

/// Random ones, in clusters, some with several documents; ascending.
std::vector<IndexEntry> MakeEntries(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::set<IndexEntry> entries;
  std::uint64_t bits = 0;
  while (entries.size() < count) {
    switch (random() % 4) {
      case 0:
        break;
      case 1:
        bits ^= std::uint64_t{1} << random() % 64;
        break;
      default:
        bits = random();
    }
    entries.insert(IndexEntry{Fingerprint{bits}, DocId{1 + random() % 1'000'000}});
  }
  return {entries.begin(), entries.end()};
}

SnapshotInfo MustWrite(const std::filesystem::path& file, SnapshotKind kind,
                       const std::vector<IndexEntry>& entries) {
  const Result<SnapshotInfo> info = WriteSnapshot(
      file, {.kind = kind, .origin = kOrigin, .max_document = 1'000'000}, SourceOf(entries));
  EXPECT_TRUE(info.has_value()) << info.error().message;
  return info.value_or(SnapshotInfo{});
}

std::string ReadFile(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteFile(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

Result<std::vector<IndexEntry>> ReadEntries(const std::filesystem::path& file) {
  const Result<SnapshotFile> snapshot = SnapshotFile::Open(file);
  if (!snapshot) return tl::unexpected(snapshot.error());
  std::vector<IndexEntry> entries;
  const Status read = snapshot->ForEach([&](std::span<const IndexEntry> piece) {
    entries.insert(entries.end(), piece.begin(), piece.end());
  });
  if (!read) return tl::unexpected(read.error());
  return entries;
}

std::vector<IndexEntry> WithoutDocuments(std::vector<IndexEntry> entries) {
  for (IndexEntry& entry : entries) entry.document = {};
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  return entries;
}

TEST(Snapshot, GivesBackWhatWentIn) {
  const testing::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "a.snapshot";
  // The last one is of some megabytes, which are written one by one.
  for (const std::size_t count : {0u, 1u, 2u, 60u, 1'000u, 30'000u, 500'000u}) {
    const std::vector<IndexEntry> entries = MakeEntries(count, 7);
    for (const SnapshotKind kind : kKinds) {
      SCOPED_TRACE(SnapshotKindName(kind) + (" of " + std::to_string(count)));
      const std::vector<IndexEntry> expected =
          kind == SnapshotKind::kRestart ? entries : WithoutDocuments(entries);
      const SnapshotInfo written = MustWrite(file, kind, entries);
      EXPECT_EQ(written.entries, expected.size());
      EXPECT_EQ(written.fingerprints, WithoutDocuments(entries).size());
      EXPECT_EQ(written.bytes, std::filesystem::file_size(file));
      EXPECT_FALSE(std::filesystem::exists(file.string() + ".tmp"));
      const Result<SnapshotFile> read = SnapshotFile::Open(file);
      ASSERT_TRUE(read.has_value()) << read.error().message;
      EXPECT_EQ(read->info().origin, kOrigin);
      EXPECT_EQ(read->info().kind, kind);
      EXPECT_EQ(read->info().entries, written.entries);
      EXPECT_TRUE(read->Verify().has_value());
      EXPECT_TRUE(ReadEntries(file).value() == expected);
    }
  }
}

TEST(Snapshot, SearchesAsTheFlatIndexDoes) {
  const testing::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "a.snapshot";
  for (const std::size_t count : {1u, 50u, 3'000u, 20'000u}) {
    std::vector<IndexEntry> entries = WithoutDocuments(MakeEntries(count, 11));
    FlatIndex flat;
    for (IndexEntry& entry : entries) flat.Insert(entry.fingerprint, {1});
    MustWrite(file, SnapshotKind::kSearchable, entries);
    const Result<SnapshotFile> snapshot = SnapshotFile::Open(file);
    ASSERT_TRUE(snapshot.has_value());
    std::mt19937_64 random(5);
    for (int k = 0; k <= 7; ++k) {
      for (int i = 0; i < 20; ++i) {
        std::uint64_t query = entries[random() % entries.size()].fingerprint.bits;
        for (int flips = 0; flips < k; ++flips) query ^= std::uint64_t{1} << random() % 64;
        std::vector<Match> expected;
        flat.Find({query}, k, entries.size(), expected);
        std::set<Neighbour> wanted;
        for (const Match& match : expected) wanted.insert({match.fingerprint, match.distance});
        std::vector<Neighbour> found;
        ASSERT_TRUE(snapshot->Find({query}, k, found).has_value());
        EXPECT_TRUE(std::ranges::is_sorted(found, {}, &Neighbour::distance));
        EXPECT_EQ(std::set<Neighbour>(found.begin(), found.end()), wanted) << k << " of " << count;
        EXPECT_EQ(found.size(), wanted.size());
      }
    }
  }
}

// What a lookup guesses from is wrong for all of these.
TEST(Snapshot, SearchesKeysThatAreNotSpreadEvenly) {
  const testing::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "a.snapshot";
  std::mt19937_64 random(7);
  std::set<std::uint64_t> keys;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random();
    keys.insert(i % 3 == 0   ? bits
                : i % 3 == 1 ? bits & 0xfff'ffff             // the upper half is zero
                             : bits | 0xffff'ffff'0000'0000  // ... or ones
    );
  }
  std::vector<IndexEntry> entries;
  FlatIndex flat;
  for (const std::uint64_t key : keys) {
    entries.push_back({{key}, {}});
    flat.Insert({key}, {1});
  }
  MustWrite(file, SnapshotKind::kSearchable, entries);
  const Result<SnapshotFile> snapshot = SnapshotFile::Open(file);
  ASSERT_TRUE(snapshot.has_value());
  for (int i = 0; i < 300; ++i) {
    std::uint64_t query = entries[random() % entries.size()].fingerprint.bits;
    query ^= std::uint64_t{1} << random() % 64;
    std::vector<Match> wanted;
    flat.Find({query}, 3, entries.size(), wanted);
    std::vector<Neighbour> found;
    ASSERT_TRUE(snapshot->Find({query}, 3, found).has_value());
    ASSERT_EQ(found.size(), wanted.size());
  }
}

TEST(Snapshot, OnlySearchableOnesAreSearched) {
  const testing::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "a.snapshot";
  MustWrite(file, SnapshotKind::kArchive, MakeEntries(10, 1));
  std::vector<Neighbour> found;
  const Result<SnapshotFile> snapshot = SnapshotFile::Open(file);
  ASSERT_TRUE(snapshot.has_value());
  const Status searched = snapshot->Find({1}, 3, found);
  ASSERT_FALSE(searched.has_value());
  EXPECT_EQ(searched.error().code, ErrorCode::kInvalidInput);
}

TEST(Snapshot, EveryFlippedByteIsNoticed) {
  const testing::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "a.snapshot";
  for (const SnapshotKind kind : kKinds) {
    MustWrite(file, kind, MakeEntries(60, 3));
    const std::string intact = ReadFile(file);
    for (std::size_t i = 0; i < intact.size(); ++i) {
      std::string damaged = intact;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
      WriteFile(file, damaged);
      const Result<SnapshotFile> snapshot = SnapshotFile::Open(file);
      if (!snapshot) continue;
      EXPECT_FALSE(snapshot->Verify().has_value())
          << SnapshotKindName(kind) << " with byte " << i << " of " << intact.size();
      // Whatever it says, it must not crash.
      std::vector<Neighbour> found;
      static_cast<void>(snapshot->Find({i * 0x9e37'79b9'7f4a'7c15}, 3, found));
    }
  }
}

// The file is damaged while it is open, so that only the lookup itself can notice.
TEST(Snapshot, ALookupInADamagedFileIsRightOrFails) {
  const testing::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "a.snapshot";
  const std::vector<IndexEntry> entries = MakeEntries(400, 3);
  MustWrite(file, SnapshotKind::kSearchable, entries);
  const std::string intact = ReadFile(file);
  const Result<SnapshotFile> snapshot = SnapshotFile::Open(file);
  ASSERT_TRUE(snapshot.has_value());
  std::vector<Fingerprint> queries;
  for (std::size_t i = 0; i < entries.size(); i += 40) queries.push_back(entries[i].fingerprint);
  std::vector<std::vector<Neighbour>> expected(queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    ASSERT_TRUE(snapshot->Find(queries[q], 3, expected[q]).has_value());
    ASSERT_FALSE(expected[q].empty());
  }
  std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&bytes](std::size_t i, char byte) {
    bytes.seekp(static_cast<std::streamoff>(i));
    bytes.put(byte);
    bytes.flush();
  };
  int failures = 0;
  for (std::size_t i = 0; i < intact.size(); ++i) {
    put(i, static_cast<char>(intact[i] ^ (1 << i % 8)));
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::vector<Neighbour> found;
      if (snapshot->Find(queries[q], 3, found).has_value()) {
        ASSERT_EQ(found, expected[q]) << "with byte " << i << " of " << intact.size();
      } else {
        ++failures;
      }
    }
    put(i, intact[i]);
  }
  EXPECT_GT(failures, 0);
}

TEST(Snapshot, EveryTruncationAndExtensionIsNoticed) {
  const testing::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "a.snapshot";
  for (const SnapshotKind kind : kKinds) {
    MustWrite(file, kind, MakeEntries(60, 3));
    const std::uintmax_t intact = std::filesystem::file_size(file);
    std::filesystem::resize_file(file, intact + 1);
    EXPECT_FALSE(SnapshotFile::Open(file).has_value());
    for (std::uintmax_t size = intact; size > 0;) {
      std::filesystem::resize_file(file, --size);
      EXPECT_FALSE(SnapshotFile::Open(file).has_value()) << size;
    }
  }
}

TEST(Snapshot, RefusesEntriesItCantStoreAndLeavesTheOldFile) {
  const testing::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "a.snapshot";
  const std::vector<IndexEntry> good = MakeEntries(100, 2);
  MustWrite(file, SnapshotKind::kRestart, good);
  const std::vector<std::vector<IndexEntry>> bad{
      {{{2}, {1}}, {{1}, {1}}},  // descending
      {{{1}, {5}}, {{1}, {5}}},  // twice
      {{{1}, {0}}},              // no document
      {{{1}, {1'000'001}}},      // out of range
  };
  for (const std::vector<IndexEntry>& entries : bad) {
    const Result<SnapshotInfo> written =
        WriteSnapshot(file, {.origin = kOrigin, .max_document = 1'000'000}, SourceOf(entries));
    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::kInvalidInput);
  }
  EXPECT_EQ(ReadEntries(file).value(), good);
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".tmp"));
  EXPECT_EQ(WriteSnapshot(directory.path() / "missing" / "a", {}, SourceOf(good)).error().code,
            ErrorCode::kIo);
}

// Written by the first version of the format. If this fails the format has changed: give it another
// number, keep reading this one, and add a file for the new one.

// As when the disk is full after the first megabyte and a half.
TEST(Snapshot, FailsWhenItCantBeWrittenAndLeavesTheOldFile) {
  const testing::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "a.snapshot";
  MustWrite(file, SnapshotKind::kArchive, MakeEntries(100, 3));
  const std::string before = ReadFile(file);
  const std::vector<IndexEntry> entries = MakeEntries(600'000, 4);
  rlimit old_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{.rlim_cur = 3 << 19, .rlim_max = old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const Result<SnapshotInfo> written = WriteSnapshot(
      file, {.kind = SnapshotKind::kSearchable, .origin = kOrigin, .max_document = 1'000'000},
      SourceOf(entries));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
  EXPECT_NE(written.error().message.find("can't write"), std::string::npos);
  EXPECT_EQ(ReadFile(file), before);
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".tmp"));
}

TEST(Snapshot, ReadsTheGoldenFilesOfVersion1) {
  for (const SnapshotKind kind : kKinds) {
    const std::filesystem::path file = std::filesystem::path(CRAWLSIEVE_SOURCE_DIR) /
                                       "tests/data/snapshots" /
                                       (std::string("v1.") + SnapshotKindName(kind));
    std::vector<IndexEntry> expected;
    for (std::uint64_t i = 0; i < 100; ++i) {
      expected.push_back({{i * i * 0x0005'1234'5678'9abc}, {i + 1}});
    }
    std::ranges::sort(expected);
    const Result<SnapshotFile> snapshot = SnapshotFile::Open(file);
    ASSERT_TRUE(snapshot.has_value()) << snapshot.error().message;
    EXPECT_EQ(snapshot->info().origin, kOrigin);
    EXPECT_TRUE(snapshot->Verify().has_value());
    EXPECT_EQ(ReadEntries(file).value(),
              kind == SnapshotKind::kRestart ? expected : WithoutDocuments(expected));
  }
}

class SnapshotDirectoryTest : public ::testing::Test {
 protected:
  Result<SnapshotInfo> Write(std::int64_t log_offset, const std::vector<IndexEntry>& entries) {
    return directory_.Write({.scheme = kOrigin.scheme, .log_offset = log_offset}, 1'000'000,
                            SourceOf(entries));
  }
  /// The log offset of the snapshot that would be loaded, or -2.
  std::int64_t Newest(std::int64_t log_offset = 1000, std::string scheme = kOrigin.scheme) {
    refused_.clear();
    const Result<SnapshotFile> file =
        directory_.OpenNewest({.scheme = std::move(scheme), .log_offset = log_offset}, refused_);
    return file ? file->info().origin.log_offset : -2;
  }

  const testing::TemporaryDirectory temporary_;
  const SnapshotDirectory directory_{temporary_.path()};
  const std::filesystem::path newest_ = temporary_.path() / "index.snapshot";
  const std::filesystem::path previous_ = temporary_.path() / "index.previous.snapshot";
  const std::vector<IndexEntry> entries_ = MakeEntries(500, 4);
  std::vector<Error> refused_;
};

TEST_F(SnapshotDirectoryTest, KeepsTwoGenerations) {
  EXPECT_EQ(Newest(), -2);
  for (const std::int64_t offset : {10, 20, 30}) ASSERT_TRUE(Write(offset, entries_).has_value());
  EXPECT_EQ(Newest(), 30);
  EXPECT_TRUE(refused_.empty());
  std::filesystem::remove(newest_);
  EXPECT_EQ(Newest(), 20);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(temporary_.path()), {}), 1);
}

TEST_F(SnapshotDirectoryTest, GoesBackToThePreviousOneWhenTheNewestIsDamaged) {
  ASSERT_TRUE(Write(10, entries_).has_value());
  ASSERT_TRUE(Write(20, entries_).has_value());
  std::string bytes = ReadFile(newest_);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  WriteFile(newest_, bytes);
  EXPECT_EQ(Newest(), 10);
  ASSERT_EQ(refused_.size(), 1u);
  EXPECT_EQ(refused_[0].code, ErrorCode::kCorruption);
  EXPECT_NE(refused_[0].message.find(newest_.string()), std::string::npos);
}

TEST_F(SnapshotDirectoryTest, PassesOverSnapshotsPastTheLogAndOfOtherSchemes) {
  ASSERT_TRUE(Write(10, entries_).has_value());
  ASSERT_TRUE(Write(20, entries_).has_value());
  EXPECT_EQ(Newest(20), 20);
  EXPECT_EQ(Newest(19), 10);
  EXPECT_EQ(Newest(9), -2);
  EXPECT_EQ(Newest(1000, "cs1-another"), -2);
  ASSERT_EQ(refused_.size(), 2u);
  EXPECT_EQ(refused_[0].code, ErrorCode::kMismatch);
}

TEST_F(SnapshotDirectoryTest, ACrashBetweenTheRenamesLeavesTheOneThatWasNewest) {
  ASSERT_TRUE(Write(10, entries_).has_value());
  std::filesystem::rename(newest_, previous_);
  EXPECT_EQ(Newest(), 10);
  ASSERT_TRUE(Write(20, entries_).has_value());
  EXPECT_EQ(Newest(), 20);
  std::filesystem::remove(newest_);
  EXPECT_EQ(Newest(), 10);
}

}  // namespace
}  // namespace crawlsieve
