#pragma once

#include "plugin/index/base/line.h"
#include "plugin/index/base/line_array.h"
#include "plugin/index/bucket/document_ref.h"
#include "plugin/index/bucket/far_lines.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace crawlsieve {

/// How a cell is laid out: `run` first lines of each bucket, bucket by bucket, then overflow lines
/// to make `stride` lines in all.
struct CellLayout {
  std::uint8_t address_bits = 0;
  std::uint8_t stored_bits = 0;  ///< of a key, below the address
  LineFormat format = LineFormat::kSlots7;
  std::uint8_t document_bytes = DocumentRef::kNarrow;
  std::uint16_t run = 1;
  std::uint16_t stride = 0;

  friend bool operator==(const CellLayout&, const CellLayout&) = default;

  /// Bytes of the document numbers of a line.
  [[nodiscard]] std::size_t DocumentBytesOfLine() const {
    return std::size_t{SlotCount(format)} * document_bytes;
  }
  [[nodiscard]] std::uint64_t StoredPart(std::uint64_t key) const {
    return key & ((std::uint64_t{1} << stored_bits) - 1);
  }
};

/// Where a bucket is. Valid until cells are laid out anew.
struct Bucket {
  Line* first;     ///< of its run
  Line* overflow;  ///< the first one of its cell
  const CellLayout* layout;
  std::uint64_t address;

  [[nodiscard]] Line* last() const { return first + layout->run - 1; }
};

/// The memory of a BucketTable: cells side by side, their document numbers, and the FarLines that
/// cells had no room for. Knows lines and buckets, no keys. BucketTable draws it.
///
/// Cells are laid out anew one by one, from the last to the first. While they are, those below the
/// frontier, counted in old ones, are still old; otherwise old and new layout are the same.
///
/// Thread-compatible.
class Cells {
 public:
  /// Numbers of overflow lines, as a line's `next` has them: 1.. are those of the cell, from here
  /// on they are elsewhere.
  static constexpr std::uint32_t kFirstFar = 512;
  static_assert(kFirstFar + FarLines::kMost - 1 == kMaxNext);

  /// A cell has 2^cell_bits buckets.
  Cells(int cell_bits, bool with_documents)
      : cell_bits_(cell_bits), with_documents_(with_documents) {}

  /// Makes all cells, empty. Only once.
  void Start(const CellLayout& layout);

  [[nodiscard]] bool empty() const { return cell_lines_ == 0; }
  [[nodiscard]] int cell_bits() const { return cell_bits_; }
  [[nodiscard]] std::uint64_t buckets_per_cell() const { return std::uint64_t{1} << cell_bits_; }
  [[nodiscard]] const CellLayout& old_layout() const { return old_; }
  [[nodiscard]] const CellLayout& new_layout() const { return new_; }
  [[nodiscard]] std::uint64_t frontier() const { return frontier_; }
  /// The first line of the first cell.
  [[nodiscard]] const Line* lines() const { return lines_.data(); }
  /// Whether less than a 32nd of the lines is free. Some 2 % of the lines have no room in their
  /// cell then.
  [[nodiscard]] bool NearlyFull() const { return used_lines_ * 32 > cell_lines_ * 31; }

  [[nodiscard]] std::uint64_t OverflowLinesOf(const CellLayout& layout) const {
    return layout.stride - RunsOf(layout);
  }
  [[nodiscard]] Bucket BucketAt(const CellLayout& layout, std::uint64_t address) const {
    const std::uint64_t in_cell = address & ((std::uint64_t{1} << cell_bits_) - 1);
    Line* const cell = lines_.data() + (address >> cell_bits_) * layout.stride;
    return {cell + in_cell * layout.run, cell + RunsOf(layout), &layout, address};
  }
  [[nodiscard]] Bucket BucketOf(std::uint64_t key) const {
    const std::uint64_t cell = key >> (old_.stored_bits + cell_bits_);
    const CellLayout& layout = cell < frontier_ ? old_ : new_;
    return BucketAt(layout, key >> layout.stored_bits);
  }
  [[nodiscard]] Line* OverflowLine(const Bucket& bucket, std::uint32_t next) const {
    return next < kFirstFar ? bucket.overflow + (next - 1)
                            : FarOf(bucket).At(bucket.address, next - kFirstFar);
  }
  /// The line after `line` in its bucket, or null if no more have keys.
  [[nodiscard]] Line* Following(const Bucket& bucket, Line* line) const {
    const bool in_run = !std::less<>()(line, bucket.first) && std::less<>()(line, bucket.last());
    if (in_run) return Count(line[1]) != 0 ? line + 1 : nullptr;
    const std::uint32_t next = Next(*line);
    return next != 0 ? OverflowLine(bucket, next) : nullptr;
  }

  /// Where the document number of a slot of a line is that belongs to a bucket of that layout. Only
  /// with documents.
  [[nodiscard]] DocumentRef DocumentAt(const CellLayout& layout, const Line* line,
                                       std::size_t slot) const;
  /// The same, while no cell is on the move.
  [[nodiscard]] DocumentRef DocumentAt(const Line* line, std::size_t slot) const {
    const bool is_old = std::less<>()(line, lines_.data() + frontier_ * old_.stride);
    return DocumentAt(is_old ? old_ : new_, line, slot);
  }

  /// Where in its cell a bucket looks for a free overflow line first.
  [[nodiscard]] std::uint64_t FirstChoiceInCell(const Bucket& bucket) const {
    // Each bucket looks in a place of its own first: it is soon found.
    const std::uint64_t mask = (std::uint64_t{1} << cell_bits_) - 1;
    return (bucket.address & mask) * OverflowLinesOf(*bucket.layout) >> cell_bits_;
  }
  /// Takes a free line, of the cell if it has one, and returns its number; 0: there are no more
  /// numbers. The caller links it.
  [[nodiscard]] std::uint32_t TakeOverflowLine(const Bucket& bucket);
  /// The reverse. The caller has unlinked it.
  void GiveBackOverflowLine(const Bucket& bucket, std::uint32_t next);
  /// Takes all overflow lines from a bucket.
  void Unchain(const Bucket& bucket);

  /// Begins to lay the cells out anew, with as many address bits or one more.
  void BeginMove(const CellLayout& next);
  /// Moves the frontier below the last old cell and returns that one's number. The caller then
  /// moves what is in it, and calls FinishStep.
  [[nodiscard]] std::uint64_t BeginStep();
  void FinishStep();
  /// Old cells become so many new ones each.
  [[nodiscard]] std::uint64_t parts() const { return CellsOf(new_) / CellsOf(old_); }
  /// Whether the cells that are laid out anew only get more overflow lines: then see Stretch.
  [[nodiscard]] bool AreStretched() const {
    return new_.address_bits == old_.address_bits && new_.run == old_.run &&
           new_.document_bytes == old_.document_bytes;
  }
  /// Moves such a cell.
  void Stretch(std::uint64_t cell);
  /// Empties the lines of the new cells that an old one becomes.
  void Clear(std::uint64_t old_cell);

  /// Memory taken, in bytes.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  /// Makes an array at least so many bytes long.
  static void GrowToBytes(LineArray& array, std::size_t bytes) {
    array.Grow((bytes + kLineBytes - 1) / kLineBytes);
  }
  [[nodiscard]] static unsigned char* BytesOf(const LineArray& array) {
    return reinterpret_cast<unsigned char*>(array.data());
  }
  [[nodiscard]] std::uint64_t CellsOf(const CellLayout& layout) const {
    return std::uint64_t{1} << (layout.address_bits - cell_bits_);
  }
  [[nodiscard]] std::uint64_t RunsOf(const CellLayout& layout) const {
    return static_cast<std::uint64_t>(layout.run) << cell_bits_;
  }
  /// Those for a bucket, whose layout must be this one's own.
  [[nodiscard]] const FarLines& FarOf(const Bucket& bucket) const {
    return bucket.layout == &old_ && old_far_.has_value() ? *old_far_ : *far_;
  }
  [[nodiscard]] FarLines& FarOf(const Bucket& bucket) {
    return const_cast<FarLines&>(std::as_const(*this).FarOf(bucket));
  }
  /// Makes room for all cells as new_ has them.
  void GrowArrays();
  /// The number of an overflow line of the bucket's cell that is free; 0: none.
  [[nodiscard]] std::uint32_t FreeLineInCell(const Bucket& bucket) const;

  LineArray lines_;
  CellLayout old_;
  CellLayout new_;
  std::uint64_t frontier_ = 0;
  LineArray documents_;              // for each line of lines_ as many bytes as its layout says
  std::optional<FarLines> far_;      // there from Start on
  std::optional<FarLines> old_far_;  // of old cells, if far_ isn't
  std::uint64_t used_lines_ = 0;     // first lines, and overflow lines with keys
  std::uint64_t cell_lines_ = 0;     // of all cells
  const int cell_bits_;
  const bool with_documents_;
};

inline DocumentRef Cells::DocumentAt(const CellLayout& layout, const Line* line,
                                     std::size_t slot) const {
  const bool far =
      std::less<>()(line, lines_.data()) || !std::less<>()(line, lines_.data() + lines_.size());
  if (far) {
    return (old_far_.has_value() && old_far_->Has(line) ? *old_far_ : *far_).DocumentAt(line, slot);
  }
  const auto i = static_cast<std::size_t>(line - lines_.data());
  return {BytesOf(documents_) + i * layout.DocumentBytesOfLine() + slot * layout.document_bytes,
          layout.document_bytes};
}

}  // namespace crawlsieve
