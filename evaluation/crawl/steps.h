#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace crawlsieve::consumer {

/// Kept and dropped pages along an axis whose length isn't known before: of time, or of the order
/// in which pages come. Steps get wider where there would be more than kMost of them, so memory is
/// bounded whatever the places. Thread-compatible.
class Steps {
 public:
  static constexpr std::size_t kMost = 400;  ///< steps that have pages

  struct Count {
    std::uint64_t kept = 0;
    std::uint64_t dropped = 0;

    [[nodiscard]] std::uint64_t pages() const { return kept + dropped; }
  };

  /// Steps have the first of `widths`, then the next, each a multiple of the one before; behind the
  /// last, twice as much each time. `widths` isn't empty.
  explicit Steps(std::span<const std::int64_t> widths)
      : widths_(widths.begin(), widths.end()), width_(widths_.front()) {}

  void Add(std::int64_t place, bool is_kept);

  [[nodiscard]] std::int64_t width() const { return width_; }
  /// By where they begin; only those with pages.
  [[nodiscard]] const std::map<std::int64_t, Count>& counts() const { return counts_; }

 private:
  [[nodiscard]] std::int64_t BeginOf(std::int64_t place) const;
  void Widen();

  std::vector<std::int64_t> widths_;
  std::size_t next_ = 1;  ///< of widths_
  std::int64_t width_;
  std::map<std::int64_t, Count> counts_;
};

/// The narrowest run of steps that has all but a 200th of the pages at either end: one page of a
/// wrong time doesn't make a chart of it.
struct StepRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;      ///< where the last step ends
  std::uint64_t before = 0;  ///< pages
  std::uint64_t after = 0;
};

[[nodiscard]] StepRange MainRange(const Steps& steps);

}  // namespace crawlsieve::consumer
