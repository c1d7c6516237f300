#include "plugin/index/bucket/bucket_table.h"

#include "plugin/index/bucket/nest.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <utility>

namespace crawlsieve {
namespace {

// A bucket is nested when it has this many times the keys it should. By chance alone, with 7 keys
// a bucket or more, the odds against that are beyond 10^20 to one.
constexpr std::uint64_t kNestFactor = 8;
// Cells laid out anew for one insert at most. Each takes a microsecond or two.
constexpr int kMaxCellsAtOnce = 4;
// Keys with no more bits than this left are a few hundred at most: not worth a nest.
constexpr int kMinNestBits = 8;

// The largest document number that fits in four bytes.
constexpr std::uint64_t kMostNarrow = 0xffff'ffff;

}  // namespace

BucketTable::BucketTable(int key_bits, int max_address_bits, int max_distance, bool with_documents,
                         std::uint64_t prefix)
    : key_bits_(key_bits),
      max_address_bits_(max_address_bits),
      max_distance_(max_distance),
      with_documents_(with_documents),
      prefix_(prefix),
      cells_(std::min(max_address_bits, kMaxCellBits), with_documents) {
  assert(key_bits < 64 && max_address_bits <= key_bits && max_address_bits <= 32);
}

BucketTable::~BucketTable() = default;
BucketTable::BucketTable(BucketTable&&) noexcept = default;

Line* BucketTable::UsualEnd(const Bucket& bucket) const {
  const CellLayout& layout = *bucket.layout;
  if (layout.run == 1) return bucket.first;
  const std::uint64_t full = keys_in_lines_ / SlotCount(layout.format) >> layout.address_bits;
  return bucket.first + std::min<std::uint64_t>(full, layout.run - 1u);
}

bool BucketTable::IsTooLong(const Bucket& bucket) const {
  if (bucket.layout->stored_bits <= kMinNestBits) return false;
  const std::uint64_t average_lines =
      keys_in_lines_ / SlotCount(bucket.layout->format) >> bucket.layout->address_bits;
  std::uint64_t lines = 0;
  for (Line* line = bucket.first; line != nullptr; line = cells_.Following(bucket, line)) ++lines;
  // A table that is laid out for keys to come, and fills up in their order, has an average of none.
  return lines > kNestFactor * std::max<std::uint64_t>(average_lines, bucket.layout->run);
}

void BucketTable::Insert(std::uint64_t key, std::uint64_t document) {
  if (cells_.empty()) Reserve({.address_bits = cells_.cell_bits()}, 0);
  if (with_documents_) MakeWideEnough(document);
  Append(key, document);
  for (int i = 0; i < kMaxCellsAtOnce && NeedsNextLayout() && MakeRoom(); ++i) {
  }
}

void BucketTable::MakeWideEnough(std::uint64_t document) {
  if (document < kNearlyWide) return;
  wide_documents_ = true;
  // Numbers that ascend have left room for the cells to be done one by one.
  while (document > kMostNarrow && NeedsWiderDocuments()) MakeRoom();
}

// The lines of a bucket fill up one after the other: first its run, then, when all of that is full,
// overflow lines, of which all but the first are full. So Insert and Erase touch two lines at most
// beside the run.
void BucketTable::Append(std::uint64_t key, std::uint64_t document) {
  const Bucket bucket = cells_.BucketOf(key);
  if (Count(*bucket.first) == kNested) {
    Nest& nest = NestOf(key);
    nest.Insert(nest.OwnPart(key), document);
    return;
  }
  const std::uint32_t slots = SlotCount(bucket.layout->format);
  Line* line = UsualEnd(bucket);
  while (line != bucket.first && Count(line[-1]) != slots) --line;
  while (line != bucket.last() && Count(*line) == slots) ++line;
  if (Count(*line) == slots) {
    std::uint32_t next = Next(*bucket.last());
    if (next == 0 || Count(*cells_.OverflowLine(bucket, next)) == slots) {
      const std::uint32_t taken = cells_.TakeOverflowLine(bucket);
      if (taken == 0) {  // out of numbers for lines elsewhere
        NestBucket(bucket);
        Append(key, document);
        return;
      }
      SetNext(*cells_.OverflowLine(bucket, taken), next);
      SetNext(*bucket.last(), taken);
      next = taken;
    }
    line = cells_.OverflowLine(bucket, next);
  }
  const std::uint32_t slot = Count(*line);
  StoreKey(*line, bucket.layout->format, slot, bucket.layout->StoredPart(key));
  SetCount(*line, slot + 1);
  if (with_documents_) cells_.DocumentAt(*bucket.layout, line, slot).Write(document);
  ++keys_in_lines_;
  // Only when an overflow line was begun: walking through the bucket is not for every insert.
  if (slot == 0 && Next(*bucket.last()) != 0 && IsTooLong(bucket)) NestBucket(bucket);
}

BucketTable::Place BucketTable::Locate(std::uint64_t key) const {
  const Bucket bucket = cells_.BucketOf(key);
  const std::uint64_t stored = bucket.layout->StoredPart(key);
  for (Line* line = bucket.first; line != nullptr; line = cells_.Following(bucket, line)) {
    const std::uint32_t count = Count(*line);
    for (std::uint32_t slot = 0; slot < count; ++slot) {
      if (line->words[slot] == static_cast<std::uint32_t>(stored) &&
          LoadKey(*line, bucket.layout->format, slot) == stored) {
        return {line, slot};
      }
    }
  }
  return {};
}

bool BucketTable::Contains(std::uint64_t key) const {
  if (cells_.empty()) return false;
  if (Count(*cells_.BucketOf(key).first) == kNested) {
    const Nest& nest = NestOf(key);
    return nest.Contains(nest.OwnPart(key));
  }
  return Locate(key).line != nullptr;
}

DocumentRef BucketTable::Find(std::uint64_t key) const {
  assert(with_documents_);
  if (cells_.empty()) return {};
  if (Count(*cells_.BucketOf(key).first) == kNested) {
    const Nest& nest = NestOf(key);
    return nest.Find(nest.OwnPart(key));
  }
  const Place place = Locate(key);
  return place.line == nullptr ? DocumentRef() : cells_.DocumentAt(place.line, place.slot);
}

void BucketTable::SetDocument(std::uint64_t key, std::uint64_t document) {
  assert(with_documents_);
  if (Count(*cells_.BucketOf(key).first) == kNested) {
    Nest& nest = NestOf(key);
    nest.SetDocument(nest.OwnPart(key), document);
    return;
  }
  MakeWideEnough(document);
  Find(key).Write(document);
}

bool BucketTable::Erase(std::uint64_t key) {
  if (cells_.empty()) return false;
  const Bucket bucket = cells_.BucketOf(key);
  if (Count(*bucket.first) == kNested) {
    Nest& nest = NestOf(key);
    if (!nest.Erase(nest.OwnPart(key))) return false;
    if (nest.size() == 0) {
      const std::uint64_t first = key - nest.OwnPart(key);
      SetHeads(first, nest, 0);
      nests_.erase(first);
    }
    return true;
  }
  const Place hole = Locate(key);
  if (hole.line == nullptr) return false;
  // The last key of the line that isn't full fills the hole.
  const std::uint32_t next = Next(*bucket.last());
  Line* tail = next == 0 ? bucket.last() : cells_.OverflowLine(bucket, next);
  while (Count(*tail) == 0) --tail;  // of the run: an overflow line has keys
  const std::uint32_t slot = Count(*tail) - 1;
  const LineFormat format = bucket.layout->format;
  StoreKey(*hole.line, format, hole.slot, LoadKey(*tail, format, slot));
  if (with_documents_) {
    cells_.DocumentAt(hole.line, hole.slot).Write(cells_.DocumentAt(tail, slot).Read());
  }
  SetCount(*tail, slot);
  --keys_in_lines_;
  if (slot == 0 && next != 0) {
    SetNext(*bucket.last(), Next(*tail));
    cells_.GiveBackOverflowLine(bucket, next);
  }
  return true;
}

void BucketTable::Prefetch(std::uint64_t key) const {
  if (cells_.empty()) return;
  const Bucket bucket = cells_.BucketOf(key);
  const Line* line = UsualEnd(bucket);
  __builtin_prefetch(line, 1);
  if (bucket.layout->run > 1) __builtin_prefetch(bucket.last(), 1);
  if (with_documents_) cells_.DocumentAt(*bucket.layout, line, 0).Prefetch();
}

void BucketTable::PrefetchOverflow(std::uint64_t key) const {
  if (cells_.empty()) return;
  const Bucket bucket = cells_.BucketOf(key);
  const Line& last = *bucket.last();
  const bool full = Count(last) == SlotCount(bucket.layout->format);
  if (Next(last) == 0 && !full) return;
  const Line* line = Next(last) != 0 ? cells_.OverflowLine(bucket, Next(last))
                                     : bucket.overflow + cells_.FirstChoiceInCell(bucket);
  __builtin_prefetch(line, 1);
  if (with_documents_) cells_.DocumentAt(*bucket.layout, line, 0).Prefetch();
}

void BucketTable::ForEach(std::uint64_t first, std::uint64_t last,
                          const std::function<void(std::uint64_t, std::uint64_t)>& visit) const {
  if (cells_.empty()) return;
  const auto visit_within = [&](std::uint64_t key, std::uint64_t document) {
    if (first <= key && key <= last) visit(key, document);
  };
  for (std::uint64_t key = first;;) {
    const Bucket bucket = cells_.BucketOf(key);
    if (Count(*bucket.first) != kNested) ForEachInBucket(bucket, visit_within);
    const std::uint64_t end = (bucket.address + 1) << bucket.layout->stored_bits;
    if (end - 1 >= last) break;
    key = end;
  }
  ForEachNest(first, last,
              [&](std::uint64_t start, const Nest& nest, std::uint64_t from, std::uint64_t to) {
                nest.ForEach(from, to, [&](std::uint64_t key, std::uint64_t document) {
                  visit(start | key, document);
                });
              });
}

template <typename Visit>
void BucketTable::ForEachNest(std::uint64_t first, std::uint64_t last, const Visit& visit) const {
  auto at = nests_.upper_bound(first);
  if (at != nests_.begin()) --at;
  for (; at != nests_.end() && at->first <= last; ++at) {
    const std::uint64_t start = at->first;
    const std::uint64_t end = start + ((std::uint64_t{1} << at->second->key_bits()) - 1);
    if (end < first) continue;
    visit(start, *at->second, std::max(first, start) - start, std::min(last, end) - start);
  }
}

std::uint64_t BucketTable::EstimateWithin(std::uint64_t first, std::uint64_t last) const {
  const double share = static_cast<double>(last - first) / std::exp2(key_bits_);
  auto keys = static_cast<std::uint64_t>(static_cast<double>(keys_in_lines_) * share);
  ForEachNest(first, last,
              [&keys](std::uint64_t /*start*/, const Nest& nest, std::uint64_t from,
                      std::uint64_t to) { keys += nest.EstimateWithin(from, to); });
  return keys;
}

void BucketTable::NestBucket(const Bucket& bucket) {
  const CellLayout& layout = *bucket.layout;
  auto nest = std::make_unique<Nest>(layout.stored_bits, max_distance_, with_documents_);
  ForEachInBucket(bucket, [&](std::uint64_t key, std::uint64_t document) {
    nest->Insert(layout.StoredPart(key), document);
  });
  keys_in_lines_ -= nest->size();
  cells_.Unchain(bucket);
  for (Line* line = bucket.first; line <= bucket.last(); ++line) line->words[kHeaderWord] = 0;
  SetCount(*bucket.first, kNested);
  nests_[bucket.address << layout.stored_bits] = std::move(nest);
}

void BucketTable::SetHeads(std::uint64_t first_key, const Nest& nest, std::uint32_t header) {
  const std::uint64_t end = first_key + (std::uint64_t{1} << nest.key_bits());
  for (std::uint64_t key = first_key; key < end;) {
    const Bucket bucket = cells_.BucketOf(key);
    bucket.first->words[kHeaderWord] = header;
    key = (bucket.address + 1) << bucket.layout->stored_bits;
  }
}

Nest& BucketTable::NestOf(std::uint64_t key) const {
  return *std::prev(nests_.upper_bound(key))->second;
}

std::uint64_t BucketTable::size() const {
  std::uint64_t size = keys_in_lines_;
  for (const auto& [start, nest] : nests_) size += nest->size();
  return size;
}

std::uint64_t BucketTable::bytes() const {
  std::uint64_t bytes = sizeof(BucketTable) + cells_.bytes();
  for (const auto& [start, nest] : nests_) bytes += nest->bytes();
  return bytes;
}

}  // namespace crawlsieve
