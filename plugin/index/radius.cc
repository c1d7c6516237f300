#include "plugin/index/radius.h"

#include <array>
#include <bit>
#include <cstddef>
#include <vector>

namespace crawlsieve {
namespace {

constexpr std::uint64_t Choose(std::uint64_t n, std::uint64_t k) {
  std::uint64_t result = 1;
  for (std::uint64_t i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return result;
}

std::vector<std::uint32_t> AllMasks(int weight) {
  std::vector<std::uint32_t> masks;
  std::uint64_t mask = (std::uint64_t{1} << weight) - 1;
  while (mask < std::uint64_t{1} << 32) {
    masks.push_back(static_cast<std::uint32_t>(mask));
    if (mask == 0) break;
    // The next larger number with as many ones: the lowest run of ones gives its top one to the
    // zero above it, and the others go back to the bottom.
    const std::uint64_t lowest = mask & (~mask + 1);
    const std::uint64_t carried = mask + lowest;
    mask = carried | ((mask ^ carried) >> (std::countr_zero(lowest) + 2));
  }
  return masks;
}

}  // namespace

std::span<const std::uint32_t> MasksOfWeight(int bits, int weight) {
  static const std::array<std::vector<std::uint32_t>, kMaxRadius + 1> masks{
      AllMasks(0), AllMasks(1), AllMasks(2), AllMasks(3)};
  // In ascending order those below 2^bits come first.
  const std::uint64_t count =
      Choose(static_cast<std::uint64_t>(bits), static_cast<std::uint64_t>(weight));
  return std::span(masks[static_cast<std::size_t>(weight)]).first(count);
}

}  // namespace crawlsieve
