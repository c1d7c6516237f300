#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace crawlsieve::consumer {

/// Bounds between which a rate lies in 95 of 100 experiments.
struct Interval {
  double low = 0;
  double high = 1;
};

/// A part of a whole. Value type.
struct Rate {
  std::uint64_t part = 0;
  std::uint64_t whole = 0;

  /// 1 if the whole is empty.
  [[nodiscard]] double value() const {
    return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
  friend bool operator==(const Rate&, const Rate&) = default;
};

/// Wilson's score interval (JASA 22, 1927) at 95 %: sound for rates near 0 and 1 too. It takes
/// observations to be independent.
[[nodiscard]] Interval WilsonInterval(const Rate& rate);

/// What was judged of some pairs. Value type.
struct Counts {
  std::uint64_t true_duplicates = 0;
  std::uint64_t false_duplicates = 0;
  std::uint64_t missed = 0;
  std::uint64_t true_different = 0;

  Counts& operator+=(const Counts& other);
  [[nodiscard]] std::uint64_t near() const { return true_duplicates + missed; }
  [[nodiscard]] std::uint64_t different() const { return false_duplicates + true_different; }
  [[nodiscard]] Rate precision() const {
    return {true_duplicates, true_duplicates + false_duplicates};
  }
  [[nodiscard]] Rate recall() const { return {true_duplicates, near()}; }
  /// Share of the different pairs that are called duplicates.
  [[nodiscard]] Rate false_rate() const { return {false_duplicates, different()}; }
  [[nodiscard]] double f1() const;
  friend bool operator==(const Counts&, const Counts&) = default;
};

/// The interval of a figure when whole clusters, whose pairs depend on each other, are drawn with
/// replacement (Efron's percentile bootstrap, 2000 draws, fixed seed). Needs at least one cluster.
[[nodiscard]] Interval ClusterBootstrap(std::span<const Counts> clusters,
                                        const std::function<double(const Counts&)>& figure);

}  // namespace crawlsieve::consumer
