#include "plugin/schedule/fixed_point.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

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

constexpr std::uint64_t MultiplyQ62(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(Uint128{a} * b >> 62);
}

constexpr int kHalfBits = kLogBits / 2;
constexpr std::size_t kPowers = std::size_t{1} << kHalfBits;

/// 2^(i 2^-8) and 2^(i 2^-16) for i below 256, in steps of 2^-62.
struct PowerTables {
  std::array<std::uint64_t, kPowers> coarse{};
  std::array<std::uint64_t, kPowers> fine{};
};

constexpr PowerTables MakePowerTables() {
  PowerTables tables;
  std::uint64_t root = std::uint64_t{1} << 63;  // 2^(2^-digit)
  tables.coarse[0] = tables.fine[0] = std::uint64_t{1} << 62;
  for (int digit = 1; digit <= kLogBits; ++digit) {
    root = SquareRoot(Uint128{root} << 62);
    std::array<std::uint64_t, kPowers>& table = digit <= kHalfBits ? tables.coarse : tables.fine;
    const std::size_t bit = kPowers >> (digit <= kHalfBits ? digit : digit - kHalfBits);
    // Those with this digit as their last: the one without it is there already.
    for (std::size_t i = bit; i < kPowers; i += 2 * bit) {
      table[i] = MultiplyQ62(table[i - bit], root);
    }
  }
  return tables;
}

constexpr PowerTables kPowerTables = MakePowerTables();

/// 2^fraction for a fraction of kLogBits bits, in steps of 2^-62.
std::uint64_t PowerOfFraction(std::uint32_t fraction) {
  return MultiplyQ62(kPowerTables.coarse[fraction >> kHalfBits],
                     kPowerTables.fine[fraction & (kPowers - 1)]);
}

constexpr int kMantissaBits = 7;
constexpr std::size_t kMantissas = std::size_t{1} << kMantissaBits;

/// log2 of a mantissa in 1..2, in steps of 2^-63, digit by digit: squaring it doubles its
/// logarithm, whose next binary digit is then whether it has reached 2. In steps of 2^-40.
constexpr std::uint64_t SlowLog2(std::uint64_t mantissa) {
  std::uint64_t log = 0;
  for (int digit = 0; digit < 40; ++digit) {
    const Uint128 square = Uint128{mantissa} * mantissa;  // in steps of 2^-126
    const bool is_two = (square >> 127) != 0;
    mantissa = static_cast<std::uint64_t>(square >> (is_two ? 64 : 63));
    log = log << 1 | static_cast<std::uint64_t>(is_two);
  }
  return log;
}

/// Of the middle of each of 128 parts of 1..2.
struct LogTables {
  std::array<std::uint64_t, kMantissas> log{};      // in steps of 2^-40
  std::array<std::uint64_t, kMantissas> inverse{};  // in steps of 2^-63
};

constexpr std::uint64_t MiddleOf(std::size_t part) {
  return (std::uint64_t{1} << 63) + (std::uint64_t{2 * part + 1} << (62 - kMantissaBits));
}

constexpr LogTables MakeLogTables() {
  LogTables tables;
  for (std::size_t i = 0; i < kMantissas; ++i) {
    tables.log[i] = SlowLog2(MiddleOf(i));
    tables.inverse[i] = static_cast<std::uint64_t>((Uint128{1} << 126) / MiddleOf(i));
  }
  return tables;
}

constexpr LogTables kLogTables = MakeLogTables();

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
  const std::uint64_t mantissa = value << (63 - whole);  // in 1..2, in steps of 2^-63
  const std::size_t part = mantissa >> (63 - kMantissaBits) & (kMantissas - 1);
  // The mantissa is the middle of its part times 1 + d, and d is at most 2^-8 either way.
  // log2(1 + d) = (d - d^2/2 + d^3/3 - ...) log2 e, in steps of 2^-40.
  const auto off = static_cast<std::int64_t>(mantissa - MiddleOf(part)) >> 24;
  const std::int64_t d = off * static_cast<std::int64_t>(kLogTables.inverse[part] >> 40) >> 22;
  const std::int64_t square = (d >> 4) * (d >> 4) >> 32;
  const std::int64_t cube = square * d >> 40;
  const std::int64_t ln = d - square / 2 + cube / 3;
  const std::int64_t log =
      static_cast<std::int64_t>(kLogTables.log[part]) + (ln * (kLog2OfE >> 4) >> 28);
  return (std::int64_t{whole} << 32) + (log >> 8);
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
