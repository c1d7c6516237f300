#include "cli/progress.h"

#include "consumer/status/quantities.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kBarColumns = 24;

double Share(std::uint64_t done, std::uint64_t total) {
  return std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
}

}  // namespace

Progress::Screen Progress::Screen::StandardError() {
  Screen screen;
  screen.is_terminal = ::isatty(STDERR_FILENO) == 1;
  winsize size{};
  if (screen.is_terminal && ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    screen.width = size.ws_col;
  }
  screen.write = [](std::string_view text) { fmt::print(stderr, "{}", text); };
  return screen;
}

Progress::Progress(std::string task, Screen screen)
    : task_(std::move(task)),
      screen_(std::move(screen)),
      begin_(screen_.now()),
      next_(begin_ + (screen_.is_terminal ? kSilence : kLines)) {}

bool Progress::IsDue() {
  // The clock is read only now and then.
  return ++calls_ % 16 == 0 && screen_.now() >= next_;
}

std::string Progress::Line(std::uint64_t done, std::uint64_t total, std::string_view details,
                           Clock::time_point now) const {
  const std::chrono::duration<double> passed = now - begin_;
  std::string line;
  if (total > 0) {
    const double share = Share(done, total);
    const auto left = SecondsLeft(share, 1 - share, passed.count());
    line =
        fmt::format("{:.0f} %, {}", 100 * share,
                    left.has_value() ? DurationText(*left) + " left" : "time left not known yet");
  } else {
    line = "for " + DurationText(passed.count());
  }
  if (!details.empty()) line += fmt::format(", {}", details);
  return line;
}

void Progress::Show(std::uint64_t done, std::uint64_t total, std::string_view details) {
  const Clock::time_point now = screen_.now();
  std::string line = Line(done, total, details, now);
  if (!screen_.is_terminal) {
    screen_.write(fmt::format("{}: {}\n", task_, line));
    next_ = now + kLines;
    return;
  }
  if (total > 0 && screen_.width > 2 * kBarColumns) {
    const auto full = static_cast<std::size_t>(Share(done, total) * kBarColumns);
    line = fmt::format("[{}{}] {}", std::string(full, '#'), std::string(kBarColumns - full, '.'),
                       line);
  }
  // A line that goes on in the next row couldn't be removed.
  if (line.size() >= screen_.width) line.resize(screen_.width > 0 ? screen_.width - 1 : 0);
  screen_.write("\r\033[K" + line);
  is_shown_ = true;
  next_ = now + kRefresh;
}

void Progress::Clear() {
  if (is_shown_) screen_.write("\r\033[K");
  is_shown_ = false;
}

}  // namespace crawlsieve::consumer
