#pragma once

#include <cstdint>

namespace crawlsieve::schedule {

/// Logarithms and exponentials in integers.
///
/// Rates, values and thresholds are kept and compared as logarithms. The functions of the C library
/// may differ in the last bit between machines, so nothing here uses floating point: equal
/// arguments give equal bytes everywhere. All functions are pure and thread-safe.

/// A logarithm to the base 2 in steps of 2^-16: a relative step of 1.1e-5.
using Log2 = std::int32_t;
inline constexpr int kLogBits = 16;
inline constexpr Log2 kLogOne = 1 << kLogBits;

/// A number in steps of 2^-32.
using Q32 = std::uint64_t;
inline constexpr Q32 kQ32One = Q32{1} << 32;

/// log2(value) in steps of 2^-32, with an error below 2^-24. `value` 0 counts as 1.
[[nodiscard]] std::int64_t Log2Fine(std::uint64_t value);

/// log2(value), to the nearest step. `value` 0 counts as 1.
[[nodiscard]] Log2 Log2Of(std::uint64_t value);

/// 2^log as a whole number, rounded down, at most 2^62; 0 where log is below 0.
[[nodiscard]] std::uint64_t Exp2(Log2 log);

/// 2^log in steps of 2^-32, rounded down, at most 2^30; 0 below 2^-32. Relative error below 2^-26,
/// or one step.
[[nodiscard]] Q32 Exp2Q32(Log2 log);

/// e^-x, x in steps of 2^-32. Error below 2^-15 of the value, or one step.
[[nodiscard]] Q32 ExpMinus(Q32 x);

/// log2(ln(1 + a / b)) for a, b in 1..2^62: precise where a / b is small, too.
[[nodiscard]] Log2 Log2OfLn1p(std::uint64_t a, std::uint64_t b);

/// a * b / 2^32, rounded down. The result must fit.
[[nodiscard]] Q32 MultiplyQ32(Q32 a, Q32 b);

}  // namespace crawlsieve::schedule
