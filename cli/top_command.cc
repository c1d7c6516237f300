#include "consumer/observability/access_token.h"
#include "consumer/observability/logging.h"
#include "consumer/observability/printable.h"
#include "consumer/status/status_text.h"
#include "plugin/base/mutex.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/full_screen.h"
#include "cli/top_sources.h"
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

/// A descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  const int number_;
};

/// Signals that end or change a full screen. They are blocked in this thread and those that it
/// starts later, and read one by one, so that the terminal is put right before anything happens.
class Signals {
 public:
  Signals() : descriptor_(Block()) {}

  [[nodiscard]] int descriptor() const { return descriptor_.number(); }
  /// The next one; 0: none is there.
  [[nodiscard]] int Take() const {
    signalfd_siginfo information{};
    const auto size = ::read(descriptor(), &information, sizeof(information));
    return size == sizeof(information) ? static_cast<int>(information.ssi_signo) : 0;
  }

 private:
  static int Block() {
    sigset_t signals{};
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH}) {
      sigaddset(&signals, signal);
    }
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    return ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  const Descriptor descriptor_;
};

/// Looks at a source again and again on a thread of its own: an answer may take seconds, and the
/// screen answers its keys meanwhile. Thread-safe.
class Watcher {
 public:
  /// `source` must outlive this object.
  Watcher(TopSource& source, milliseconds interval)
      : news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this, &source, interval](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any wake;
          while (!stop.stop_requested()) {
            SeenProcesses seen = source.Read();
            {
              const MutexLock lock(mutex_);
              newest_ = std::move(seen);
            }
            ::eventfd_write(news_.number(), 1);
            std::unique_lock<std::mutex> lock(mutex);
            wake.wait_for(lock, stop, interval, [] { return false; });
          }
        }) {}

  /// Readable when there is something new.
  [[nodiscard]] int descriptor() const { return news_.number(); }
  /// What was seen last; nothing is new any more.
  [[nodiscard]] SeenProcesses Take() EXCLUDES(mutex_) {
    eventfd_t count = 0;
    ::eventfd_read(news_.number(), &count);
    const MutexLock lock(mutex_);
    return newest_;
  }

 private:
  const Descriptor news_;
  Mutex mutex_;
  SeenProcesses newest_ GUARDED_BY(mutex_);
  std::jthread thread_;  // last: it uses the others
};

std::string TextOf(const SeenProcesses& seen, const TextLayout& layout) {
  if (seen.reports.size() == 1 && seen.failures.empty()) {
    return StatusText(seen.reports.front(), layout);
  }
  return StatusTable(seen.reports, seen.failures, layout);
}

/// Whether a key ends the program, or the terminal has no keys any more.
bool IsEndKeyPressed() {
  std::array<char, 64> keys{};
  const auto count = ::read(STDIN_FILENO, keys.data(), keys.size());
  if (count <= 0) return count == 0 || errno != EINTR;
  const std::string_view pressed(keys.data(), static_cast<std::size_t>(count));
  return pressed.find_first_of("qQ") != std::string_view::npos;
}

/// Shows what `source` sees until a key or a signal ends it.
[[noreturn]] void ShowUntilEnd(TopSource& source, milliseconds interval) {
  const Signals signals;  // before the watcher's thread begins
  Watcher watcher(source, interval);
  FullScreen screen;
  std::optional<SeenProcesses> seen;
  while (true) {
    const TextLayout layout = FullScreen::Layout();
    screen.Show(seen.has_value() ? TextOf(*seen, layout) : "Asking...\n");
    std::array<pollfd, 3> events{{{signals.descriptor(), POLLIN, 0},
                                  {watcher.descriptor(), POLLIN, 0},
                                  {screen.HasKeys() ? STDIN_FILENO : -1, POLLIN, 0}}};
    if (::poll(events.data(), events.size(), -1) < 0) continue;  // interrupted
    if (events[1].revents != 0) seen = watcher.Take();
    if (events[2].revents != 0 && IsEndKeyPressed()) break;
    const int signal = events[0].revents != 0 ? signals.Take() : 0;
    if (signal == SIGTSTP) {
      screen.Leave();
      ::raise(SIGSTOP);
      screen.Enter();
    } else if (signal != 0 && signal != SIGWINCH) {
      break;
    }
  }
  screen.Leave();
  // The watcher may wait for an answer for seconds. It holds nothing that needs an end in order.
  std::_Exit(kExitDone);
}

/// Writes what `source` sees `count` times, as plain text. Returns the exit code.
int WritePlain(TopSource& source, milliseconds interval, int count) {
  bool is_any_seen = false;
  for (int i = 0; i < count; ++i) {
    if (i > 0) {
      std::this_thread::sleep_for(interval);
      fmt::print("\n");
    }
    const SeenProcesses seen = source.Read();
    is_any_seen = !seen.reports.empty();
    for (const std::string& failure : seen.failures) {
      fmt::print(stderr, "crawlsieve: {}\n", Printable(failure));
    }
    if (is_any_seen) std::fputs(TextOf({seen.reports, {}}, {}).c_str(), stdout);
    std::fflush(stdout);
  }
  return is_any_seen ? kExitDone : kExitFailed;
}

/// Addresses that were given, or else that of the configuration. Errors: kInvalidConfig (it has
/// none).
Result<std::vector<std::string>> AddressesOf(const TopArguments& arguments,
                                             const config::Config& config) {
  if (!arguments.addresses.empty()) return arguments.addresses;
  if (!config.http.enabled || config.http.port == 0) {
    return MakeError(
        ErrorCode::kInvalidConfig,
        fmt::format("{}: name the address, http://host:port, or use --topic",
                    config.http.enabled ? "http.port is 0, so each process takes a free port"
                                        : "http.enabled is false, so no process can be asked"));
  }
  const std::string& host = config.http.address;
  const bool is_any = host == "0.0.0.0" || host == "::";
  const bool is_ipv6 = !is_any && host.find(':') != std::string::npos;
  return std::vector{fmt::format("{}://{}:{}",
                                 config.http.tls.certificate_file.empty() ? "http" : "https",
                                 is_any    ? "127.0.0.1"
                                 : is_ipv6 ? "[" + host + "]"
                                           : host,
                                 config.http.port)};
}

/// A token goes where the user sends it: of the configuration it is sent to the configured address
/// alone. Errors: kInvalidConfig (the token's file).
Result<HttpAccess> AccessOf(const TopArguments& arguments, const config::Config& config) {
  const std::string& file = !arguments.token_file.empty() ? arguments.token_file.native()
                            : arguments.addresses.empty() ? config.http.token_file
                                                          : arguments.token_file.native();
  HttpAccess access{.token = {}, .ca_file = arguments.ca_file};
  if (!file.empty()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(access.token, ReadTokenFile(file));
  }
  return access;
}

Result<std::unique_ptr<TopSource>> SourceOf(const TopArguments& arguments,
                                            const config::Config& config) {
  if (arguments.from_topic) return MetricsTopicSource(config);
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto addresses, AddressesOf(arguments, config));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto access, AccessOf(arguments, config));
  return HttpTopSource(std::move(addresses), std::move(access));
}

}  // namespace

int TopCommand(const TopArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  LogOptions log = config->log;
  log.level = "error";
  ConfigureLogging(log);
  auto source = SourceOf(arguments, *config);
  if (!source) {
    const bool is_wrong = source.error().code == ErrorCode::kInvalidConfig;
    return PrintError(source.error(), is_wrong ? kExitWrongInput : kExitFailed);
  }
  const milliseconds interval(static_cast<std::int64_t>(arguments.seconds * 1000));
  if (::isatty(STDOUT_FILENO) == 1 && arguments.count == 0) ShowUntilEnd(**source, interval);
  return WritePlain(**source, interval, std::max(1, arguments.count));
}

}  // namespace crawlsieve::consumer
