#include "plugin/index/sharded_index.h"

#include "plugin/index/flat_index.h"
#include "tests/support/sanitized.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

std::unique_ptr<ShardedIndex> MakeIndex(int max_distance, std::uint32_t shards = 4) {
  Result<std::unique_ptr<ShardedIndex>> index =
      ShardedIndex::Create({.max_distance = max_distance, .shards = shards});
  EXPECT_TRUE(index.has_value());
  return *std::move(index);
}

std::uint64_t FlipBits(std::uint64_t bits, int count, std::mt19937_64& random) {
  std::uint64_t mask = 0;
  while (std::popcount(mask) < count) mask |= std::uint64_t{1} << random() % 64;
  return bits ^ mask;
}

std::vector<Match> FindAll(const HammingIndex& index, std::uint64_t query, int max_distance) {
  std::vector<Match> matches;
  index.Find({query}, max_distance, kAll, matches);
  return matches;
}

TEST(ShardedIndex, RefusesOptionsOutOfRange) {
  for (const IndexOptions options :
       {IndexOptions{.max_distance = -1}, IndexOptions{.max_distance = 8},
        IndexOptions{.shards = 0}, IndexOptions{.shards = 33}}) {
    const auto index = ShardedIndex::Create(options);
    ASSERT_FALSE(index.has_value());
    EXPECT_EQ(index.error().code, ErrorCode::kInvalidConfig);
  }
}

TEST(ShardedIndex, FindsNothingWhenEmpty) {
  for (int k = 0; k <= 7; ++k) EXPECT_TRUE(FindAll(*MakeIndex(k), 0, k).empty());
}

class ShardedIndexProperty : public ::testing::TestWithParam<std::tuple<int, std::uint32_t>> {};

// Fingerprints in clusters around a few centres, so that near ones, equal ones and pairs that are
// there already come up all the time.
TEST_P(ShardedIndexProperty, AnswersAsTheFlatIndexDoes) {
  const auto [k, shards] = GetParam();
  const std::uint64_t seed = 1000 * static_cast<std::uint64_t>(k) + shards;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::unique_ptr<ShardedIndex> index = MakeIndex(k, shards);
  FlatIndex oracle;
  std::vector<std::uint64_t> centres{0, ~std::uint64_t{0}};
  for (int i = 0; i < 30; ++i) centres.push_back(random());
  const auto near_a_centre = [&] {
    return FlipBits(centres[random() % centres.size()], static_cast<int>(random() % 6), random);
  };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> inserted{{0, 1}};
  for (int step = 0; step < 4'000; ++step) {
    const std::uint64_t dice = random() % 10;
    if (dice < 5) {
      const std::uint64_t bits = random() % 4 == 0 ? random() : near_a_centre();
      const DocId document{1 + random() % 500};
      ASSERT_EQ(index->Insert({bits}, document), oracle.Insert({bits}, document)) << step;
      inserted.emplace_back(bits, document.sequence);
      if (dice > 0) continue;
      // Many at once, some of them there already, some twice.
      std::vector<IndexEntry> entries;
      for (std::uint64_t i = random() % 40; i > 0; --i) {
        entries.push_back({{near_a_centre()}, {1 + random() % 5}});
        inserted.emplace_back(entries.back().fingerprint.bits, entries.back().document.sequence);
      }
      index->InsertAll(entries, 1 + static_cast<unsigned>(random() % 3));
      oracle.InsertAll(entries, 1);
    } else if (dice < 7) {
      const auto& [bits, document] = inserted[random() % inserted.size()];
      ASSERT_EQ(index->Remove({bits}, {document}), oracle.Remove({bits}, {document})) << step;
    } else {
      const std::uint64_t query = near_a_centre();
      const int distance = static_cast<int>(random() % static_cast<std::uint64_t>(k + 1));
      const std::size_t limit = random() % 3 == 0 ? random() % 5 : kAll;
      std::vector<Match> expected;
      std::vector<Match> matches;
      oracle.Find({query}, distance, limit, expected);
      index->Find({query}, distance, limit, matches);
      ASSERT_EQ(matches, expected) << step << ", distance " << distance << ", limit " << limit;
    }
  }
  EXPECT_EQ(index->Stats().documents, oracle.Stats().documents);
  EXPECT_EQ(index->Stats().fingerprints, oracle.Stats().fingerprints);
  std::vector<Fingerprint> queries;
  for (int i = 0; i < 100; ++i) queries.push_back({near_a_centre()});
  std::vector<std::vector<Match>> answers{{{{77}, {77}, 77}}};
  index->FindBatch(queries, k, 10, answers);
  ASSERT_EQ(answers.size(), queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::vector<Match> expected;
    oracle.Find(queries[i], k, 10, expected);
    ASSERT_EQ(answers[i], expected) << i;
  }
  for (const auto& [bits, document] : inserted) {
    EXPECT_EQ(index->Remove({bits}, {document}), oracle.Remove({bits}, {document}));
  }
  EXPECT_EQ(index->Stats().documents, 0u);
  EXPECT_EQ(index->Stats().fingerprints, 0u);
}

INSTANTIATE_TEST_SUITE_P(AllDistances, ShardedIndexProperty,
                         ::testing::Combine(::testing::Range(0, 8), ::testing::Values(1, 5, 32)));

// While others look up, and each answer is right.
TEST(ShardedIndex, GivesMemoryBackAsFingerprintsGo) {
  constexpr std::uint64_t kEntries = testing::kIsSanitized ? 250'000 : 1'000'000;
  std::mt19937_64 random(11);
  const auto index = MakeIndex(3, 16);
  std::vector<IndexEntry> entries(kEntries);
  for (std::uint64_t i = 0; i < kEntries; ++i) entries[i] = {{random()}, {i + 1}};
  for (const IndexEntry& entry : entries) index->Insert(entry.fingerprint, entry.document);
  const std::uint64_t before = index->Stats().bytes;
  constexpr std::size_t kGone = kEntries * 3 / 10;
  std::atomic<bool> is_done{false};
  std::atomic<std::uint64_t> wrong{0};
  {
    std::jthread reader([&] {
      std::mt19937_64 choice(12);
      while (!is_done) {
        // Of those that stay: found, whatever is copied.
        const IndexEntry& entry = entries[kGone + choice() % (kEntries - kGone)];
        const auto matches = FindAll(*index, entry.fingerprint.bits ^ 0b11, 3);
        const auto is_own = [&](const Match& match) { return match.document == entry.document; };
        wrong += std::ranges::any_of(matches, is_own) ? 0 : 1;
      }
    });
    for (std::size_t i = 0; i < kGone; ++i) {
      ASSERT_TRUE(index->Remove(entries[i].fingerprint, entries[i].document));
    }
    // Other changes bring what was begun to its end.
    for (std::size_t i = kGone; i < kGone + 20'000; ++i) {
      ASSERT_TRUE(index->Insert(entries[i].fingerprint, {kEntries + i}));
      ASSERT_TRUE(index->Remove(entries[i].fingerprint, {kEntries + i}));
    }
    is_done = true;
  }
  EXPECT_EQ(wrong, 0U);
  // Buckets of 15 keys had three quarters of their slots in use, those of 10 have two thirds.
  EXPECT_LT(index->Stats().bytes, before * 79 / 100) << before;
  for (std::size_t i = 0; i < kEntries; i += 37) {
    const auto matches = FindAll(*index, entries[i].fingerprint.bits, 0);
    ASSERT_EQ(matches.size(), i < kGone ? 0U : 1U) << i;
    if (i >= kGone) {
      ASSERT_EQ(matches[0].document, entries[i].document);
    }
  }
}

class SetOfFingerprints : public ::testing::TestWithParam<int> {};

// An index that keeps no documents, with near, equal and clustered fingerprints as above.
TEST_P(SetOfFingerprints, IsWhatAnIndexWithoutDocumentsIs) {
  const int k = GetParam();
  std::mt19937_64 random(77 + static_cast<std::uint64_t>(k));
  const auto created = ShardedIndex::Create(
      {.max_distance = k, .shards = 4, .expected_entries = 10'000, .keep_documents = false});
  ASSERT_TRUE(created.has_value());
  ShardedIndex& index = **created;
  if (k == 3) index.Reserve(3'000, {std::uint64_t{1} << 40});
  std::set<std::uint64_t> oracle;
  std::vector<std::uint64_t> centres{0, ~std::uint64_t{0}};
  for (int i = 0; i < 5; ++i) centres.push_back(random());
  const auto near_a_centre = [&] {
    return FlipBits(centres[random() % centres.size()], static_cast<int>(random() % 6), random);
  };
  for (int step = 0; step < 6'000; ++step) {
    const std::uint64_t dice = random() % 10;
    const std::uint64_t bits = near_a_centre();
    if (dice < 6) {
      ASSERT_EQ(index.Insert({bits}, {1 + random() % 9}), oracle.insert(bits).second) << step;
    } else if (dice < 7) {
      ASSERT_EQ(index.Remove({bits}, {1 + random() % 9}), oracle.erase(bits) == 1) << step;
    } else if (step % 8 == 0) {
      const std::size_t limit = random() % 3 == 0 ? random() % 5 : kAll;
      std::vector<Match> expected;
      for (const std::uint64_t stored : oracle) {
        const int distance = std::popcount(stored ^ bits);
        if (distance <= k) expected.push_back({{}, {stored}, distance});
      }
      std::ranges::stable_sort(expected, {}, &Match::distance);
      if (expected.size() > limit) expected.resize(limit);
      std::vector<Match> matches;
      index.Find({bits}, k, limit, matches);
      ASSERT_EQ(matches, expected) << step << ", limit " << limit;
    }
  }
  EXPECT_EQ(index.Stats().fingerprints, oracle.size());
  EXPECT_EQ(index.Stats().documents, oracle.size());
  std::vector<Fingerprint> queries;
  for (int i = 0; i < 70; ++i) queries.push_back({near_a_centre()});
  std::vector<std::vector<Match>> answers;
  index.FindBatch(queries, k, kAll, answers);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    ASSERT_EQ(answers[i], FindAll(index, queries[i].bits, k)) << i;
  }
  std::vector<std::uint64_t> stored;
  const EntrySource entries = index.Entries();
  for (std::vector<IndexEntry> piece; entries(piece);) {
    for (const IndexEntry& entry : piece) {
      EXPECT_EQ(entry.document, DocId{});
      stored.push_back(entry.fingerprint.bits);
    }
  }
  EXPECT_EQ(stored, std::vector<std::uint64_t>(oracle.begin(), oracle.end()));
  for (const std::uint64_t bits : stored) EXPECT_TRUE(index.Remove({bits}, {}));
  EXPECT_EQ(index.Stats().fingerprints, 0u);
}

INSTANTIATE_TEST_SUITE_P(Distances, SetOfFingerprints, ::testing::Values(0, 3, 6));

TEST(ShardedIndex, TakesLessMemoryWithoutDocuments) {
  std::mt19937_64 random(4);
  std::vector<IndexEntry> entries;
  for (std::uint64_t i = 1; i <= 200'000; ++i) entries.push_back({{random()}, {i}});
  std::vector<std::uint64_t> bytes;
  for (const bool keep_documents : {true, false}) {
    // One table, whatever the memory.
    const auto created = ShardedIndex::Create(
        {.max_distance = 0, .expected_entries = entries.size(), .keep_documents = keep_documents});
    ASSERT_TRUE(created.has_value());
    (*created)->InsertAll(entries, 1);
    bytes.push_back((*created)->Stats().bytes);
  }
  // At least the four bytes of each number.
  EXPECT_LT(bytes[1] + 4 * entries.size(), bytes[0]);
}

/// Calls `visit` with every mask of exactly `count` bits.
template <typename Visit>
void ForEachMask(int count, const Visit& visit, std::uint64_t mask = 0, int from = 0) {
  if (count == 0) return visit(mask);
  for (int bit = from; bit <= 64 - count; ++bit) {
    ForEachMask(count - 1, visit, mask | std::uint64_t{1} << bit, bit + 1);
  }
}

TEST(ShardedIndex, FindsEveryFlipUpToItsDistanceAndNoneBeyond) {
  std::mt19937_64 random(3);
  for (int k = 0; k <= 7; ++k) {
    const std::unique_ptr<ShardedIndex> index = MakeIndex(k);
    for (const std::uint64_t bits : {std::uint64_t{0}, ~std::uint64_t{0}, random()}) {
      index->Insert({bits}, {1});
      for (int flips = 0; flips <= std::min(k, 2); ++flips) {
        ForEachMask(flips, [&, &bits = bits](std::uint64_t mask) {
          const std::vector<Match> expected{{{1}, {bits}, flips}};
          ASSERT_EQ(FindAll(*index, bits ^ mask, k), expected) << k << " " << mask;
        });
      }
      if (k < 2) {
        ForEachMask(k + 1, [&, &bits = bits](std::uint64_t mask) {
          ASSERT_TRUE(FindAll(*index, bits ^ mask, k).empty()) << k << " " << mask;
        });
      }
      for (int i = 0; i < 1'000; ++i) {  // where all the masks would be too many
        ASSERT_EQ(FindAll(*index, FlipBits(bits, k, random), k).size(), 1u);
        ASSERT_TRUE(FindAll(*index, FlipBits(bits, k + 1, random), k).empty());
      }
      index->Remove({bits}, {1});
    }
  }
}

TEST(ShardedIndex, AnswersForSmallerDistancesThanItsOwn) {
  const std::unique_ptr<ShardedIndex> index = MakeIndex(7);
  for (std::uint64_t i = 0; i <= 7; ++i) index->Insert({(std::uint64_t{1} << i) - 1}, {i + 1});
  for (int distance = 0; distance <= 7; ++distance) {
    EXPECT_EQ(FindAll(*index, 0, distance).size(), static_cast<std::size_t>(distance) + 1);
  }
}

// Whatever the layout: two tables, three or four, chosen by the number of entries and the memory.
TEST(ShardedIndex, AnswersTheSameWithEveryDesign) {
  std::mt19937_64 random(12);
  FlatIndex oracle;
  std::vector<std::unique_ptr<ShardedIndex>> indexes;
  std::set<std::size_t> tables;
  for (const std::uint64_t entries : {1'000ull, 1'000'000ull, 1'000'000'000ull}) {
    for (const std::uint32_t bytes : {0u, 40u, 1'000u}) {
      indexes.push_back(*ShardedIndex::Create(
          {.max_distance = 7, .expected_entries = entries, .max_bytes_per_entry = bytes}));
      tables.insert(indexes.back()->block_bits().size());
    }
  }
  EXPECT_GE(tables.size(), 3u);
  std::vector<std::uint64_t> stored;
  for (std::uint64_t i = 1; i <= 2'000; ++i) {
    stored.push_back(i % 2 == 1 ? random() : FlipBits(stored[random() % stored.size()], 5, random));
    oracle.Insert({stored.back()}, {i});
    for (const auto& index : indexes) index->Insert({stored.back()}, {i});
  }
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t query = FlipBits(stored[random() % stored.size()], i % 9, random);
    const int k = i % 8;
    const std::vector<Match> expected = FindAll(oracle, query, k);
    for (const auto& index : indexes) ASSERT_EQ(FindAll(*index, query, k), expected) << i;
  }
}

TEST(ShardedIndex, KeepsTheDocumentsOfEqualFingerprintsInOneEntry) {
  const std::unique_ptr<ShardedIndex> index = MakeIndex(3);
  for (std::uint64_t i = 10'000; i >= 1; --i) EXPECT_TRUE(index->Insert({42}, {i}));
  EXPECT_FALSE(index->Insert({42}, {77}));
  EXPECT_EQ(index->Stats().documents, 10'000u);
  EXPECT_EQ(index->Stats().fingerprints, 1u);
  std::vector<Match> matches;
  LookupWork work;
  index->Find({43}, 3, 2, matches, &work);
  EXPECT_EQ(matches, (std::vector<Match>{{{1}, {42}, 1}, {{2}, {42}, 1}}));
  EXPECT_LE(work.candidates, 4u);
}

TEST(ShardedIndex, CountsItsWork) {
  const std::unique_ptr<ShardedIndex> index = MakeIndex(3);
  std::mt19937_64 random(9);
  for (std::uint64_t i = 1; i <= 10'000; ++i) index->Insert({random()}, {i});
  LookupWork work;
  std::vector<Match> matches;
  index->Find({0}, 3, kAll, matches, &work);
  const LookupWork once = work;
  EXPECT_GE(once.probes, 4u);
  EXPECT_GT(once.candidates, 4u);
  EXPECT_LT(once.candidates, 1'000u);
  index->Find({0}, 3, kAll, matches, &work);
  EXPECT_EQ(work.probes, 2 * once.probes);  // added to, not replaced
  EXPECT_EQ(work.candidates, 2 * once.candidates);
}

// All fingerprints agree in their upper or lower halves: whatever the blocks are, some bucket gets
// them all.
// From 2^32 on document numbers take five bytes, also where one comes out of a list.
TEST(ShardedIndex, HoldsDocumentsOfAnyNumber) {
  const auto index = *ShardedIndex::Create({.max_distance = 3, .expected_entries = 10'000});
  std::mt19937_64 random(17);
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 39;
  const std::uint64_t two = random();
  ASSERT_TRUE(index->Insert({two}, {5}));
  ASSERT_TRUE(index->Insert({two}, {kLarge}));
  std::vector<IndexEntry> others;
  for (std::uint64_t i = 1; i <= 10'000; ++i) others.push_back({{random()}, {i}});
  index->InsertAll(others, 1);
  ASSERT_TRUE(index->Remove({two}, {5}));
  EXPECT_EQ(FindAll(*index, two, 0), (std::vector<Match>{{{kLarge}, {two}, 0}}));
  for (const IndexEntry& entry : others) {
    EXPECT_EQ(FindAll(*index, entry.fingerprint.bits, 0),
              (std::vector<Match>{{entry.document, entry.fingerprint, 0}}));
  }
}

TEST(ShardedIndex, IsExactWhenABucketGetsEverything) {
  std::mt19937_64 random(11);
  for (const std::uint64_t fixed :
       std::array<std::uint64_t, 4>{0xffff'ffff'0000'0000, 0x0000'0000'ffff'ffff,
                                    0xff00'ff00'ff00'ff00, 0xffff'ffff'ffff'0000}) {
    for (const int k : {3, 5, 7}) {
      const std::unique_ptr<ShardedIndex> index = MakeIndex(k);
      FlatIndex oracle;
      for (std::uint64_t i = 1; i <= 3'000; ++i) {
        const std::uint64_t bits = random() & ~fixed;
        ASSERT_EQ(index->Insert({bits}, {i}), oracle.Insert({bits}, {i}));
      }
      for (int i = 0; i < 20; ++i) {
        const std::uint64_t query = FlipBits(random() & ~fixed, i % 5, random);
        ASSERT_EQ(FindAll(*index, query, k), FindAll(oracle, query, k)) << fixed << " " << k;
      }
    }
  }
}

// Each writer has documents of its own on fingerprints that all share; a resident that nobody
// touches must be in every answer, and no answer may name what was never inserted.
TEST(ShardedIndex, ReadersAndWritersWorkSideBySide) {
  constexpr std::uint64_t kWriters = 3;
  constexpr std::uint64_t kRounds = 3'000;
  const std::unique_ptr<ShardedIndex> index = MakeIndex(3, 4);
  std::vector<std::uint64_t> fingerprints;
  std::mt19937_64 random(5);
  for (int i = 0; i < 16; ++i) fingerprints.push_back(random());
  constexpr DocId kResident{1'000'000};
  for (const std::uint64_t bits : fingerprints) index->Insert({bits}, kResident);
  std::atomic<bool> done = false;
  std::atomic<int> mistakes = 0;
  const auto write = [&](std::uint64_t writer) {
    std::mt19937_64 own(writer);
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      const DocId document{writer * kRounds + round};
      const std::uint64_t bits =
          FlipBits(fingerprints[own() % 16], static_cast<int>(own() % 2), own);
      if (!index->Insert({bits}, document)) ++mistakes;
      if (round % 2 == 0 && !index->Remove({bits}, document)) ++mistakes;
    }
  };
  const auto read = [&](std::uint64_t reader) {
    std::mt19937_64 own(100 + reader);
    std::vector<Match> matches;
    while (!done) {
      const std::uint64_t bits = fingerprints[own() % 16];
      index->Find({bits}, 3, kAll, matches);
      bool resident = false;
      for (const Match& match : matches) {
        resident |= match.document == kResident && match.fingerprint.bits == bits;
        const bool known =
            match.document == kResident ||
            (match.document.sequence >= 1 && match.document.sequence <= kWriters * kRounds);
        if (!known || match.distance != HammingDistance(match.fingerprint, {bits})) ++mistakes;
      }
      if (!resident) ++mistakes;
    }
  };
  {
    std::vector<std::jthread> readers;
    for (std::uint64_t i = 0; i < 2; ++i) readers.emplace_back(read, i);
    {
      std::vector<std::jthread> writers;
      for (std::uint64_t i = 0; i < kWriters; ++i) writers.emplace_back(write, i);
    }
    done = true;
  }
  EXPECT_EQ(mistakes, 0);
  EXPECT_EQ(index->Stats().documents, 16 + kWriters * kRounds / 2);
}

TEST(ShardedIndex, GivesItsEntriesInOrderAndFillsAnotherFromThem) {
  const auto index = MakeIndex(3);
  std::mt19937_64 random(77);
  std::set<IndexEntry> expected;
  for (std::uint64_t i = 1; i <= 30'000; ++i) {
    // Every third has a fingerprint of few, or lies in one bucket that becomes a nest.
    std::uint64_t bits = random();
    if (i % 3 == 0) bits %= 50;
    if (i % 3 == 1) bits &= 0xffff'ffff;
    index->Insert({bits}, {i});
    expected.insert(IndexEntry{Fingerprint{bits}, DocId{i}});
    if (i % 7 == 0) {
      const IndexEntry gone = *expected.begin();
      index->Remove(gone.fingerprint, gone.document);
      expected.erase(gone);
    }
  }
  std::vector<IndexEntry> entries;
  std::vector<IndexEntry> piece;
  for (const EntrySource source = index->Entries(); source(piece);) {
    EXPECT_FALSE(piece.empty());
    entries.insert(entries.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(entries, std::vector<IndexEntry>(expected.begin(), expected.end()));

  const auto restarted = MakeIndex(3, 1);
  restarted->InsertAll(entries, 1);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t query =
        FlipBits(entries[random() % entries.size()].fingerprint.bits, 3, random);
    EXPECT_EQ(FindAll(*restarted, query, 3), FindAll(*index, query, 3));
  }
}

// More of them than threads share at a time, some twice, in order and not, with lookups beside:
// these see whole entries.
TEST(ShardedIndex, IsFilledBySeveralThreads) {
  constexpr std::uint64_t kEntries = testing::kIsSanitized ? 30'000 : 150'000;
  std::mt19937_64 random(5);
  std::vector<IndexEntry> entries;
  for (std::uint64_t i = 1; i <= kEntries; ++i) {
    const std::uint64_t bits = i % 5 == 0 ? random() % 1000 : random();
    entries.push_back({{bits}, {i}});
    if (i % 7 == 0) entries.push_back(entries[random() % entries.size()]);
  }
  for (const bool in_order : {false, true}) {
    if (in_order) std::ranges::sort(entries);
    for (const bool with_documents : {true, false}) {
      const auto make = [&] {
        return *ShardedIndex::Create(
            {.max_distance = 4, .expected_entries = kEntries, .keep_documents = with_documents});
      };
      const auto expected = make();
      const auto filled = make();
      if (in_order) {
        expected->Reserve(kEntries, {kEntries});
        filled->Reserve(kEntries, {kEntries});
      }
      expected->InsertAll(entries, 1);
      std::atomic<bool> done = false;
      std::atomic<int> halves = 0;
      std::thread reader([&] {
        std::vector<Match> matches;
        for (std::size_t i = 0; !done; i = (i + 7919) % entries.size()) {
          // Without a bit, so that one table finds it and another may not.
          const std::uint64_t bits = entries[i].fingerprint.bits;
          bool found = false;
          for (const int bit : {0, 30, 63}) {
            filled->Find({bits ^ std::uint64_t{1} << bit}, 4, kAll, matches);
            const bool finds = std::ranges::any_of(
                matches, [&](const Match& match) { return match.fingerprint.bits == bits; });
            if (found && !finds) ++halves;
            found = found || finds;
          }
        }
      });
      filled->InsertAll(entries, 3);
      done = true;
      reader.join();
      EXPECT_EQ(halves, 0);
      EXPECT_EQ(filled->Stats().documents, expected->Stats().documents);
      EXPECT_EQ(filled->Stats().fingerprints, expected->Stats().fingerprints);
      for (int i = 0; i < 500; ++i) {
        const std::uint64_t query =
            FlipBits(entries[random() % entries.size()].fingerprint.bits, 3, random);
        ASSERT_EQ(FindAll(*filled, query, 4), FindAll(*expected, query, 4));
      }
    }
  }
}

// As from a snapshot: without knowing how many come, the first bucket would seem far longer than
// the others, and the next, and all would be indexed once more.
TEST(ShardedIndex, FilledInOrderItIsAsGoodAsFilledAtRandom) {
  constexpr std::uint64_t kEntries = 200'000;
  std::mt19937_64 random(31);
  std::vector<IndexEntry> entries;
  for (std::uint64_t i = 1; i <= kEntries; ++i) entries.push_back({{random()}, {i}});
  const auto make = [] {
    return *ShardedIndex::Create({.max_distance = 3, .expected_entries = kEntries});
  };
  const auto at_random = make();
  at_random->InsertAll(entries, 1);
  std::ranges::sort(entries);
  const auto in_order = make();
  in_order->Reserve(kEntries, {kEntries});
  in_order->InsertAll(entries, 1);
  EXPECT_LT(static_cast<double>(in_order->Stats().bytes),
            1.2 * static_cast<double>(at_random->Stats().bytes));
  LookupWork random_work;
  LookupWork ordered_work;
  std::vector<Match> matches;
  std::vector<Match> expected;
  for (int i = 0; i < 2'000; ++i) {
    const Fingerprint query{entries[random() % kEntries].fingerprint.bits ^ std::uint64_t{1}
                                                                                << random() % 64};
    at_random->Find(query, 3, 100, expected, &random_work);
    in_order->Find(query, 3, 100, matches, &ordered_work);
    ASSERT_EQ(matches, expected);
  }
  EXPECT_LT(static_cast<double>(ordered_work.probes),
            1.2 * static_cast<double>(random_work.probes));
}

}  // namespace
}  // namespace crawlsieve
