#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace crawlsieve::consumer {

/// At most `capacity` of many values, each as likely to be among them as any other: reservoir
/// sampling (Vitter: Random Sampling with a Reservoir, 1985). The seed is fixed, so the same values
/// give the same sample. Thread-compatible.
template <typename T>
class Reservoir {
 public:
  explicit Reservoir(std::size_t capacity) : capacity_(capacity) {}

  /// Counts a value and takes what `make` returns, unless the value isn't chosen: nothing is made
  /// then.
  template <typename Make>
  void Offer(const Make& make) {
    ++offered_;
    if (values_.size() < capacity_) {
      values_.push_back(make());
      return;
    }
    const std::uint64_t place = random_() % offered_;
    if (place < capacity_) values_[place] = make();
  }

  [[nodiscard]] const std::vector<T>& values() const { return values_; }
  [[nodiscard]] std::uint64_t offered() const { return offered_; }

 private:
  static constexpr std::uint64_t kSeed = 2007;

  std::size_t capacity_;
  std::uint64_t offered_ = 0;
  std::vector<T> values_;
  std::mt19937_64 random_{kSeed};
};

}  // namespace crawlsieve::consumer
