#include "plugin/index/bucket/bucket_table.h"
#include "plugin/index/bucket/nest.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace crawlsieve {
namespace {

// A bucket's overflow lines are few beside so many.
constexpr std::uint64_t kMaxRun = 32;

}  // namespace

CellLayout BucketTable::LayoutFor(int address_bits, std::uint64_t run, std::uint64_t stride) const {
  const int stored_bits = key_bits_ - address_bits;
  return {.address_bits = static_cast<std::uint8_t>(address_bits),
          .stored_bits = static_cast<std::uint8_t>(stored_bits),
          .format = FormatFor(stored_bits),
          .document_bytes = static_cast<std::uint8_t>(wide_documents_ ? DocumentRef::kWide
                                                                      : DocumentRef::kNarrow),
          .run = static_cast<std::uint16_t>(run),
          .stride = static_cast<std::uint16_t>(stride)};
}

void BucketTable::Reserve(const TableLayout& layout, std::uint64_t last_document) {
  assert(cells_.empty() && layout.address_bits <= max_address_bits_);
  const int address_bits = std::max(layout.address_bits, cells_.cell_bits());
  const auto run = static_cast<std::uint64_t>(layout.run);
  wide_documents_ = last_document >= kNearlyWide;
  const std::uint64_t heads = cells_.buckets_per_cell();
  const auto lines = static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(heads) * layout.lines_per_bucket * 32 / 31));
  const std::uint64_t fewest = heads * run + std::max(heads / 4, std::uint64_t{1});
  // Overflow lines beyond have no numbers.
  const std::uint64_t most = heads * run + Cells::kFirstFar - 1;
  cells_.Start(LayoutFor(address_bits, run, std::clamp(lines, fewest, most)));
}

std::unique_ptr<BucketTable> BucketTable::MakeEmpty(const TableLayout& layout) const {
  auto table = std::make_unique<BucketTable>(key_bits_, max_address_bits_, max_distance_,
                                             with_documents_, prefix_);
  table->Reserve(layout, wide_documents_ ? kNearlyWide : 0);
  return table;
}

CellLayout BucketTable::NextLayout() const {
  const CellLayout& now = cells_.new_layout();
  if (NeedsWiderDocuments()) return LayoutFor(now.address_bits, now.run, now.stride);
  const std::uint64_t heads = cells_.buckets_per_cell();
  const std::uint64_t overflow = cells_.OverflowLinesOf(now);
  const auto longer_by = [&now](std::uint64_t part) {
    return now.stride + std::max<std::uint64_t>(now.stride / part, 1);
  };
  if (now.address_bits < max_address_bits_) {
    if (overflow <= heads) return LayoutFor(now.address_bits, 1, longer_by(8));
    return LayoutFor(now.address_bits + 1, 1, heads + heads / 4);
  }
  if (now.run == kMaxRun && overflow > 2 * heads) return now;
  // Longer buckets have more of their lines in a run; what is beyond varies by a line or so. A run
  // is read to its end, so it gets longer in smaller steps.
  const std::uint64_t longer = longer_by(10);
  const std::uint64_t run = (longer - std::max<std::uint64_t>(heads * 3 / 4, 1)) / heads;
  return LayoutFor(now.address_bits, std::clamp<std::uint64_t>(run, now.run, kMaxRun), longer);
}

bool BucketTable::MakeRoom() {
  if (cells_.frontier() == 0) {
    const CellLayout next = NextLayout();
    if (next == cells_.new_layout()) return false;
    cells_.BeginMove(next);
  }
  const std::uint64_t cell = cells_.BeginStep();
  const CellLayout& from = cells_.old_layout();
  const CellLayout& to = cells_.new_layout();
  if (from.address_bits != to.address_bits) {
    SplitCell(cell);
  } else if (cells_.AreStretched()) {
    cells_.Stretch(cell);
  } else {
    MoveCell(cell);
  }
  cells_.FinishStep();
  return true;
}

std::size_t BucketTable::TakeLines(const Bucket& bucket, std::vector<MovingLine>& moving) const {
  const auto take = [&](const Line* line) {
    MovingLine& moved = moving.emplace_back();
    moved.line = *line;
    SetNext(moved.line, 0);
    for (std::uint32_t slot = 0; slot < DocumentsIn(*line); ++slot) {
      moved.documents[slot] = cells_.DocumentAt(*bucket.layout, line, slot).Read();
    }
  };
  for (const Line* line = bucket.first; line <= bucket.last() && Count(*line) != 0; ++line) {
    take(line);
  }
  const auto chained = static_cast<std::ptrdiff_t>(moving.size());
  for (std::uint32_t next = Next(*bucket.last()); next != 0;) {
    const Line* line = cells_.OverflowLine(bucket, next);
    take(line);
    next = Next(*line);
  }
  std::reverse(moving.begin() + chained, moving.end());
  return moving.size();
}

void BucketTable::PutLines(const Bucket& bucket, std::span<const MovingLine> moving) {
  Line* next_of_run = bucket.first;
  for (const MovingLine& moved : moving) {
    Line* place = nullptr;
    if (next_of_run <= bucket.last()) {
      place = next_of_run++;
      *place = moved.line;
    } else if (const std::uint32_t taken =
                   Count(*bucket.first) == kNested ? 0 : cells_.TakeOverflowLine(bucket);
               taken != 0) {
      place = cells_.OverflowLine(bucket, taken);
      *place = moved.line;
      SetNext(*place, Next(*bucket.last()));
      SetNext(*bucket.last(), taken);
    } else {
      // Out of numbers for lines elsewhere.
      if (Count(*bucket.first) != kNested) NestBucket(bucket);
      const std::uint64_t prefix = bucket.address << bucket.layout->stored_bits;
      for (std::uint32_t slot = 0; slot < Count(moved.line); ++slot) {
        --keys_in_lines_;
        NestOf(prefix).Insert(LoadKey(moved.line, bucket.layout->format, slot),
                              moved.documents[slot]);
      }
      continue;
    }
    for (std::uint32_t slot = 0; slot < DocumentsIn(moved.line); ++slot) {
      cells_.DocumentAt(*bucket.layout, place, slot).Write(moved.documents[slot]);
    }
  }
}

void BucketTable::MoveCell(std::uint64_t cell) {
  const std::uint64_t first = cell << cells_.cell_bits();
  const std::uint64_t buckets = cells_.buckets_per_cell();
  std::vector<MovingLine> moving;
  moving.reserve(cells_.old_layout().stride);
  std::array<std::size_t, 1 << kMaxCellBits> ends{};
  for (std::uint64_t i = 0; i < buckets; ++i) {
    const Bucket bucket = cells_.BucketAt(cells_.old_layout(), first + i);
    ends[i] = TakeLines(bucket, moving);
    cells_.Unchain(bucket);
  }
  cells_.Clear(cell);
  std::size_t start = 0;
  for (std::uint64_t i = 0; i < buckets; ++i) {
    PutLines(cells_.BucketAt(cells_.new_layout(), first + i),
             std::span(moving).subspan(start, ends[i] - start));
    start = ends[i];
  }
}

void BucketTable::SplitCell(std::uint64_t cell) {
  const std::uint64_t first = cell << cells_.cell_bits();
  const std::uint64_t buckets = cells_.buckets_per_cell();
  std::vector<MovingKey> moving_keys;
  std::uint32_t nested = 0;
  for (std::uint64_t i = 0; i < buckets; ++i) {
    const Bucket bucket = cells_.BucketAt(cells_.old_layout(), first + i);
    if (Count(*bucket.first) == kNested) {
      nested |= 1u << i;
      continue;
    }
    ForEachInBucket(bucket, [&](std::uint64_t key, std::uint64_t document) {
      moving_keys.push_back({key, document});
    });
    cells_.Unchain(bucket);
  }
  keys_in_lines_ -= moving_keys.size();
  cells_.Clear(cell);
  for (std::uint64_t i = 0; i < buckets; ++i) {
    if ((nested >> i & 1) == 0) continue;
    SetCount(*cells_.BucketAt(cells_.new_layout(), 2 * (first + i)).first, kNested);
    SetCount(*cells_.BucketAt(cells_.new_layout(), 2 * (first + i) + 1).first, kNested);
  }
  for (const MovingKey& moved : moving_keys) Append(moved.key, moved.document);
}

}  // namespace crawlsieve
