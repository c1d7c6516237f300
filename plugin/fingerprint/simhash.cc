#include "plugin/fingerprint/simhash.h"

#include <array>

namespace crawlsieve {
namespace {

/// 64 counters of 64 bits each, one for every bit of a hash, stored as bit planes: plane p holds
/// bit p of all counters. Adding a hash to all of them is then a few word operations instead of 64
/// additions. Each plane keeps a second word waiting until a third comes in; three words of a plane
/// make one of it and one of the next (a carry-save adder), so the planes above see half as many:
/// about one adder per added bit of weight in all, with no loop over a carry's length.
///
/// Exact while the sum of the weights is below 2^64.
class PlaneCounters {
 public:
  /// Adds 2^plane to the counters whose bit in `bits` is 1.
  void Add(std::uint64_t bits, int plane) {
    while ((waiting_mask_ >> plane & 1) != 0) {
      waiting_mask_ ^= std::uint64_t{1} << plane;
      bits = AddThree(sum_[plane], waiting_[plane], bits);
      if (++plane == kPlanes) return;
    }
    waiting_[plane] = bits;
    waiting_mask_ |= std::uint64_t{1} << plane;
  }

  /// Bit i of the result: whether counter i is greater than `limit`.
  [[nodiscard]] std::uint64_t GreaterThan(std::uint64_t limit) {
    std::uint64_t carry = 0;
    for (int plane = 0; plane < kPlanes; ++plane) {
      const bool waits = (waiting_mask_ >> plane & 1) != 0;
      carry = AddThree(sum_[plane], waits ? waiting_[plane] : 0, carry);
    }
    waiting_mask_ = 0;
    std::uint64_t greater = 0;
    std::uint64_t equal = ~std::uint64_t{0};
    for (int plane = kPlanes - 1; plane >= 0; --plane) {
      const std::uint64_t limit_bits = (limit >> plane & 1) != 0 ? ~std::uint64_t{0} : 0;
      greater |= equal & sum_[plane] & ~limit_bits;
      equal &= ~(sum_[plane] ^ limit_bits);
    }
    return greater;
  }

 private:
  static constexpr int kPlanes = 64;

  /// Leaves the sum's bit of the three in `a` and returns the carry.
  static std::uint64_t AddThree(std::uint64_t& a, std::uint64_t b, std::uint64_t c) {
    const std::uint64_t odd = a ^ b;
    const std::uint64_t carry = (a & b) | (odd & c);
    a = odd ^ c;
    return carry;
  }

  std::array<std::uint64_t, kPlanes> sum_{};
  std::array<std::uint64_t, kPlanes> waiting_{};
  std::uint64_t waiting_mask_ = 0;  // which planes have a word waiting
};

}  // namespace

Fingerprint ComputeSimhash(std::span<const Feature> features) {
  PlaneCounters ones;
  std::uint64_t total = 0;
  for (const Feature& feature : features) {
    total += feature.weight;
    for (std::uint32_t weight = feature.weight; weight != 0; weight &= weight - 1) {
      ones.Add(feature.hash, std::countr_zero(weight));
    }
  }
  // ones - (total - ones) > 0, without the sum that could overflow.
  return {ones.GreaterThan(total / 2)};
}

}  // namespace crawlsieve
