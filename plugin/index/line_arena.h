#pragma once

#include "plugin/base/mutex.h"
#include "plugin/index/line.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace crawlsieve {

/// Memory for runs of 2^order lines, from huge pages where the kernel has them: a lookup reads tens
/// to thousands of lines far apart, and with 4 KiB pages each would miss the TLB as well.
///
/// A buddy allocator. Tables double by taking a run of twice the size and giving the old one back;
/// two buddies given back are one run of twice the size again, so a growing index reuses its
/// memory.
///
/// Thread-safe.
class LineArena {
 public:
  LineArena() = default;
  ~LineArena();
  LineArena(const LineArena&) = delete;
  LineArena& operator=(const LineArena&) = delete;

  /// A run of 2^order zeroed lines, aligned to a line. Dies with std::bad_alloc when the system has
  /// no memory left.
  [[nodiscard]] Line* Allocate(int order) EXCLUDES(mutex_);

  /// Takes back what Allocate(order) gave.
  void Free(Line* run, int order) EXCLUDES(mutex_);

  /// Bytes taken from the system.
  [[nodiscard]] std::uint64_t bytes() const EXCLUDES(mutex_);

 private:
  static constexpr int kMinOrder = 2;
  static constexpr int kChunkOrder = 15;  // 2 MiB, a huge page
  static constexpr std::size_t kChunkLines = std::size_t{1} << kChunkOrder;
  static constexpr std::size_t kChunkBytes = kChunkLines * kLineBytes;

  /// Of a chunk: the order of the free run that starts at each smallest run, or kNotFree.
  using FreeOrders = std::array<std::int8_t, (kChunkLines >> kMinOrder)>;
  static constexpr std::int8_t kNotFree = -1;

  struct FreeRun {
    FreeRun* previous;
    FreeRun* next;
  };

  [[nodiscard]] static std::size_t PositionInChunk(const Line* run);
  [[nodiscard]] FreeOrders& OrdersOf(const Line* run) REQUIRES(mutex_);
  void PutFree(Line* run, int order) REQUIRES(mutex_);
  void TakeFree(Line* run, int order) REQUIRES(mutex_);
  void AddChunk() REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::array<FreeRun*, kChunkOrder + 1> free_ GUARDED_BY(mutex_){};
  std::map<std::uintptr_t, FreeOrders> chunks_ GUARDED_BY(mutex_);  // by address
  std::uint64_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace crawlsieve
