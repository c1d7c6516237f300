#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crawlsieve::extract {

/// A name of at most 16 bytes as two words: its bytes in little endian order, zeros behind them.
struct NameWords {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  static constexpr std::size_t kLongest = 16;

  /// Letters in upper case are taken for those in lower case. `name` has letters, digits and "-:_"
  /// only; other bytes may change (by bit 5).
  [[nodiscard]] static constexpr NameWords Of(std::string_view name) {
    NameWords words;
    for (std::size_t i = 0; i < name.size(); ++i) {
      const auto byte = static_cast<std::uint64_t>(static_cast<unsigned char>(name[i]) | 0x20U);
      (i < 8 ? words.low : words.high) |= byte << 8 * (i % 8);
    }
    return words;
  }

  [[nodiscard]] constexpr bool operator==(const NameWords& other) const {
    return low == other.low && high == other.high;
  }
};

/// A fixed set of names with a perfect hash: finding one is a look at one place. Immutable.
///
/// The multiplier is searched for, so that each name has a place of its own among 2^kBits. Check
/// IsPerfect in a static_assert.
template <std::size_t kNames, unsigned kBits>
class NameSet {
 public:
  static constexpr std::uint8_t kNone = 255;
  static_assert(kNames < kNone);

  constexpr NameSet(const std::array<std::string_view, kNames>& names, std::uint64_t multiplier)
      : multiplier_(multiplier) {
    places_.fill(kNone);
    for (std::size_t i = 0; i < kNames; ++i) {
      fits_ = fits_ && names[i].size() <= NameWords::kLongest;
      words_[i] = NameWords::Of(names[i]);
      places_[HashOf(words_[i])] = static_cast<std::uint8_t>(i);
    }
  }

  [[nodiscard]] constexpr bool IsPerfect() const {
    for (std::size_t i = 0; i < kNames; ++i) {
      if (places_[HashOf(words_[i])] != i) return false;
    }
    return fits_;
  }

  /// The name's index; kNone where it is none of the set.
  [[nodiscard]] constexpr std::uint8_t Find(NameWords name) const {
    const std::uint8_t place = places_[HashOf(name)];
    return place != kNone && words_[place] == name ? place : kNone;
  }

 private:
  [[nodiscard]] constexpr std::size_t HashOf(NameWords name) const {
    return ((name.low ^ name.high * 5) * multiplier_) >> (64 - kBits);
  }

  std::uint64_t multiplier_;
  bool fits_ = true;
  std::array<std::uint8_t, std::size_t{1} << kBits> places_{};
  std::array<NameWords, kNames> words_{};
};

}  // namespace crawlsieve::extract
