#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// How far a long command is, with the time left, on standard error: a bar on a terminal, from two
/// seconds on; elsewhere a line every half minute. Thread-compatible.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds kSilence{2'000};  ///< before the bar
  static constexpr std::chrono::milliseconds kRefresh{250};    ///< of the bar
  static constexpr std::chrono::milliseconds kLines{30'000};   ///< from line to line elsewhere

  /// Where it is shown.
  struct Screen {
    bool is_terminal = false;
    std::size_t width = 80;  ///< columns of a terminal
    std::function<void(std::string_view)> write;
    std::function<Clock::time_point()> now = Clock::now;

    /// Standard error as it is.
    [[nodiscard]] static Screen StandardError();
  };

  /// `task` begins each line where there is no terminal: "scan".
  explicit Progress(std::string task, Screen screen = Screen::StandardError());
  /// Removes the bar.
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether it is time to call Show; cheap.
  [[nodiscard]] bool IsDue();

  /// `done` of `total` is done; a total of 0 isn't known. `details` stand behind.
  void Show(std::uint64_t done, std::uint64_t total, std::string_view details);

  /// Removes the bar, before other output.
  void Clear();

 private:
  [[nodiscard]] std::string Line(std::uint64_t done, std::uint64_t total, std::string_view details,
                                 Clock::time_point now) const;

  const std::string task_;
  const Screen screen_;
  const Clock::time_point begin_;
  Clock::time_point next_;
  bool is_shown_ = false;
  int calls_ = 0;
};

}  // namespace crawlsieve::consumer
