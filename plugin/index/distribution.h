#pragma once

#include "plugin/index/hamming_index.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace crawlsieve {

/// How the fingerprints of a store are spread: the two distributions of Manku et al. figure 2, and
/// the buckets an index makes of them. Takes entries in ascending order, a piece at a time.
///
/// Thread-compatible.
class Distribution {
 public:
  static constexpr std::size_t kIntervals = 128;

  /// `expected`: how many fingerprints there will be, by which the buckets are made: eight in each.
  explicit Distribution(std::uint64_t expected);

  void Add(std::span<const IndexEntry> entries);

  [[nodiscard]] std::uint64_t fingerprints() const { return fingerprints_; }

  /// [i]: how many neighbours in sorted order first differ in bit i, counted from the leading one.
  [[nodiscard]] const std::array<std::uint64_t, 64>& leading_differences() const {
    return leading_differences_;
  }

  /// How many are in each of 128 equal intervals of the 64-bit numbers.
  [[nodiscard]] const std::array<std::uint64_t, kIntervals>& intervals() const {
    return intervals_;
  }

  /// Buckets by the leading bits: how many have 0, 1, ... 63 fingerprints; the last, 64 or more.
  struct Occupancy {
    std::uint64_t buckets = 0;
    std::uint64_t fullest = 0;
    std::array<std::uint64_t, 65> with{};
  };
  [[nodiscard]] Occupancy occupancy() const;

 private:
  int bucket_bits_;
  std::uint64_t fingerprints_ = 0;
  std::uint64_t last_ = 0;
  std::array<std::uint64_t, 64> leading_differences_{};
  std::array<std::uint64_t, kIntervals> intervals_{};
  std::uint64_t in_bucket_ = 0;  // of the last fingerprint
  Occupancy occupancy_;          // of the buckets before it that aren't empty
};

/// A bar chart. `title` and `axis` are plain text without markup.
[[nodiscard]] std::string BarChartSvg(const std::string& title, const std::string& axis,
                                      std::span<const std::uint64_t> values);

}  // namespace crawlsieve
