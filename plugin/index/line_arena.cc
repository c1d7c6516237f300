#include "plugin/index/line_arena.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace crawlsieve {
namespace {

/// Zeroed memory of the system, aligned to its size's huge pages.
void* Map(std::size_t bytes, std::size_t alignment) {
  const std::size_t total = bytes + alignment;
  void* start = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t aligned = (address + alignment - 1) / alignment * alignment;
  if (aligned != address) munmap(start, aligned - address);
  const std::size_t behind = address + total - (aligned + bytes);
  auto* result = reinterpret_cast<std::byte*>(aligned);
  if (behind != 0) munmap(result + bytes, behind);
  madvise(result, bytes, MADV_HUGEPAGE);  // a wish: it works without, slower
  return result;
}

}  // namespace

LineArena::~LineArena() {
  for (const auto& [address, orders] : chunks_) {
    munmap(reinterpret_cast<void*>(address), kChunkBytes);
  }
}

std::size_t LineArena::PositionInChunk(const Line* run) {
  return reinterpret_cast<std::uintptr_t>(run) % kChunkBytes / kLineBytes;
}

LineArena::FreeOrders& LineArena::OrdersOf(const Line* run) {
  return chunks_.at(reinterpret_cast<std::uintptr_t>(run) / kChunkBytes * kChunkBytes);
}

void LineArena::PutFree(Line* run, int order) {
  auto* node = reinterpret_cast<FreeRun*>(run);
  FreeRun*& first = free_[static_cast<std::size_t>(order)];
  *node = {.previous = nullptr, .next = first};
  if (first != nullptr) first->previous = node;
  first = node;
  OrdersOf(run)[PositionInChunk(run) >> kMinOrder] = static_cast<std::int8_t>(order);
}

void LineArena::TakeFree(Line* run, int order) {
  const auto* node = reinterpret_cast<FreeRun*>(run);
  if (node->next != nullptr) node->next->previous = node->previous;
  if (node->previous != nullptr) {
    node->previous->next = node->next;
  } else {
    free_[static_cast<std::size_t>(order)] = node->next;
  }
  OrdersOf(run)[PositionInChunk(run) >> kMinOrder] = kNotFree;
}

void LineArena::AddChunk() {
  void* chunk = Map(kChunkBytes, kChunkBytes);
  chunks_[reinterpret_cast<std::uintptr_t>(chunk)].fill(kNotFree);
  bytes_ += kChunkBytes;
  PutFree(static_cast<Line*>(chunk), kChunkOrder);
}

Line* LineArena::Allocate(int order) {
  const std::size_t bytes = kLineBytes << order;
  if (order > kChunkOrder) {
    void* run = Map(bytes, kChunkBytes);
    MutexLock lock(mutex_);
    bytes_ += bytes;
    return static_cast<Line*>(run);
  }
  Line* run = nullptr;
  {
    MutexLock lock(mutex_);
    const int wanted = std::max(order, kMinOrder);
    int found = wanted;
    while (found <= kChunkOrder && free_[static_cast<std::size_t>(found)] == nullptr) ++found;
    if (found > kChunkOrder) {
      AddChunk();
      found = kChunkOrder;
    }
    run = reinterpret_cast<Line*>(free_[static_cast<std::size_t>(found)]);
    TakeFree(run, found);
    while (found > wanted) {
      --found;
      PutFree(run + (std::size_t{1} << found), found);
    }
  }
  std::memset(static_cast<void*>(run), 0, bytes);
  return run;
}

void LineArena::Free(Line* run, int order) {
  MutexLock lock(mutex_);
  if (order > kChunkOrder) {
    bytes_ -= kLineBytes << order;
    munmap(run, kLineBytes << order);
    return;
  }
  order = std::max(order, kMinOrder);
  while (order < kChunkOrder) {
    const std::size_t position = PositionInChunk(run);
    const std::size_t buddy = position ^ std::size_t{1} << order;
    if (OrdersOf(run)[buddy >> kMinOrder] != order) break;
    Line* chunk = run - position;
    TakeFree(chunk + buddy, order);
    run = chunk + std::min(position, buddy);
    ++order;
  }
  PutFree(run, order);
}

std::uint64_t LineArena::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace crawlsieve
