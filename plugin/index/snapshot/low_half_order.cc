#include "plugin/index/snapshot/low_half_order.h"

#include <array>

namespace crawlsieve {

void LowHalfOrder::Sort(const Run& run) {
  keys_.clear();
  for (const std::size_t chunk : run.chunks) {
    const std::size_t used = chunk == run.chunks.back() ? run.used_of_last : kChunkKeys;
    keys_.resize(keys_.size() + used);
    std::memcpy(keys_.data() + keys_.size() - used, Chunk(chunk), used * sizeof(std::uint64_t));
  }
  SortBy(0);
  SortBy(kDigitBits);
}

void LowHalfOrder::SortBy(int first_bit) {
  const auto digit = [first_bit](std::uint64_t key) { return key >> first_bit & (kDigits - 1); };
  std::array<std::size_t, kDigits + 1> start{};
  for (const std::uint64_t key : keys_) ++start[digit(key) + 1];
  for (std::size_t i = 0; i < kDigits; ++i) start[i + 1] += start[i];
  sorted_.resize(keys_.size());
  for (const std::uint64_t key : keys_) sorted_[start[digit(key)]++] = key;
  keys_.swap(sorted_);
}

}  // namespace crawlsieve
