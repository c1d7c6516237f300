#include "extract/html/parse_arena.h"

#include <algorithm>
#include <new>

#include <sys/mman.h>

namespace crawlsieve::extract {
namespace {

constexpr std::size_t kPage = 4 << 10;

/// Real pages take five times their size, the densest of 130 took 22 times.
constexpr std::size_t kKeptArenaBytes = 32 << 20;

std::size_t RoundUp(std::size_t size) { return (size + kPage - 1) / kPage * kPage; }

}  // namespace

ParseArena::ParseArena(std::size_t capacity) {
  capacity = RoundUp(std::max<std::size_t>(capacity, 1));
  void* const memory = mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<char*>(memory);
  end_ = base_ + capacity;
  top_ = high_water_ = base_;
}

ParseArena::~ParseArena() { munmap(base_, static_cast<std::size_t>(end_ - base_)); }

void ParseArena::Reset() noexcept {
  high_water_ = std::max(high_water_, top_);
  const auto used = static_cast<std::size_t>(high_water_ - base_);
  if (used > kKeptArenaBytes) {
    const std::size_t limit = std::min(RoundUp(used), static_cast<std::size_t>(end_ - base_));
    (void)madvise(base_ + kKeptArenaBytes, limit - kKeptArenaBytes, MADV_DONTNEED);
  }
  top_ = high_water_ = base_;
  last_ = nullptr;
}

}  // namespace crawlsieve::extract
