#pragma once

#include <cstdint>

namespace crawlsieve::site {

/// A share or a chance, 0 to 1, in steps of 2^-16.
using Share = std::uint32_t;
inline constexpr Share kWhole = 1U << 16;

/// `percent` / 100, rounded down.
[[nodiscard]] constexpr Share Percent(std::uint32_t percent) { return kWhole * percent / 100; }

/// Bounds of the share that `hits` of `trials` speak for, each of which holds at 95 %: the ends of
/// Wilson's interval of 90 % (JASA 1927), because nobody asks for both at once. In integers, so
/// that they are the same on every machine; off by less than four steps. Without trials: 0 and 1.
/// `hits` is at most `trials`; where there are more than 2^22 trials, both are halved until there
/// aren't.
[[nodiscard]] Share LowerBound(std::uint64_t hits, std::uint64_t trials);
[[nodiscard]] Share UpperBound(std::uint64_t hits, std::uint64_t trials);

}  // namespace crawlsieve::site
