#include "plugin/index/base/radius.h"

#include <bit>

namespace crawlsieve::radius_internal {
namespace {

template <int kWeight>
constexpr auto AllMasks() {
  std::array<std::uint32_t, kCounts[32][kWeight]> masks{};
  std::uint64_t mask = (std::uint64_t{1} << kWeight) - 1;
  for (std::uint32_t& entry : masks) {
    entry = static_cast<std::uint32_t>(mask);
    if (mask == 0) break;
    // The next larger number with as many ones: the lowest run of ones gives its top one to the
    // zero above it, and the others go back to the bottom.
    const std::uint64_t lowest = mask & (~mask + 1);
    const std::uint64_t carried = mask + lowest;
    mask = carried | ((mask ^ carried) >> (std::countr_zero(lowest) + 2));
  }
  return masks;
}

constexpr auto kMasks0 = AllMasks<0>();
constexpr auto kMasks1 = AllMasks<1>();
constexpr auto kMasks2 = AllMasks<2>();
constexpr auto kMasks3 = AllMasks<3>();

}  // namespace

constinit const std::array<const std::uint32_t*, kMaxRadius + 1> kMasks{
    kMasks0.data(), kMasks1.data(), kMasks2.data(), kMasks3.data()};

}  // namespace crawlsieve::radius_internal
