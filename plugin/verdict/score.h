#pragma once

#include <compare>
#include <cstdint>

namespace crawlsieve {

/// A number between 0 and 1 in steps of a ten-thousandth: the fold counts in integers, so that a
/// replay gives the same bytes on any machine.
struct Score {
  static constexpr std::uint32_t kOne = 10'000;
  std::uint32_t ten_thousandths = 0;

  [[nodiscard]] double value() const { return ten_thousandths / static_cast<double>(kOne); }
  friend auto operator<=>(const Score&, const Score&) = default;
};

}  // namespace crawlsieve
