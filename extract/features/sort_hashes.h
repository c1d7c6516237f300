#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace crawlsieve::extract {

/// Sorts `items` by `hash(item)`, a 64-bit number whose high bits are evenly spread: in one pass
/// into about half as many buckets, which then take little sorting. Hashes that aren't spread
/// cost no more than std::sort. `scratch` lends its memory.
template <typename Item, typename Hash>
void SortByHash(std::vector<Item>& items, std::vector<Item>& scratch, Hash hash) {
  const auto less = [&hash](const Item& a, const Item& b) { return hash(a) < hash(b); };
  constexpr std::size_t kFew = 64;
  if (items.size() < kFew) {
    std::sort(items.begin(), items.end(), less);
    return;
  }
  constexpr int kMostBits = 12;  // 4,096 counters stay in the innermost cache
  const int bits = std::min(static_cast<int>(std::bit_width(items.size())) - 1, kMostBits);
  const auto bucket = [&hash, bits](const Item& item) {
    return static_cast<std::size_t>(hash(item) >> (64 - bits));
  };
  std::vector<std::uint32_t> begins((std::size_t{1} << bits) + 1);
  for (const Item& item : items) ++begins[bucket(item) + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  scratch.resize(items.size());
  // Each begin becomes its bucket's end, and with that the next one's begin again.
  for (const Item& item : items) scratch[begins[bucket(item)]++] = item;
  items.swap(scratch);
  // Begins are ends now. What is out of order lies in one bucket, so few places away.
  constexpr std::uint32_t kManyInOne = 16;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : begins) {
    if (end - begin > kManyInOne) std::sort(items.begin() + begin, items.begin() + end, less);
    begin = end;
  }
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (!less(items[i], items[i - 1])) continue;
    const Item item = items[i];
    std::size_t at = i;
    do {
      items[at] = items[at - 1];
      --at;
    } while (at > 0 && less(item, items[at - 1]));
    items[at] = item;
  }
}

}  // namespace crawlsieve::extract
