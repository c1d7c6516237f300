#include "plugin/index/bucket/bucket_table.h"

#include "plugin/index/base/radius.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <utility>

namespace crawlsieve {
namespace {

// A bucket is nested when it has this many times the keys it should. By chance alone, with 7 keys
// a bucket or more, the odds against that are beyond 10^20 to one.
constexpr std::uint64_t kNestFactor = 8;
constexpr int kMaxCellBits = 4;
// A bucket's overflow lines are few beside so many.
constexpr std::uint64_t kMaxRun = 32;
// Cells laid out anew for one insert at most. Each takes a microsecond or two.
constexpr int kMaxCellsAtOnce = 4;
// Keys with no more bits than this left are a few hundred at most: not worth a nest.
constexpr int kMinNestBits = 8;

// Document numbers that fit in four bytes, and those from which on others are to be expected.
constexpr std::uint64_t kMostNarrow = 0xffff'ffff;
constexpr std::uint64_t kNearlyWide = 0xf000'0000;

constexpr std::array<std::uint16_t, 16> kSlotMasks = [] {
  std::array<std::uint16_t, 16> masks{};
  for (std::uint32_t count = 0; count <= 12; ++count) {
    masks[count] = static_cast<std::uint16_t>((1u << count) - 1);
  }
  return masks;
}();

}  // namespace

void ProbeQueue::ProcessBatch(std::size_t most) {
  const std::size_t first = begin_ % kCapacity;
  const std::size_t count = std::min({most, end_ - begin_, kCapacity - first});
  std::array<std::uint16_t, kBatch> masks;
  kernel_(&lines_[first], &words_[first], &budgets_[first], count, masks.data());
  // Which lines have something, and which go on elsewhere, is as good as random: it is found out
  // without branches, and then those lines are gone through.
  std::array<std::uint8_t, kBatch> with_hits;
  std::array<std::uint8_t, kBatch> continued;
  std::size_t hits = 0;
  std::size_t continuations = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t keys = Count(*lines_[first + i]);
    masks[i] &= kSlotMasks[keys];
    work_.candidates += keys == kNested ? 0 : keys;
    with_hits[hits] = static_cast<std::uint8_t>(i);
    hits += masks[i] != 0 || keys == kNested ? 1 : 0;
    continued[continuations] = static_cast<std::uint8_t>(i);
    continuations += Next(*lines_[first + i]) != 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < hits; ++i) {
    const std::size_t at = first + with_hits[i];
    Count(*lines_[at]) == kNested ? CollectFromNest(at) : Collect(at, masks[with_hits[i]]);
  }
  begin_ += count;
  for (std::size_t i = 0; i < continuations; ++i) {
    const std::size_t at = first + continued[i];
    const Probe probe = probes_[at];
    const BucketTable& table = *probe.table;
    const BucketTable::Layout& layout = probe.old_layout ? table.old_ : table.new_;
    const Line* const overflow = table.BucketAt(layout, probe.address).overflow;
    // There is room: each line of the batch brings one more at most.
    Append(probe, table.OverflowLine(overflow, Next(*lines_[at])), words_[at], budgets_[at], true);
  }
}

void ProbeQueue::Collect(std::size_t at, unsigned mask) {
  const Probe& probe = probes_[at];
  const BucketTable& table = *probe.table;
  const Line& line = *lines_[at];
  const BucketTable::Layout& layout = probe.old_layout ? table.old_ : table.new_;
  const std::uint64_t prefix = table.prefix_ | std::uint64_t{probe.address} << layout.stored_bits;
  for (; mask != 0; mask &= mask - 1) {
    const auto slot = static_cast<std::size_t>(std::countr_zero(mask));
    const std::uint64_t key = prefix | LoadKey(line, layout.format, slot);
    if (std::popcount(key ^ queries_[probe.query]) > max_distance_) continue;
    DocumentRef document;
    if (table.with_documents_) {
      document = table.DocumentAt(layout, &line, slot);
      document.Prefetch();
    }
    hits_.push_back({probe.query, key, document});
  }
}

void ProbeQueue::CollectFromNest(std::size_t at) {
  const Probe& probe = probes_[at];
  const BucketTable& table = *probe.table;
  const BucketTable::Layout& layout = probe.old_layout ? table.old_ : table.new_;
  const std::uint64_t first_key = std::uint64_t{probe.address} << layout.stored_bits;
  const Nest& nest = table.NestOf(first_key);
  const std::uint64_t prefix = table.prefix_ | (first_key - nest.OwnPart(first_key));
  std::vector<std::uint64_t> found;
  nest.Collect(nest.OwnPart(queries_[probe.query]), static_cast<int>(budgets_[at]), found, work_);
  for (const std::uint64_t key : found) hits_.push_back({probe.query, prefix | key, {}});
}

BucketTable::BucketTable(int key_bits, int max_address_bits, int max_distance, bool with_documents,
                         std::uint64_t prefix)
    : key_bits_(key_bits),
      max_address_bits_(max_address_bits),
      cell_bits_(std::min(max_address_bits, kMaxCellBits)),
      max_distance_(max_distance),
      with_documents_(with_documents),
      prefix_(prefix) {
  assert(key_bits < 64 && max_address_bits <= key_bits && max_address_bits <= 32);
}

BucketTable::~BucketTable() = default;
BucketTable::BucketTable(BucketTable&&) noexcept = default;

BucketTable::Layout BucketTable::LayoutFor(int address_bits, std::uint64_t run,
                                           std::uint64_t stride) const {
  const int stored_bits = key_bits_ - address_bits;
  return {.address_bits = static_cast<std::uint8_t>(address_bits),
          .stored_bits = static_cast<std::uint8_t>(stored_bits),
          .format = FormatFor(stored_bits),
          .document_bytes = static_cast<std::uint8_t>(wide_documents_ ? DocumentRef::kWide
                                                                      : DocumentRef::kNarrow),
          .run = static_cast<std::uint16_t>(run),
          .stride = static_cast<std::uint16_t>(stride)};
}

Line* BucketTable::Following(const Bucket& bucket, Line* line) const {
  const bool in_run = !std::less<>()(line, bucket.first) && std::less<>()(line, bucket.last());
  if (in_run) return Count(line[1]) != 0 ? line + 1 : nullptr;
  const std::uint32_t next = Next(*line);
  return next != 0 ? OverflowLine(bucket.overflow, next) : nullptr;
}

Line* BucketTable::UsualEnd(const Bucket& bucket) const {
  const Layout& layout = *bucket.layout;
  if (layout.run == 1) return bucket.first;
  const std::uint64_t full = keys_in_lines_ / SlotCount(layout.format) >> layout.address_bits;
  return bucket.first + std::min<std::uint64_t>(full, layout.run - 1u);
}

DocumentRef BucketTable::DocumentAt(const Layout& layout, const Line* line,
                                    std::size_t slot) const {
  const bool far =
      std::less<>()(line, lines_.data()) || !std::less<>()(line, lines_.data() + lines_.size());
  if (far) {
    const auto i = static_cast<std::size_t>(line - far_.data());
    return {BytesOf(far_documents_) + i * kFarDocumentBytes + slot * DocumentRef::kWide,
            DocumentRef::kWide};
  }
  const auto i = static_cast<std::size_t>(line - lines_.data());
  return {BytesOf(documents_) + i * layout.DocumentBytesOfLine() + slot * layout.document_bytes,
          layout.document_bytes};
}

DocumentRef BucketTable::DocumentAt(const Line* line, std::size_t slot) const {
  const bool is_old = std::less<>()(line, lines_.data() + frontier_ * old_.stride);
  return DocumentAt(is_old ? old_ : new_, line, slot);
}

std::uint64_t BucketTable::FirstChoiceInCell(const Bucket& bucket) const {
  // Each bucket looks in a place of its own first: it is soon found.
  const std::uint64_t mask = (std::uint64_t{1} << cell_bits_) - 1;
  return (bucket.address & mask) * OverflowLinesOf(*bucket.layout) >> cell_bits_;
}

std::uint32_t BucketTable::FreeLineInCell(const Bucket& bucket) const {
  const std::uint64_t in_cell = OverflowLinesOf(*bucket.layout);
  std::uint64_t i = FirstChoiceInCell(bucket);
  for (std::uint64_t tried = 0; tried < in_cell; ++tried) {
    if (Count(bucket.overflow[i]) == 0) return static_cast<std::uint32_t>(i + 1);
    if (++i == in_cell) i = 0;
  }
  return 0;
}

std::uint32_t BucketTable::TakeOverflowLine(const Bucket& bucket) {
  if (const std::uint32_t in_cell = FreeLineInCell(bucket); in_cell != 0) {
    ++used_lines_;
    return in_cell;
  }
  std::uint32_t taken = free_far_;
  if (taken != 0) {
    Line& line = *OverflowLine(bucket.overflow, taken);
    free_far_ = Next(line);
    line.words[kHeaderWord] = 0;
  } else {
    if (kFirstFar + used_far_ > kMaxNext) return 0;
    taken = kFirstFar + used_far_++;
    const std::size_t size = used_far_ + used_far_ / 8 + 4;
    if (far_.size() < used_far_) {
      far_.Grow(size);
      if (with_documents_) GrowToBytes(far_documents_, far_.size() * kFarDocumentBytes);
    }
  }
  ++used_lines_;
  return taken;
}

void BucketTable::GiveBackOverflowLine(const Bucket& bucket, std::uint32_t next) {
  Line& line = *OverflowLine(bucket.overflow, next);
  line.words[kHeaderWord] = 0;
  if (next >= kFirstFar) {
    SetNext(line, free_far_);
    free_far_ = next;
  }
  --used_lines_;
}

void BucketTable::Unchain(const Bucket& bucket) {
  for (std::uint32_t next = Next(*bucket.last()); next != 0;) {
    const std::uint32_t following = Next(*OverflowLine(bucket.overflow, next));
    GiveBackOverflowLine(bucket, next);
    next = following;
  }
  SetNext(*bucket.last(), 0);
}

bool BucketTable::IsTooLong(const Bucket& bucket) const {
  if (bucket.layout->stored_bits <= kMinNestBits) return false;
  const std::uint64_t average_lines =
      keys_in_lines_ / SlotCount(bucket.layout->format) >> bucket.layout->address_bits;
  std::uint64_t lines = 0;
  for (Line* line = bucket.first; line != nullptr; line = Following(bucket, line)) ++lines;
  return lines > kNestFactor * std::max<std::uint64_t>(average_lines, 1);
}

void BucketTable::Reserve(int address_bits, int run, double lines_per_bucket,
                          std::uint64_t last_document) {
  assert(cell_lines_ == 0 && address_bits >= cell_bits_ && address_bits <= max_address_bits_);
  wide_documents_ = last_document >= kNearlyWide;
  const std::uint64_t heads = std::uint64_t{1} << cell_bits_;
  const auto lines = static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(heads) * lines_per_bucket * 32 / 31));
  const std::uint64_t fewest =
      heads * static_cast<std::uint64_t>(run) + std::max(heads / 4, std::uint64_t{1});
  // Overflow lines beyond have no numbers.
  const std::uint64_t most = heads * static_cast<std::uint64_t>(run) + kFirstFar - 1;
  old_ = new_ =
      LayoutFor(address_bits, static_cast<std::uint64_t>(run), std::clamp(lines, fewest, most));
  GrowArrays();
  cell_lines_ = CellsOf(new_) * new_.stride;
  used_lines_ = CellsOf(new_) * RunsOf(new_);
}

void BucketTable::GrowArrays() {
  const std::uint64_t lines = CellsOf(new_) * new_.stride;
  lines_.Grow(lines);
  if (with_documents_) GrowToBytes(documents_, lines * new_.DocumentBytesOfLine());
}

void BucketTable::Insert(std::uint64_t key, std::uint64_t document) {
  if (cell_lines_ == 0) Reserve(cell_bits_, 1, 1.0, 0);
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
  const Bucket bucket = BucketOf(key);
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
    if (next == 0 || Count(*OverflowLine(bucket.overflow, next)) == slots) {
      const std::uint32_t taken = TakeOverflowLine(bucket);
      if (taken == 0) {  // out of numbers for lines elsewhere
        NestBucket(bucket);
        Append(key, document);
        return;
      }
      SetNext(*OverflowLine(bucket.overflow, taken), next);
      SetNext(*bucket.last(), taken);
      next = taken;
    }
    line = OverflowLine(bucket.overflow, next);
  }
  const std::uint32_t slot = Count(*line);
  StoreKey(*line, bucket.layout->format, slot, bucket.layout->StoredPart(key));
  SetCount(*line, slot + 1);
  if (with_documents_) DocumentAt(*bucket.layout, line, slot).Write(document);
  ++keys_in_lines_;
  // Only when an overflow line was begun: walking through the bucket is not for every insert.
  if (slot == 0 && Next(*bucket.last()) != 0 && IsTooLong(bucket)) NestBucket(bucket);
}

BucketTable::Place BucketTable::Locate(std::uint64_t key) const {
  const Bucket bucket = BucketOf(key);
  const std::uint64_t stored = bucket.layout->StoredPart(key);
  for (Line* line = bucket.first; line != nullptr; line = Following(bucket, line)) {
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
  if (cell_lines_ == 0) return false;
  if (Count(*BucketOf(key).first) == kNested) {
    const Nest& nest = NestOf(key);
    return nest.Contains(nest.OwnPart(key));
  }
  return Locate(key).line != nullptr;
}

DocumentRef BucketTable::Find(std::uint64_t key) const {
  assert(with_documents_);
  if (cell_lines_ == 0) return {};
  if (Count(*BucketOf(key).first) == kNested) {
    const Nest& nest = NestOf(key);
    return nest.Find(nest.OwnPart(key));
  }
  const Place place = Locate(key);
  return place.line == nullptr ? DocumentRef() : DocumentAt(place.line, place.slot);
}

void BucketTable::SetDocument(std::uint64_t key, std::uint64_t document) {
  assert(with_documents_);
  if (Count(*BucketOf(key).first) == kNested) {
    Nest& nest = NestOf(key);
    nest.SetDocument(nest.OwnPart(key), document);
    return;
  }
  MakeWideEnough(document);
  Find(key).Write(document);
}

bool BucketTable::Erase(std::uint64_t key) {
  if (cell_lines_ == 0) return false;
  const Bucket bucket = BucketOf(key);
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
  Line* tail = next == 0 ? bucket.last() : OverflowLine(bucket.overflow, next);
  while (Count(*tail) == 0) --tail;  // of the run: an overflow line has keys
  const std::uint32_t slot = Count(*tail) - 1;
  const LineFormat format = bucket.layout->format;
  StoreKey(*hole.line, format, hole.slot, LoadKey(*tail, format, slot));
  if (with_documents_) {
    DocumentAt(hole.line, hole.slot).Write(DocumentAt(tail, slot).Read());
  }
  SetCount(*tail, slot);
  --keys_in_lines_;
  if (slot == 0 && next != 0) {
    SetNext(*bucket.last(), Next(*tail));
    GiveBackOverflowLine(bucket, next);
  }
  return true;
}

void BucketTable::Prefetch(std::uint64_t key) const {
  if (cell_lines_ == 0) return;
  const Bucket bucket = BucketOf(key);
  const Line* line = UsualEnd(bucket);
  __builtin_prefetch(line, 1);
  if (bucket.layout->run > 1) __builtin_prefetch(bucket.last(), 1);
  if (with_documents_) DocumentAt(*bucket.layout, line, 0).Prefetch();
}

void BucketTable::PrefetchOverflow(std::uint64_t key) const {
  if (cell_lines_ == 0) return;
  const Bucket bucket = BucketOf(key);
  const Line& last = *bucket.last();
  const bool full = Count(last) == SlotCount(bucket.layout->format);
  if (Next(last) == 0 && !full) return;
  const Line* line = Next(last) != 0 ? OverflowLine(bucket.overflow, Next(last))
                                     : bucket.overflow + FirstChoiceInCell(bucket);
  __builtin_prefetch(line, 1);
  if (with_documents_) DocumentAt(*bucket.layout, line, 0).Prefetch();
}

template <typename Visit>
void BucketTable::ForEachInBucket(const Bucket& bucket, const Visit& visit) const {
  const std::uint64_t prefix = bucket.address << bucket.layout->stored_bits;
  for (Line* line = bucket.first; line != nullptr; line = Following(bucket, line)) {
    for (std::uint32_t slot = 0; slot < Count(*line); ++slot) {
      visit(prefix | LoadKey(*line, bucket.layout->format, slot),
            with_documents_ ? DocumentAt(*bucket.layout, line, slot).Read() : 0);
    }
  }
}

void BucketTable::ForEach(std::uint64_t first, std::uint64_t last,
                          const std::function<void(std::uint64_t, std::uint64_t)>& visit) const {
  if (cell_lines_ == 0) return;
  const auto visit_within = [&](std::uint64_t key, std::uint64_t document) {
    if (first <= key && key <= last) visit(key, document);
  };
  for (std::uint64_t key = first;;) {
    const Bucket bucket = BucketOf(key);
    if (Count(*bucket.first) != kNested) ForEachInBucket(bucket, visit_within);
    const std::uint64_t end = (bucket.address + 1) << bucket.layout->stored_bits;
    if (end - 1 >= last) break;
    key = end;
  }
  for (const auto& [start, nest] : nests_) {
    if (start > last || start + ((std::uint64_t{1} << nest->key_bits()) - 1) < first) continue;
    nest->ForEach([&, start = start](std::uint64_t key, std::uint64_t document) {
      visit_within(start | key, document);
    });
  }
}

bool BucketTable::NeedsNextLayout() const {
  // A 32nd idle leaves some 2 % of the lines without room in their cell.
  return used_lines_ * 32 > cell_lines_ * 31 || NeedsWiderDocuments();
}

BucketTable::Layout BucketTable::NextLayout() const {
  if (NeedsWiderDocuments()) return LayoutFor(new_.address_bits, new_.run, new_.stride);
  const std::uint64_t heads = std::uint64_t{1} << cell_bits_;
  const std::uint64_t overflow = OverflowLinesOf(new_);
  const auto longer_by = [this](std::uint64_t part) {
    return new_.stride + std::max<std::uint64_t>(new_.stride / part, 1);
  };
  if (new_.address_bits < max_address_bits_) {
    if (overflow <= heads) return LayoutFor(new_.address_bits, 1, longer_by(8));
    return LayoutFor(new_.address_bits + 1, 1, heads + heads / 4);
  }
  if (new_.run == kMaxRun && overflow > 2 * heads) return new_;
  // Longer buckets have more of their lines in a run; what is beyond varies by a line or so. A run
  // is read to its end, so it gets longer in smaller steps.
  const std::uint64_t longer = longer_by(10);
  const std::uint64_t run = (longer - std::max<std::uint64_t>(heads * 3 / 4, 1)) / heads;
  return LayoutFor(new_.address_bits, std::clamp<std::uint64_t>(run, new_.run, kMaxRun), longer);
}

bool BucketTable::MakeRoom() {
  if (frontier_ == 0) {
    const Layout next = NextLayout();
    if (next == new_) return false;
    new_ = next;
    GrowArrays();
    frontier_ = CellsOf(old_);
  }
  --frontier_;
  const std::uint64_t cells = CellsOf(new_) / CellsOf(old_);
  cell_lines_ += cells * new_.stride - old_.stride;
  used_lines_ += cells * RunsOf(new_) - RunsOf(old_);
  if (cells != 1) {
    SplitCell(frontier_);
  } else if (old_.run == new_.run && old_.document_bytes == new_.document_bytes) {
    StretchCell(frontier_);
  } else {
    MoveCell(frontier_);
  }
  if (frontier_ == 0) {
    old_ = new_;
    return true;
  }
  // It is moved a dozen inserts from now.
  for (std::uint64_t i = 0; i < old_.stride; ++i) {
    const std::uint64_t line = (frontier_ - 1) * old_.stride + i;
    __builtin_prefetch(lines_.data() + line);
    if (with_documents_) DocumentAt(old_, lines_.data() + line, 0).Prefetch();
  }
  return true;
}

void BucketTable::StretchCell(std::uint64_t cell) {
  Line* const lines = lines_.data() + cell * new_.stride;
  std::memmove(lines, lines_.data() + cell * old_.stride, old_.stride * sizeof(Line));
  std::fill(lines + old_.stride, lines + new_.stride, Line{});
  if (with_documents_) {
    const std::size_t line_bytes = new_.DocumentBytesOfLine();
    unsigned char* const documents = BytesOf(documents_);
    std::memmove(documents + cell * new_.stride * line_bytes,
                 documents + cell * old_.stride * line_bytes, old_.stride * line_bytes);
  }
  // Lines elsewhere come back, as far as there is room.
  const std::uint64_t first = cell << cell_bits_;
  for (std::uint64_t i = 0; i < std::uint64_t{1} << cell_bits_; ++i) {
    const Bucket bucket = BucketAt(new_, first + i);
    if (Count(*bucket.first) == kNested) continue;
    for (Line* line = bucket.last(); Next(*line) != 0;
         line = OverflowLine(bucket.overflow, Next(*line))) {
      const std::uint32_t next = Next(*line);
      if (next < kFirstFar) continue;
      const std::uint32_t free = FreeLineInCell(bucket);
      if (free == 0) return;
      ++used_lines_;
      const Line* far = OverflowLine(bucket.overflow, next);
      Line* near = OverflowLine(bucket.overflow, free);
      *near = *far;
      for (std::uint32_t slot = 0; with_documents_ && slot < Count(*far); ++slot) {
        DocumentAt(new_, near, slot).Write(DocumentAt(new_, far, slot).Read());
      }
      SetNext(*line, free);
      GiveBackOverflowLine(bucket, next);
    }
  }
}

void BucketTable::MoveCell(std::uint64_t cell) {
  const std::uint64_t first = cell << cell_bits_;
  const std::uint64_t buckets = std::uint64_t{1} << cell_bits_;
  std::vector<MovingLine> moving_lines;
  moving_lines.reserve(old_.stride);
  std::array<std::size_t, 1 << kMaxCellBits> ends{};
  const auto documents_in = [this](const Line& line) {
    return with_documents_ && Count(line) != kNested ? Count(line) : 0;
  };
  const auto take = [&](const Line* line) {
    MovingLine& moving = moving_lines.emplace_back();
    moving.line = *line;
    SetNext(moving.line, 0);
    for (std::uint32_t slot = 0; slot < documents_in(*line); ++slot) {
      moving.documents[slot] = DocumentAt(old_, line, slot).Read();
    }
  };
  for (std::uint64_t i = 0; i < buckets; ++i) {
    const Bucket bucket = BucketAt(old_, first + i);
    for (const Line* line = bucket.first; line <= bucket.last() && Count(*line) != 0; ++line) {
      take(line);
    }
    const auto chained = static_cast<std::ptrdiff_t>(moving_lines.size());
    for (std::uint32_t next = Next(*bucket.last()); next != 0;) {
      const Line* line = OverflowLine(bucket.overflow, next);
      take(line);
      next = Next(*line);
    }
    std::reverse(moving_lines.begin() + chained, moving_lines.end());
    ends[i] = moving_lines.size();
    Unchain(bucket);
  }
  std::fill_n(lines_.data() + cell * new_.stride, new_.stride, Line{});
  std::size_t next_line = 0;
  for (std::uint64_t i = 0; i < buckets; ++i) {
    const Bucket bucket = BucketAt(new_, first + i);
    for (Line* line = bucket.first; next_line != ends[i]; ++next_line) {
      const MovingLine& moving = moving_lines[next_line];
      Line* place = nullptr;
      if (line <= bucket.last()) {
        place = line++;
        *place = moving.line;
      } else if (const std::uint32_t taken =
                     Count(*bucket.first) == kNested ? 0 : TakeOverflowLine(bucket);
                 taken != 0) {
        place = OverflowLine(bucket.overflow, taken);
        *place = moving.line;
        SetNext(*place, Next(*bucket.last()));
        SetNext(*bucket.last(), taken);
      } else {
        // Out of numbers for lines elsewhere.
        if (Count(*bucket.first) != kNested) NestBucket(bucket);
        const std::uint64_t prefix = bucket.address << new_.stored_bits;
        for (std::uint32_t slot = 0; slot < Count(moving.line); ++slot) {
          --keys_in_lines_;
          NestOf(prefix).Insert(LoadKey(moving.line, new_.format, slot), moving.documents[slot]);
        }
        continue;
      }
      for (std::uint32_t slot = 0; slot < documents_in(moving.line); ++slot) {
        DocumentAt(new_, place, slot).Write(moving.documents[slot]);
      }
    }
  }
}

void BucketTable::SplitCell(std::uint64_t cell) {
  const std::uint64_t first = cell << cell_bits_;
  const std::uint64_t buckets = std::uint64_t{1} << cell_bits_;
  std::vector<MovingKey> moving_keys;
  std::uint32_t nested = 0;
  for (std::uint64_t i = 0; i < buckets; ++i) {
    const Bucket bucket = BucketAt(old_, first + i);
    if (Count(*bucket.first) == kNested) {
      nested |= 1u << i;
      continue;
    }
    ForEachInBucket(bucket, [&](std::uint64_t key, std::uint64_t document) {
      moving_keys.push_back({key, document});
    });
    Unchain(bucket);
  }
  keys_in_lines_ -= moving_keys.size();
  std::fill_n(lines_.data() + 2 * cell * new_.stride, 2 * new_.stride, Line{});
  for (std::uint64_t i = 0; i < buckets; ++i) {
    if ((nested >> i & 1) == 0) continue;
    SetCount(*BucketAt(new_, 2 * (first + i)).first, kNested);
    SetCount(*BucketAt(new_, 2 * (first + i) + 1).first, kNested);
  }
  for (const MovingKey& moved : moving_keys) Append(moved.key, moved.document);
}

void BucketTable::NestBucket(const Bucket& bucket) {
  const Layout& layout = *bucket.layout;
  auto nest = std::make_unique<Nest>(layout.stored_bits, max_distance_, with_documents_);
  ForEachInBucket(bucket, [&](std::uint64_t key, std::uint64_t document) {
    nest->Insert(layout.StoredPart(key), document);
  });
  keys_in_lines_ -= nest->size();
  Unchain(bucket);
  for (Line* line = bucket.first; line <= bucket.last(); ++line) line->words[kHeaderWord] = 0;
  SetCount(*bucket.first, kNested);
  nests_[bucket.address << layout.stored_bits] = std::move(nest);
}

void BucketTable::SetHeads(std::uint64_t first_key, const Nest& nest, std::uint32_t header) {
  const std::uint64_t end = first_key + (std::uint64_t{1} << nest.key_bits());
  for (std::uint64_t key = first_key; key < end;) {
    const Bucket bucket = BucketOf(key);
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
  // While cells move there are lines between old and new ones that nobody has written yet.
  const auto unwritten = [this](std::uint64_t old_line_bytes, std::uint64_t new_line_bytes) {
    if (frontier_ == 0) return std::uint64_t{0};
    const std::uint64_t old_end = CellsOf(old_) * old_.stride * old_line_bytes;
    const std::uint64_t new_start =
        frontier_ * (CellsOf(new_) / CellsOf(old_) * new_.stride) * new_line_bytes;
    return new_start - std::min(new_start, old_end);
  };
  std::uint64_t bytes = sizeof(BucketTable) + (lines_.size() + far_.size()) * kLineBytes -
                        unwritten(kLineBytes, kLineBytes);
  if (with_documents_) {
    bytes += (documents_.size() + far_documents_.size()) * kLineBytes -
             unwritten(old_.DocumentBytesOfLine(), new_.DocumentBytesOfLine());
  }
  for (const auto& [start, nest] : nests_) bytes += nest->bytes();
  return bytes;
}

Nest::Nest(int key_bits, int max_distance, bool with_documents) : key_bits_(key_bits) {
  const std::size_t tables = max_distance == 0 ? 1 : 2;
  for (std::size_t i = 0; i < tables; ++i) {
    // The first half of the bits, rounded up, or what a rotation by that leaves to the second.
    const int half = (key_bits + 1) / 2;
    const int address_bits = i == 0 ? half : key_bits - half;
    tables_.emplace_back(key_bits, std::min(address_bits, 32), max_distance,
                         with_documents && i == 0);
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
    tables_[i].Enqueue(queue, 0, query[0], radius, max_distance);
    queue.Drain();
    for (const Hit& hit : hits) keys.push_back(RotateBack(hit.key, i));
    work.probes += queue.work().probes;
    work.candidates += queue.work().candidates;
  }
  // Each table finds most of them, and so it would go on, level by level.
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

std::uint64_t Nest::bytes() const {
  std::uint64_t bytes = sizeof(Nest);
  for (const auto& table : tables_) bytes += table.bytes();
  return bytes;
}

}  // namespace crawlsieve
