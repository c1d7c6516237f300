#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// Which of many lines about the same trouble are worth a line: the first, now and then one that
/// says how many there were, and one at the end. An outage of a broker would write thousands of
/// lines otherwise, and nobody would see when it began and ended.
///
/// An outage ends when its trouble hasn't come for kQuiet. Bounded: at most kMost outages at a
/// time; past that every line counts as the first of one. Thread-compatible.
class Outages {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds kQuiet{60};
  static constexpr std::chrono::seconds kFirstPause{10};     ///< from line to line at first
  static constexpr std::chrono::seconds kLongestPause{600};  ///< it doubles up to this
  static constexpr std::size_t kMost = 64;

  struct Outage {
    std::string key{};
    std::uint64_t times = 0;  ///< that the trouble came
    Clock::time_point first{};
    Clock::time_point last{};
    Clock::time_point next_line{};
    std::chrono::seconds pause{kFirstPause};
  };

  /// What to do with a line.
  struct Advice {
    bool write = true;
    std::uint64_t times = 1;                ///< that the trouble has come in this outage
    std::chrono::duration<double> since{};  ///< the first
  };

  /// The trouble of this key has come. To be called in the order of `now`.
  [[nodiscard]] Advice Add(std::string_view key, Clock::time_point now);

  /// The outages that have ended, by their first line; with `all` also those that go on. Of those
  /// that came once there is nothing to say.
  [[nodiscard]] std::vector<Outage> TakeEnded(Clock::time_point now, bool all = false);

 private:
  std::map<std::string, Outage, std::less<>> outages_;
};

}  // namespace crawlsieve::consumer
