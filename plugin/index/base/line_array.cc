#include "plugin/index/base/line_array.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace crawlsieve {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
// Below this an array comes from the heap: the rest of a huge page would be much of it.
constexpr std::size_t kMinMappedLines = 2 * kHugePage / kLineBytes;

/// Address space, without memory behind it, aligned to a huge page.
Line* Reserve(std::size_t lines) {
  const std::size_t bytes = lines * kLineBytes;
  void* start = mmap(nullptr, bytes + kHugePage, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t before = (kHugePage - address % kHugePage) % kHugePage;
  auto* aligned = static_cast<std::byte*>(start) + before;
  if (before != 0) munmap(start, before);
  munmap(aligned + bytes, kHugePage - before);
  madvise(aligned, bytes, MADV_HUGEPAGE);  // a wish: it works without, slower
  return reinterpret_cast<Line*>(aligned);
}

void Commit(Line* lines, std::size_t count) {
  if (mprotect(lines, count * kLineBytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
}

}  // namespace

LineArray::LineArray(LineArray&& other) noexcept
    : lines_(std::exchange(other.lines_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      reserved_(std::exchange(other.reserved_, 0)) {}

void LineArray::Release() {
  if (reserved_ != 0) {
    munmap(lines_, reserved_ * kLineBytes);
  } else {
    std::free(lines_);
  }
}

void LineArray::Grow(std::size_t size) {
  if (size <= size_) return;
  if (size < kMinMappedLines) {
    auto* grown = static_cast<Line*>(std::aligned_alloc(alignof(Line), size * kLineBytes));
    if (grown == nullptr) throw std::bad_alloc();
    std::copy_n(lines_, size_, grown);
    std::fill(grown + size_, grown + size, Line{});
    std::free(lines_);
    lines_ = grown;
    size_ = size;
    return;
  }
  constexpr std::size_t kStep = kHugePage / kLineBytes;
  const std::size_t rounded = (size + kStep - 1) / kStep * kStep;
  if (rounded > reserved_) Move(std::bit_ceil(rounded) * 2);
  Commit(lines_, rounded);
  size_ = rounded;
}

void LineArray::Move(std::size_t reserved) {
  Line* const target = Reserve(reserved);
  if (reserved_ == 0) {
    Commit(target, size_);
    std::copy_n(lines_, size_, target);
    std::free(lines_);
  } else {
    // The pages themselves move, and stay huge as both places are aligned. One at a time: what was
    // added after a move is a mapping of its own, and Linux before 6.17 moves only one at once.
    for (std::size_t i = 0; i < size_; i += kHugePage / kLineBytes) {
      if (mremap(lines_ + i, kHugePage, kHugePage, MREMAP_MAYMOVE | MREMAP_FIXED, target + i) ==
          MAP_FAILED) {
        throw std::bad_alloc();
      }
    }
    munmap(lines_ + size_, (reserved_ - size_) * kLineBytes);
  }
  lines_ = target;
  reserved_ = reserved;
}

}  // namespace crawlsieve
