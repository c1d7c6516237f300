#include "plugin/site/share.h"

#include <algorithm>

namespace crawlsieve::site {
namespace {

constexpr std::uint64_t kMaxTrials = std::uint64_t{1} << 22;
constexpr std::uint64_t kZ = 107'797;         // 1.64485 in steps of 2^-16
constexpr std::uint64_t kZSquared = 177'311;  // 1.64485^2

/// The largest number whose square is at most `value`.
std::uint64_t Root(std::uint64_t value) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit > 0; bit >>= 1) {
    if ((root | bit) * (root | bit) <= value) root |= bit;
  }
  return root;
}

struct Interval {
  Share low = 0;
  Share high = kWhole;
};

// With h of n: (h + z^2/2 -+ z sqrt(h (n - h) / n + z^2/4)) / (n + z^2). Each term is a number in
// steps of 2^-16.
Interval WilsonInterval(std::uint64_t hits, std::uint64_t trials) {
  for (; trials > kMaxTrials; trials /= 2) hits /= 2;
  if (trials == 0) return {};
  hits = std::min(hits, trials);
  const std::uint64_t variance = (hits * (trials - hits) << 16) / trials + kZSquared / 4;
  const std::uint64_t reach = kZ * Root(variance << 16) >> 16;
  const std::uint64_t centre = (hits << 16) + kZSquared / 2;
  const std::uint64_t divisor = (trials << 16) + kZSquared;
  const std::uint64_t low = centre > reach ? ((centre - reach) << 16) / divisor : 0;
  const std::uint64_t high = ((centre + reach) << 16) / divisor + 1;
  return {static_cast<Share>(low), static_cast<Share>(std::min<std::uint64_t>(high, kWhole))};
}

}  // namespace

Share LowerBound(std::uint64_t hits, std::uint64_t trials) {
  return WilsonInterval(hits, trials).low;
}

Share UpperBound(std::uint64_t hits, std::uint64_t trials) {
  return WilsonInterval(hits, trials).high;
}

}  // namespace crawlsieve::site
