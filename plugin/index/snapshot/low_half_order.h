#pragma once

#include "plugin/base/result.h"
#include "plugin/index/base/line_array.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace crawlsieve {

/// Sorts ascending keys by their low 32 bits, equal ones staying in order (a radix sort). Keys are
/// dealt out to runs by the first of those bits as they come; a run of some 100,000 (of 100 million
/// keys) is then sorted by the others in the cache.
///
/// Memory: 8 bytes a key, up to 24 where low halves are much alike. Thread-compatible.
class LowHalfOrder {
 public:
  LowHalfOrder() : runs_(std::size_t{1} << kRunBits) {}

  /// Adds a key that is not before the one that was added last.
  void Add(std::uint64_t key) {
    Run& run = runs_[key >> (2 * kDigitBits) & (runs_.size() - 1)];
    if (run.used_of_last == kChunkKeys) {
      run.chunks.push_back(chunks_++);
      run.used_of_last = 0;
      const std::size_t lines = chunks_ * kChunkLines;
      // What is not written yet takes no memory when there is much.
      if (lines > memory_.size()) memory_.Grow(2 * lines);
    }
    std::memcpy(Chunk(run.chunks.back()) + run.used_of_last++ * sizeof(key), &key, sizeof(key));
  }

  /// Calls visit(key), which returns a Status, for all keys in the new order. Stops at an error and
  /// returns it.
  template <typename Visit>
  [[nodiscard]] Status ForEach(const Visit& visit) {
    for (const Run& run : runs_) {
      Sort(run);
      for (const std::uint64_t key : keys_) {
        CRAWLSIEVE_RETURN_IF_ERROR(visit(key));
      }
    }
    return {};
  }

 private:
  static constexpr int kRunBits = 10;
  static constexpr int kDigitBits = 11;
  static_assert(kRunBits + 2 * kDigitBits == 32);
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  static constexpr std::size_t kChunkKeys = 512;
  static constexpr std::size_t kChunkLines = kChunkKeys * sizeof(std::uint64_t) / kLineBytes;

  struct Run {
    std::vector<std::size_t> chunks;
    std::size_t used_of_last = kChunkKeys;
  };

  [[nodiscard]] std::byte* Chunk(std::size_t number) const {
    return reinterpret_cast<std::byte*>(memory_.data() + number * kChunkLines);
  }

  /// Sets keys_ to those of a run, in the new order.
  void Sort(const Run& run);
  /// Sorts keys_ by one digit; stable.
  void SortBy(int first_bit);

  // In chunks of all runs, one after the other, so that memory comes in huge pages.
  LineArray memory_;
  std::size_t chunks_ = 0;
  std::vector<Run> runs_;
  std::vector<std::uint64_t> keys_;  // of one run
  std::vector<std::uint64_t> sorted_;
};

}  // namespace crawlsieve
