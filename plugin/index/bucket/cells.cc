#include "plugin/index/bucket/cells.h"

#include <cstring>

namespace crawlsieve {

void Cells::Start(const CellLayout& layout) {
  old_ = new_ = layout;
  GrowArrays();
  far_.emplace(new_.address_bits, new_.run, with_documents_);
  cell_lines_ = CellsOf(new_) * new_.stride;
  used_lines_ = CellsOf(new_) * RunsOf(new_);
}

std::uint32_t Cells::FreeLineInCell(const Bucket& bucket) const {
  const std::uint64_t in_cell = OverflowLinesOf(*bucket.layout);
  std::uint64_t i = FirstChoiceInCell(bucket);
  for (std::uint64_t tried = 0; tried < in_cell; ++tried) {
    if (Count(bucket.overflow[i]) == 0) return static_cast<std::uint32_t>(i + 1);
    if (++i == in_cell) i = 0;
  }
  return 0;
}

std::uint32_t Cells::TakeOverflowLine(const Bucket& bucket) {
  if (const std::uint32_t in_cell = FreeLineInCell(bucket); in_cell != 0) {
    ++used_lines_;
    return in_cell;
  }
  const std::uint32_t far = FarOf(bucket).Take(bucket.address);
  if (far == FarLines::kNone) return 0;
  ++used_lines_;
  return kFirstFar + far;
}

void Cells::GiveBackOverflowLine(const Bucket& bucket, std::uint32_t next) {
  OverflowLine(bucket, next)->words[kHeaderWord] = 0;
  if (next >= kFirstFar) {
    FarOf(bucket).GiveBack(bucket.address, next - kFirstFar);
  }
  --used_lines_;
}

void Cells::Unchain(const Bucket& bucket) {
  for (std::uint32_t next = Next(*bucket.last()); next != 0;) {
    const std::uint32_t following = Next(*OverflowLine(bucket, next));
    GiveBackOverflowLine(bucket, next);
    next = following;
  }
  SetNext(*bucket.last(), 0);
}

void Cells::GrowArrays() {
  const std::uint64_t lines = CellsOf(new_) * new_.stride;
  lines_.Grow(lines);
  if (with_documents_) GrowToBytes(documents_, lines * new_.DocumentBytesOfLine());
}

void Cells::BeginMove(const CellLayout& next) {
  new_ = next;
  GrowArrays();
  if (!AreStretched()) {
    old_far_.emplace(*std::move(far_));
    far_.emplace(new_.address_bits, new_.run, with_documents_);
  }
  frontier_ = CellsOf(old_);
}

std::uint64_t Cells::BeginStep() {
  --frontier_;
  cell_lines_ += parts() * new_.stride - old_.stride;
  used_lines_ += parts() * RunsOf(new_) - RunsOf(old_);
  return frontier_;
}

void Cells::FinishStep() {
  if (frontier_ == 0) {
    old_far_.reset();
    old_ = new_;
    return;
  }
  // The next cell is moved a dozen inserts from now.
  for (std::uint64_t i = 0; i < old_.stride; ++i) {
    const std::uint64_t line = (frontier_ - 1) * old_.stride + i;
    __builtin_prefetch(lines_.data() + line);
    if (with_documents_) DocumentAt(old_, lines_.data() + line, 0).Prefetch();
  }
}

void Cells::Stretch(std::uint64_t cell) {
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
    for (Line* line = bucket.last(); Next(*line) != 0; line = OverflowLine(bucket, Next(*line))) {
      const std::uint32_t next = Next(*line);
      if (next < kFirstFar) continue;
      const std::uint32_t free = FreeLineInCell(bucket);
      if (free == 0) return;
      ++used_lines_;
      const Line* far = OverflowLine(bucket, next);
      Line* near = OverflowLine(bucket, free);
      *near = *far;
      for (std::uint32_t slot = 0; with_documents_ && slot < Count(*far); ++slot) {
        DocumentAt(new_, near, slot).Write(DocumentAt(new_, far, slot).Read());
      }
      SetNext(*line, free);
      GiveBackOverflowLine(bucket, next);
    }
  }
}

void Cells::Clear(std::uint64_t old_cell) {
  std::fill_n(lines_.data() + parts() * old_cell * new_.stride, parts() * new_.stride, Line{});
}

std::uint64_t Cells::bytes() const {
  // While cells move there are lines between old and new ones that nobody has written yet.
  const auto unwritten = [this](std::uint64_t old_line_bytes, std::uint64_t new_line_bytes) {
    if (frontier_ == 0) return std::uint64_t{0};
    const std::uint64_t old_end = CellsOf(old_) * old_.stride * old_line_bytes;
    const std::uint64_t new_start =
        frontier_ * (CellsOf(new_) / CellsOf(old_) * new_.stride) * new_line_bytes;
    return new_start - std::min(new_start, old_end);
  };
  std::uint64_t bytes = lines_.size() * kLineBytes - unwritten(kLineBytes, kLineBytes);
  for (const auto& far : {&far_, &old_far_}) bytes += far->has_value() ? (*far)->bytes() : 0;
  if (with_documents_) {
    bytes += documents_.size() * kLineBytes -
             unwritten(old_.DocumentBytesOfLine(), new_.DocumentBytesOfLine());
  }
  return bytes;
}

}  // namespace crawlsieve
