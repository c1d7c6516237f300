#include "plugin/index/bucket_table.h"

#include "plugin/index/radius.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <iterator>
#include <utility>

namespace crawlsieve {
namespace {

// A bucket is nested when it has this many times the keys it should. By chance alone, with 7 keys
// a bucket or more, the odds against that are beyond 10^20 to one.
constexpr std::uint64_t kNestFactor = 8;
// Beyond 16 lines in a run a bucket's overflow lines are few beside them.
constexpr int kMaxRunOrder = 4;
// Keys with no more bits than this left are a few hundred at most: not worth a nest.
constexpr int kMinNestBits = 8;

constexpr std::array<std::uint16_t, 16> kSlotMasks = [] {
  std::array<std::uint16_t, 16> masks{};
  for (std::uint32_t count = 0; count <= 12; ++count) {
    masks[count] = static_cast<std::uint16_t>((1u << count) - 1);
  }
  return masks;
}();

}  // namespace

void ProbeQueue::ProcessBatch() {
  const std::size_t count = std::min({kBatch, size_, kCapacity - first_});
  std::array<std::uint16_t, kBatch> masks;
  kernel_(&lines_[first_], &query_words_[first_], &budgets_[first_], count, masks.data());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = first_ + i;
    const BucketTable& table = *tables_[at];
    const Line& line = *lines_[at];
    const std::uint32_t keys = Count(line);
    if (keys == kNested) {
      const auto bucket =
          static_cast<std::uint64_t>(&line - table.lines_.heads) >> table.lines_.run_order;
      const Nest& nest = table.NestOf(bucket << table.lines_.stored_bits);
      const std::uint64_t prefix = prefixes_[at] - nest.OwnPart(prefixes_[at]);
      std::vector<std::uint64_t> found;
      nest.Collect(nest.OwnPart(queries_[query_numbers_[at]]), budgets_[at], found, work_);
      for (const std::uint64_t key : found)
        hits_.push_back({query_numbers_[at], prefix | key, nullptr});
      continue;
    }
    work_.candidates += keys;
    for (unsigned mask = masks[i] & kSlotMasks[keys]; mask != 0; mask &= mask - 1) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(mask));
      const std::uint64_t key = prefixes_[at] | LoadKey(line, table.lines_.format, slot);
      if (std::popcount(key ^ queries_[query_numbers_[at]]) <= max_distance_) {
        const unsigned char* document = nullptr;
        if (table.lines_.with_documents) {
          document = table.DocumentAt(&line, slot);
          __builtin_prefetch(document);
        }
        hits_.push_back({query_numbers_[at], key, document});
      }
    }
    if (const std::uint32_t next = Next(line, table.lines_.format); next != 0) {
      // There is room: a batch starts with at most kCapacity - kBatch + 1 lines queued, its own
      // among them, and each of its lines brings one more at most.
      Append(table, *table.lines_.Overflow(next), prefixes_[at], query_numbers_[at],
             query_words_[at], budgets_[at]);
    }
  }
  first_ = (first_ + count) % kCapacity;
  size_ -= count;
}

BucketTable::BucketTable(const TableSettings& settings, int key_bits, int max_address_bits,
                         bool with_documents, double phase)
    : side_(std::make_unique<Side>(Side{.settings = settings,
                                        .key_bits = key_bits,
                                        .max_address_bits = max_address_bits,
                                        .fill = std::exp2(phase),
                                        .blocks = {},
                                        .nests = {}})) {
  lines_.with_documents = with_documents;
  assert(key_bits < 64 && max_address_bits <= key_bits && max_address_bits <= 32);
}

BucketTable::~BucketTable() {
  if (side_ != nullptr) FreeLines(lines_, side_->blocks);
}

BucketTable::Lines BucketTable::AllocateLines(int address_bits, int run_order) const {
  Lines lines;
  lines.with_documents = lines_.with_documents;
  lines.address_bits = static_cast<std::uint8_t>(address_bits);
  lines.stored_bits = static_cast<std::uint8_t>(side_->key_bits - address_bits);
  lines.format = FormatFor(lines.stored_bits);
  // Overflow comes in steps of a 16th of the table: little of it lies idle, and the addresses of
  // the blocks take little room in the cache.
  lines.run_order = static_cast<std::uint8_t>(run_order);
  lines.block_order = static_cast<std::uint8_t>(std::max(address_bits + run_order - 4, 1));
  lines.heads =
      side_->settings.arena->Allocate(address_bits + run_order + (lines_.with_documents ? 1 : 0));
  return lines;
}

void BucketTable::FreeLines(const Lines& lines, const std::vector<Line*>& blocks) const {
  if (lines.heads == nullptr) return;
  const int extra = lines_.with_documents ? 1 : 0;
  side_->settings.arena->Free(lines.heads, lines.address_bits + lines.run_order + extra);
  for (Line* block : blocks) side_->settings.arena->Free(block, lines.block_order + extra);
}

std::uint64_t BucketTable::ReadDocument(const unsigned char* bytes) {
  std::uint64_t document = 0;
  std::memcpy(&document, bytes, kDocumentBytes);
  return document;
}

void BucketTable::WriteDocument(std::uint64_t document, unsigned char* bytes) {
  std::memcpy(bytes, &document, kDocumentBytes);
}

std::uint32_t BucketTable::TakeOverflowLine() {
  if (const std::uint32_t taken = side_->free_overflow; taken != 0) {
    Line& line = *lines_.Overflow(taken);
    side_->free_overflow = Next(line, lines_.format);
    line.words[kHeaderWord] = 0;
    return taken;
  }
  if (side_->used_overflow == MaxNext(lines_.format)) return 0;
  if (side_->used_overflow == side_->blocks.size() << lines_.block_order) {
    side_->blocks.push_back(
        side_->settings.arena->Allocate(lines_.block_order + (lines_.with_documents ? 1 : 0)));
    lines_.overflow = side_->blocks.data();
  }
  return ++side_->used_overflow;
}

void BucketTable::GiveBackOverflowLine(std::uint32_t next) {
  SetNext(*lines_.Overflow(next), lines_.format, side_->free_overflow);
  side_->free_overflow = next;
}

void BucketTable::Append(Line& line, std::uint64_t key, std::uint64_t document) {
  const std::uint32_t slot = Count(line);
  StoreKey(line, lines_.format, slot, lines_.StoredPart(key));
  SetCount(line, slot + 1);
  if (lines_.with_documents) WriteDocument(document, DocumentAt(&line, slot));
  ++side_->keys_in_lines;
}

bool BucketTable::IsTooLong(std::uint64_t bucket) const {
  if (lines_.stored_bits <= kMinNestBits) return false;
  const std::uint64_t average_lines =
      side_->keys_in_lines / SlotCount(lines_.format) >> lines_.address_bits;
  std::uint64_t lines = 0;
  for (const Line* line = lines_.First(bucket); line != nullptr; line = lines_.Following(line)) {
    ++lines;
  }
  return lines > kNestFactor * std::max<std::uint64_t>(average_lines, 1);
}

bool BucketTable::IsFull() const {
  return static_cast<double>(side_->keys_in_lines) >
         side_->fill * SlotCount(lines_.format) * static_cast<double>(lines_.head_lines());
}

bool BucketTable::CanGrow() const {
  return lines_.address_bits < side_->max_address_bits || lines_.run_order < kMaxRunOrder;
}

// The lines of a bucket fill up one after the other: first its run, then, when all of that is full,
// overflow lines, of which all but the first are full. So Insert and Erase touch two lines at most
// beside the run.
void BucketTable::Insert(std::uint64_t key, std::uint64_t document) {
  if (lines_.heads == nullptr) lines_ = AllocateLines(0, 0);
  const std::uint64_t bucket = lines_.BucketOf(key);
  Line* line = lines_.First(bucket);
  Line* const last = lines_.LastOfRun(bucket);
  const std::uint32_t slots = SlotCount(lines_.format);
  if (Count(*line) == kNested) {
    Nest& nest = NestOf(key);
    nest.Insert(nest.OwnPart(key), document);
    return;
  }
  while (line != last && Count(*line) == slots) ++line;
  if (Count(*line) < slots) {
    Append(*line, key, document);
  } else {
    std::uint32_t next = Next(*last, lines_.format);
    if (next == 0 || Count(*lines_.Overflow(next)) == slots) {
      const std::uint32_t taken = TakeOverflowLine();
      if (taken == 0) {
        // Out of numbers for overflow lines: larger buckets need fewer of them.
        CanGrow() ? Grow() : NestBucket(bucket);
        Insert(key, document);
        return;
      }
      SetNext(*lines_.Overflow(taken), lines_.format, next);
      SetNext(*last, lines_.format, taken);
      next = taken;
    }
    line = lines_.Overflow(next);
    Append(*line, key, document);
    // Only when a line was begun: walking through the bucket is not for every insert.
    if (Count(*line) == 1 && IsTooLong(bucket)) NestBucket(bucket);
  }
  if (IsFull() && CanGrow()) Grow();
}

BucketTable::Place BucketTable::Locate(std::uint64_t key) const {
  const std::uint64_t stored = lines_.StoredPart(key);
  for (Line* line = lines_.First(lines_.BucketOf(key)); line != nullptr;
       line = lines_.Following(line)) {
    const std::uint32_t count = Count(*line);
    for (std::uint32_t slot = 0; slot < count; ++slot) {
      if (line->words[slot] == static_cast<std::uint32_t>(stored) &&
          LoadKey(*line, lines_.format, slot) == stored) {
        return {line, slot};
      }
    }
  }
  return {};
}

unsigned char* BucketTable::Find(std::uint64_t key) const {
  assert(lines_.with_documents);
  if (lines_.heads == nullptr) return nullptr;
  if (Count(*lines_.First(lines_.BucketOf(key))) == kNested) {
    const Nest& nest = NestOf(key);
    return nest.Find(nest.OwnPart(key));
  }
  const Place place = Locate(key);
  return place.line == nullptr ? nullptr : DocumentAt(place.line, place.slot);
}

bool BucketTable::Erase(std::uint64_t key) {
  if (lines_.heads == nullptr) return false;
  const std::uint64_t bucket = lines_.BucketOf(key);
  if (Count(*lines_.First(bucket)) == kNested) {
    Nest& nest = NestOf(key);
    if (!nest.Erase(nest.OwnPart(key))) return false;
    if (nest.size() == 0) {
      const std::uint64_t first = key - nest.OwnPart(key);
      SetHeads(first, nest, 0);
      side_->nests.erase(first);
    }
    return true;
  }
  const Place hole = Locate(key);
  if (hole.line == nullptr) return false;
  // The last key of the line that isn't full fills the hole.
  Line* const last = lines_.LastOfRun(bucket);
  const std::uint32_t next = Next(*last, lines_.format);
  Line* tail = next == 0 ? last : lines_.Overflow(next);
  while (Count(*tail) == 0) --tail;  // of the run: an overflow line has keys
  const std::uint32_t slot = Count(*tail) - 1;
  StoreKey(*hole.line, lines_.format, hole.slot, LoadKey(*tail, lines_.format, slot));
  if (lines_.with_documents) {
    WriteDocument(ReadDocument(DocumentAt(tail, slot)), DocumentAt(hole.line, hole.slot));
  }
  SetCount(*tail, slot);
  --side_->keys_in_lines;
  if (slot == 0 && next != 0) {
    SetNext(*last, lines_.format, Next(*tail, lines_.format));
    GiveBackOverflowLine(next);
  }
  return true;
}

void BucketTable::Prefetch(std::uint64_t key) const {
  if (lines_.heads == nullptr) return;
  const Line* line = lines_.First(lines_.BucketOf(key));
  for (std::size_t i = 0; i < std::size_t{1} << lines_.run_order; ++i) {
    __builtin_prefetch(line + i, 1);
  }
  if (lines_.with_documents) __builtin_prefetch(lines_.DocumentsOf(line), 1);
}

void BucketTable::PrefetchOverflow(std::uint64_t key) const {
  if (lines_.heads == nullptr) return;
  const std::uint32_t next = Next(*lines_.LastOfRun(lines_.BucketOf(key)), lines_.format);
  if (next == 0) return;
  const Line* line = lines_.Overflow(next);
  __builtin_prefetch(line, 1);
  if (lines_.with_documents) __builtin_prefetch(lines_.DocumentsOf(line), 1);
}

template <typename Visit>
void BucketTable::ForEachInBucket(const Lines& lines, std::uint64_t bucket, const Visit& visit) {
  const std::uint64_t prefix = bucket << lines.stored_bits;
  for (const Line* line = lines.First(bucket); line != nullptr; line = lines.Following(line)) {
    const auto* documents = reinterpret_cast<const unsigned char*>(lines.DocumentsOf(line));
    for (std::uint32_t slot = 0; slot < Count(*line); ++slot) {
      visit(prefix | LoadKey(*line, lines.format, slot),
            lines.with_documents ? ReadDocument(documents + slot * kDocumentBytes) : 0);
    }
  }
}

void BucketTable::ForEach(const std::function<void(std::uint64_t, std::uint64_t)>& visit) const {
  if (lines_.heads == nullptr) return;
  for (std::uint64_t bucket = 0; bucket < lines_.buckets(); ++bucket) {
    if (Count(*lines_.First(bucket)) != kNested) ForEachInBucket(lines_, bucket, visit);
  }
  for (const auto& [first, nest] : side_->nests) {
    nest->ForEach([&, prefix = first](std::uint64_t key, std::uint64_t document) {
      visit(prefix | key, document);
    });
  }
}

void BucketTable::Grow() {
  const bool addresses = lines_.address_bits < side_->max_address_bits;
  const Lines old = std::exchange(lines_, AllocateLines(lines_.address_bits + (addresses ? 1 : 0),
                                                        lines_.run_order + (addresses ? 0 : 1)));
  const std::vector<Line*> old_blocks = std::exchange(side_->blocks, {});
  side_->used_overflow = 0;
  side_->free_overflow = 0;
  side_->keys_in_lines = 0;
  for (const auto& [first, nest] : side_->nests) SetHeads(first, *nest, kNested);
  for (std::uint64_t bucket = 0; bucket < old.buckets(); ++bucket) {
    if (Count(*old.First(bucket)) == kNested) continue;
    ForEachInBucket(old, bucket,
                    [this](std::uint64_t key, std::uint64_t document) { Insert(key, document); });
  }
  FreeLines(old, old_blocks);
}

void BucketTable::NestBucket(std::uint64_t bucket) {
  auto nest = std::make_unique<Nest>(side_->settings, lines_.stored_bits, lines_.with_documents);
  ForEachInBucket(lines_, bucket, [&](std::uint64_t key, std::uint64_t document) {
    nest->Insert(lines_.StoredPart(key), document);
  });
  side_->keys_in_lines -= nest->size();
  Line* const last = lines_.LastOfRun(bucket);
  for (std::uint32_t next = Next(*last, lines_.format); next != 0;) {
    const std::uint32_t following = Next(*lines_.Overflow(next), lines_.format);
    GiveBackOverflowLine(next);
    next = following;
  }
  for (Line* line = lines_.First(bucket); line <= last; ++line) line->words[kHeaderWord] = 0;
  SetCount(*lines_.First(bucket), kNested);
  side_->nests[bucket << lines_.stored_bits] = std::move(nest);
}

void BucketTable::SetHeads(std::uint64_t first_key, const Nest& nest, std::uint32_t header) {
  const std::uint64_t end = first_key + (std::uint64_t{1} << nest.key_bits());
  for (std::uint64_t key = first_key; key < end; key += std::uint64_t{1} << lines_.stored_bits) {
    lines_.First(lines_.BucketOf(key))->words[kHeaderWord] = header;
  }
}

Nest& BucketTable::NestOf(std::uint64_t key) const {
  return *std::prev(side_->nests.upper_bound(key))->second;
}

std::uint64_t BucketTable::size() const {
  std::uint64_t size = side_->keys_in_lines;
  for (const auto& [start, nest] : side_->nests) size += nest->size();
  return size;
}

std::uint64_t BucketTable::side_bytes() const {
  std::uint64_t bytes =
      sizeof(BucketTable) + sizeof(Side) + side_->blocks.capacity() * sizeof(Line*);
  for (const auto& [start, nest] : side_->nests) bytes += nest->side_bytes();
  return bytes;
}

Nest::Nest(const TableSettings& settings, int key_bits, bool with_documents) : key_bits_(key_bits) {
  const std::size_t tables = settings.max_distance == 0 ? 1 : 2;
  for (std::size_t i = 0; i < tables; ++i) {
    // The first half of the bits, rounded up, or what a rotation by that leaves to the second.
    const int half = (key_bits + 1) / 2;
    const int address_bits = i == 0 ? half : key_bits - half;
    tables_.emplace_back(settings, key_bits, std::min(address_bits, 32), with_documents && i == 0,
                         0.0);
  }
}

std::uint64_t Nest::Rotate(std::uint64_t key, std::size_t table) const {
  if (table == 0) return key;
  const int half = (key_bits_ + 1) / 2;
  return (key << half | key >> (key_bits_ - half)) & ((std::uint64_t{1} << key_bits_) - 1);
}

std::uint64_t Nest::RotateBack(std::uint64_t key, std::size_t table) const {
  if (table == 0) return key;
  const int half = (key_bits_ + 1) / 2;
  return (key >> half | key << (key_bits_ - half)) & ((std::uint64_t{1} << key_bits_) - 1);
}

void Nest::Insert(std::uint64_t key, std::uint64_t document) {
  for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].Insert(Rotate(key, i), document);
}

bool Nest::Erase(std::uint64_t key) {
  if (!tables_.front().Erase(key)) return false;
  for (std::size_t i = 1; i < tables_.size(); ++i) tables_[i].Erase(Rotate(key, i));
  return true;
}

unsigned char* Nest::Find(std::uint64_t key) const { return tables_.front().Find(key); }

void Nest::Collect(std::uint64_t key, int max_distance, std::vector<std::uint64_t>& keys,
                   ProbeWork& work) const {
  keys.clear();
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const int radius =
        BlockRadius(max_distance, static_cast<int>(tables_.size()), static_cast<int>(i));
    if (radius < 0) continue;
    const std::array<std::uint64_t, 1> query{Rotate(key, i)};
    std::vector<Hit> hits;
    ProbeQueue queue(query, max_distance, hits);
    tables_[i].Enqueue(queue, 0, query[0], 0, radius, max_distance);
    queue.Drain();
    for (const Hit& hit : hits) keys.push_back(RotateBack(hit.key, i));
    work.probes += queue.work().probes;
    work.candidates += queue.work().candidates;
  }
  // Each table finds most of them, and so it would go on, level by level.
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

std::uint64_t Nest::side_bytes() const {
  std::uint64_t bytes = sizeof(Nest);
  for (const auto& table : tables_) bytes += table.side_bytes();
  return bytes;
}

}  // namespace crawlsieve
