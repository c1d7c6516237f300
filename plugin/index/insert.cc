#include "plugin/index/sharded_index.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <future>
#include <set>
#include <vector>

namespace crawlsieve {
namespace {

// Insertions whose lines are on their way at the same time.
constexpr std::size_t kInsertBatch = 32;
// Entries that threads share. Everything is locked for them: for some milliseconds.
constexpr std::size_t kPiece = std::size_t{1} << 15;

/// Calls work(0), work(1) and so on at a time, and waits for all. Throws what one of them throws.
template <typename Work>
void OnThreads(unsigned threads, const Work& work) {
  std::vector<std::future<void>> others;
  for (unsigned i = 1; i < threads; ++i) {
    others.push_back(std::async(std::launch::async, [&work, i] { work(i); }));
  }
  work(0);
  for (std::future<void>& other : others) other.get();
}

}  // namespace

ShardedIndex::Added ShardedIndex::AddToFirst(const Spot& spot, Fingerprint fingerprint,
                                             DocId document) {
  ShrinkingTable& table = ShardOf(0, spot);
  Shard& shard = shards_[spot.shard];
  Added added = Added::kFingerprint;
  if (!keep_documents_) {
    if (table.get().Contains(spot.key)) return Added::kNothing;
    table.Insert(spot.key, 0);
  } else {
    assert(document.sequence != 0 && document.sequence >> 40 == 0);
    if (const DocumentRef stored = table.get().Find(spot.key)) {
      const std::uint64_t known = stored.Read();
      if (known == document.sequence) return Added::kNothing;
      std::set<std::uint64_t>& list = shard.lists[fingerprint.bits];
      if (known != 0) {
        list.insert(known);
        table.SetDocument(spot.key, 0);
      }
      if (!list.insert(document.sequence).second) return Added::kNothing;
      added = Added::kDocument;
    } else {
      table.Insert(spot.key, document.sequence);
    }
  }
  if (added == Added::kFingerprint) ++shard.fingerprints;
  ++shard.documents;
  return added;
}

bool ShardedIndex::InsertAt(const Spots& spots, Fingerprint fingerprint, DocId document) {
  const Added added = AddToFirst(spots[0], fingerprint, document);
  for (std::size_t t = 1; added == Added::kFingerprint && t < tables_.size(); ++t) {
    ShardOf(t, spots[t]).Insert(spots[t].key, 0);
  }
  return added != Added::kNothing;
}

bool ShardedIndex::Insert(Fingerprint fingerprint, DocId document) {
  const Spots spots = SpotsOf(fingerprint);
  bool is_new = false;
  {
    const UniqueSliceLock lock(lock_, SlicesOf(spots));
    Prefetch(spots);
    PrefetchOverflow(spots);
    is_new = InsertAt(spots, fingerprint, document);
    BeginShrinking(spots);
  }
  GoOnShrinking();
  return is_new;
}

void ShardedIndex::InsertAll(std::span<const IndexEntry> entries, unsigned threads) {
  if (threads <= 1) return InsertOverlapped(entries);
  for (std::size_t start = 0; start < entries.size(); start += kPiece) {
    InsertPiece(entries.subspan(start, std::min(kPiece, entries.size() - start)), threads);
  }
}

void ShardedIndex::InsertOverlapped(std::span<const IndexEntry> entries) {
  std::array<Spots, kInsertBatch> spots;
  for (std::size_t start = 0; start < entries.size(); start += kInsertBatch) {
    const auto batch = entries.subspan(start, std::min(kInsertBatch, entries.size() - start));
    SliceLock::Set slices = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      spots[i] = SpotsOf(batch[i].fingerprint);
      slices |= SlicesOf(spots[i]);
    }
    const UniqueSliceLock lock(lock_, slices);
    for (std::size_t i = 0; i < batch.size(); ++i) Prefetch(spots[i]);
    for (std::size_t i = 0; i < batch.size(); ++i) PrefetchOverflow(spots[i]);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      InsertAt(spots[i], batch[i].fingerprint, batch[i].document);
    }
  }
}

void ShardedIndex::InsertPiece(std::span<const IndexEntry> entries, unsigned threads) {
  // What a thread has to do with a table: the shards whose number is its own modulo `threads`.
  struct Own {
    std::array<std::size_t, kInsertBatch> entries;
    std::array<Spot, kInsertBatch> spots;
    std::size_t count = 0;
  };
  const auto for_each_own = [&](std::size_t table, unsigned thread, const auto& wanted,
                                const auto& add) {
    Own own;
    const auto add_all = [&] {
      const auto spots = std::span(own.spots).first(own.count);
      for (const Spot& spot : spots) ShardOf(table, spot).get().Prefetch(spot.key);
      for (const Spot& spot : spots) ShardOf(table, spot).get().PrefetchOverflow(spot.key);
      for (std::size_t i = 0; i < own.count; ++i) add(own.entries[i], own.spots[i]);
      own.count = 0;
    };
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Spot spot = SpotOf(table, entries[i].fingerprint);
      if (spot.shard % threads != thread || !wanted(i)) continue;
      own.entries[own.count] = i;
      own.spots[own.count] = spot;
      if (++own.count == kInsertBatch) add_all();
    }
    add_all();
  };

  SliceLock::Set all = 0;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    for (std::size_t s = 0; s < shards_.size(); ++s) all |= SliceOf(t, s);
  }
  // Not of bool, whose neighbours share a byte: threads write them at the same time.
  std::vector<Added> added(entries.size());
  const UniqueSliceLock lock(lock_, all);
  OnThreads(threads, [&](unsigned thread) {
    const auto any = [](std::size_t) { return true; };
    for_each_own(0, thread, any, [&](std::size_t i, const Spot& spot) {
      added[i] = AddToFirst(spot, entries[i].fingerprint, entries[i].document);
    });
  });
  OnThreads(threads, [&](unsigned thread) {
    const auto is_new = [&](std::size_t i) { return added[i] == Added::kFingerprint; };
    for (std::size_t t = 1; t < tables_.size(); ++t) {
      for_each_own(t, thread, is_new, [&](std::size_t /*i*/, const Spot& spot) {
        ShardOf(t, spot).Insert(spot.key, 0);
      });
    }
  });
}

}  // namespace crawlsieve
