#pragma once

#include "plugin/index/base/kernel.h"
#include "plugin/index/base/line.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace crawlsieve {

/// Lines of 16 words that are compared in one go, each with a word of its own. Thread-compatible.
class LineWindow {
 public:
  static constexpr std::size_t kLines = 64;

  explicit LineWindow(int max_distance) : kernel_(BestKernel().run) {
    limits_.fill(static_cast<std::uint32_t>(max_distance));
  }

  [[nodiscard]] bool is_full() const { return size_ == kLines; }

  /// `line` stays as it is until Compare; `owner` is for whoever called. Not if it is full.
  void Add(const Line* line, std::uint32_t word, std::uint32_t owner) {
    lines_[size_] = line;
    words_[size_] = word;
    owners_[size_] = owner;
    ++size_;
  }

  /// Calls hit(line, slot, owner) for each word within the distance, in order, and empties the
  /// window. Slots that nobody filled take part.
  template <typename Hit>
  void Compare(Hit hit) {
    std::array<std::uint16_t, kLines> masks;
    kernel_(lines_.data(), words_.data(), limits_.data(), size_, masks.data());
    for (std::size_t i = 0; i < size_; ++i) {
      for (unsigned mask = masks[i]; mask != 0; mask &= mask - 1) {
        hit(lines_[i], static_cast<std::size_t>(std::countr_zero(mask)), owners_[i]);
      }
    }
    size_ = 0;
  }

 private:
  const LineKernel kernel_;
  std::size_t size_ = 0;
  std::array<const Line*, kLines> lines_;
  std::array<std::uint32_t, kLines> words_;
  std::array<std::uint32_t, kLines> owners_;
  std::array<std::uint32_t, kLines> limits_;
};

}  // namespace crawlsieve
