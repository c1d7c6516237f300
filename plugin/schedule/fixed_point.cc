#include "plugin/schedule/fixed_point.h"

#include <algorithm>
#include <array>
#include <bit>

namespace crawlsieve::schedule {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr std::int64_t kLnTwo = 2'977'044'472;    // ln 2 in steps of 2^-32
constexpr std::int64_t kLog2OfE = 6'196'328'019;  // log2 e in steps of 2^-32

constexpr std::uint64_t SquareRoot(Uint128 value) {
  std::uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t candidate = root | std::uint64_t{1} << bit;
    if (Uint128{candidate} * candidate <= value) root = candidate;
  }
  return root;
}

/// 2^(2^-1), 2^(2^-2), ... 2^(2^-16), in steps of 2^-62.
constexpr std::array<std::uint64_t, kLogBits> RootsOfTwo() {
  std::array<std::uint64_t, kLogBits> roots{};
  std::uint64_t root = std::uint64_t{1} << 63;
  for (std::uint64_t& value : roots) {
    root = SquareRoot(Uint128{root} << 62);
    value = root;
  }
  return roots;
}

constexpr std::array<std::uint64_t, kLogBits> kRootsOfTwo = RootsOfTwo();

/// 2^fraction for a fraction of kLogBits bits, in steps of 2^-62.
std::uint64_t PowerOfFraction(std::uint32_t fraction) {
  std::uint64_t power = std::uint64_t{1} << 62;
  for (int i = 0; i < kLogBits; ++i) {
    if ((fraction >> (kLogBits - 1 - i) & 1) != 0) {
      power = static_cast<std::uint64_t>(Uint128{power} * kRootsOfTwo[i] >> 62);
    }
  }
  return power;
}

/// 2^log in steps of 2^-scale, rounded down; at most 2^62.
std::uint64_t Power(Log2 log, int scale) {
  const int whole = (log >> kLogBits) + scale;
  const std::uint64_t power = PowerOfFraction(static_cast<std::uint32_t>(log) & (kLogOne - 1));
  if (whole >= 62) return std::uint64_t{1} << 62;
  return whole < 0 ? 0 : power >> (62 - whole);
}

Log2 RoundToLog2(std::int64_t fine) {
  return static_cast<Log2>((fine + (std::int64_t{1} << (31 - kLogBits))) >> (32 - kLogBits));
}

}  // namespace

std::int64_t Log2Fine(std::uint64_t value) {
  value = std::max<std::uint64_t>(value, 1);
  const int whole = 63 - std::countl_zero(value);
  // The mantissa in 1..2, in steps of 2^-63. Squaring it doubles its logarithm, whose next binary
  // digit is then whether it has reached 2.
  std::uint64_t mantissa = value << (63 - whole);
  std::int64_t fraction = 0;
  for (int digit = 0; digit < 32; ++digit) {
    const Uint128 square = Uint128{mantissa} * mantissa;  // in steps of 2^-126
    const bool is_two = (square >> 127) != 0;
    mantissa = static_cast<std::uint64_t>(square >> (is_two ? 64 : 63));
    fraction = fraction << 1 | static_cast<std::int64_t>(is_two);
  }
  return std::int64_t{whole} << 32 | fraction;
}

Log2 Log2Of(std::uint64_t value) { return RoundToLog2(Log2Fine(value)); }

std::uint64_t Exp2(Log2 log) { return Power(log, 0); }

Q32 Exp2Q32(Log2 log) { return Power(log, 32); }

Q32 MultiplyQ32(Q32 a, Q32 b) { return static_cast<Q32>(Uint128{a} * b >> 32); }

Q32 ExpMinus(Q32 x) {
  if (x >= Q32{23} << 32) return 0;  // below one step
  const std::int64_t log = -static_cast<std::int64_t>(MultiplyQ32(x, kLog2OfE));
  return Exp2Q32(RoundToLog2(log));
}

Log2 Log2OfLn1p(std::uint64_t a, std::uint64_t b) {
  if (a < b >> 8) {
    // ln(1 + r) = r (1 - r/2 + ...): the difference of two logarithms would have few digits left.
    const auto half_ratio = static_cast<std::int64_t>((Uint128{a} << 31) / b);
    const auto correction =
        static_cast<std::int64_t>(MultiplyQ32(static_cast<Q32>(half_ratio), kLog2OfE));
    return RoundToLog2(Log2Fine(a) - Log2Fine(b) - correction);
  }
  const std::int64_t log = Log2Fine(a + b) - Log2Fine(b);
  const Uint128 ln = Uint128(static_cast<std::uint64_t>(log)) * static_cast<std::uint64_t>(kLnTwo);
  return RoundToLog2(Log2Fine(static_cast<std::uint64_t>(ln >> 32)) - (std::int64_t{32} << 32));
}

}  // namespace crawlsieve::schedule
