#include "consumer/observability/logging.h"
#include "consumer/observability/printable.h"
#include "consumer/status/status_text.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/top_sources.h"
#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

/// Waits for SIGINT and SIGTERM, which are blocked meanwhile: the terminal is put right before the
/// program ends.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }

  /// Whether one came within `time`.
  [[nodiscard]] bool Came(std::chrono::milliseconds time) const {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const timespec wait{seconds.count(), std::chrono::nanoseconds(time - seconds).count()};
    return sigtimedwait(&signals_, nullptr, &wait) > 0;
  }

 private:
  sigset_t signals_{};
};

/// The alternate screen of a terminal. What was there before comes back at the end.
class FullScreen {
 public:
  FullScreen() { fmt::print("\033[?1049h\033[?25l"); }
  ~FullScreen() {
    fmt::print("\033[?25h\033[?1049l");
    std::fflush(stdout);
  }
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  void Show(std::string_view text) {
    std::string drawn = "\033[H";
    for (const char byte : text) {
      if (byte == '\n') drawn += "\033[K\r\n";
      if (byte != '\n') drawn += byte;
    }
    drawn += "\033[J";
    std::fputs(drawn.c_str(), stdout);
    std::fflush(stdout);
  }
};

TextLayout LayoutOfTerminal() {
  TextLayout layout{.width = 80, .height = 23, .has_bars = true};
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 1) {
    layout.width = size.ws_col;
    layout.height = size.ws_row - 1U;
  }
  return layout;
}

std::string TextOf(const SeenProcesses& seen, const TextLayout& layout) {
  std::string text;
  if (seen.reports.size() == 1 && seen.failures.empty()) {
    return StatusText(seen.reports.front(), layout);
  }
  if (!seen.reports.empty()) text = StatusTable(seen.reports, layout);
  for (const std::string& failure : seen.failures) text += Printable(failure) + "\n";
  return text;
}

/// Addresses that were given, or else that of the configuration.
std::vector<std::string> AddressesOf(const TopArguments& arguments, const config::Config& config) {
  if (!arguments.addresses.empty()) return arguments.addresses;
  const std::string& host = config.http.address;
  const bool is_any = host == "0.0.0.0" || host == "::";
  const bool is_ipv6 = !is_any && host.find(':') != std::string::npos;
  return {fmt::format("http://{}:{}",
                      is_any    ? "127.0.0.1"
                      : is_ipv6 ? "[" + host + "]"
                                : host,
                      config.http.port)};
}

}  // namespace

int TopCommand(const TopArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  LogOptions log = config->log;
  log.level = "error";
  ConfigureLogging(log);
  const bool is_full_screen = ::isatty(STDOUT_FILENO) == 1 && arguments.count == 0;
  std::optional<EndSignals> signals;  // before other threads begin
  if (is_full_screen) signals.emplace();
  std::unique_ptr<TopSource> source;
  if (arguments.from_topic) {
    auto made = MetricsTopicSource(*config);
    if (!made) return PrintError(made.error(), kExitFailed);
    source = std::move(*made);
  } else {
    source = HttpTopSource(AddressesOf(arguments, *config));
  }

  const std::chrono::milliseconds interval(static_cast<std::int64_t>(arguments.seconds * 1000));
  if (!is_full_screen) {
    bool is_seen = true;
    for (int i = 0; i < std::max(1, arguments.count); ++i) {
      if (i > 0) {
        const timespec wait{interval.count() / 1000, interval.count() % 1000 * 1'000'000};
        ::nanosleep(&wait, nullptr);
        fmt::print("\n");
      }
      const SeenProcesses seen = source->Read();
      is_seen = !seen.reports.empty();
      for (const std::string& failure : seen.failures) {
        fmt::print(stderr, "crawlsieve: {}\n", Printable(failure));
      }
      std::fputs(TextOf({seen.reports, {}}, {}).c_str(), stdout);
      std::fflush(stdout);
    }
    return is_seen ? kExitDone : kExitFailed;
  }

  FullScreen screen;
  while (true) {
    screen.Show(TextOf(source->Read(), LayoutOfTerminal()));
    if (signals->Came(interval)) return kExitDone;
  }
}

}  // namespace crawlsieve::consumer
