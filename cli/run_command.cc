#include "consumer/crash_probe/probe.h"
#include "consumer/observability/logging.h"
#include "consumer/service/service.h"
#include "plugin/slots/layout.h"

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>

#include "cli/commands.h"
#include "cli/common.h"
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

/// Requests a stop at the first SIGTERM or SIGINT. Ends the process if the stop takes too long, or
/// at another signal more than two seconds after the first. Earlier ones are ignored: timeout(1)
/// and some supervisors send two at once and mean one.
class SignalWatch {
 public:
  /// Blocks the signals in this thread and all that it starts from now on.
  explicit SignalWatch(std::chrono::milliseconds shutdown_timeout) : timeout_(shutdown_timeout) {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    watch_ = std::jthread([this](const std::stop_token& done) { Watch(done); });
  }

  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }

 private:
  void Watch(const std::stop_token& done) {
    const timespec tick{0, 100'000'000};
    auto impatient_from = std::chrono::steady_clock::time_point::max();
    auto deadline = impatient_from;
    while (!done.stop_requested()) {
      const int signal = sigtimedwait(&signals_, nullptr, &tick);
      const auto now = std::chrono::steady_clock::now();
      if (signal > 0 && !stop_.stop_requested()) {
        Log(LogLevel::kInfo, "service.stopping", {{"signal", signal}});
        impatient_from = now + std::chrono::seconds(2);
        deadline = now + timeout_ + std::chrono::seconds(5);
        stop_.request_stop();
      } else if ((signal > 0 && now >= impatient_from) || now >= deadline) {
        // State and offsets are safe at any moment; nothing is lost by leaving now.
        Log(LogLevel::kWarn, "service.aborted", {{"signal", signal}});
        ::_exit(kExitFailed);
      }
    }
  }

  const std::chrono::milliseconds timeout_;
  sigset_t signals_{};
  std::stop_source stop_;
  std::jthread watch_;
};

}  // namespace

int RunCommand(const std::filesystem::path& path) {
  const auto config = LoadOrReport(path);
  if (!config.has_value()) return kExitWrongInput;
  ConfigureLogging(config->log);
  ServiceSetup setup;
  setup.service = config->service;
  setup.kafka = config->kafka;
  setup.extract_stage = config->extract_stage;
  setup.extract_stage.threads = static_cast<std::uint32_t>(WorkersOf(*config));
  setup.processor = ProcessorOptionsOf(*config);
  setup.processor.takes_claims = config->claims.enabled();
  setup.claims = config->claims;
  setup.probe_command = {"/proc/self/exe", "probe-page", "--config", path.string()};
  setup.judge = config->judge;
  setup.index_shards = config->index.shards;
  setup.index_expected_entries = config->index.expected_entries;
  setup.index_planned_bytes = config->index.expected_entries * config->index.max_bytes_per_entry;
  setup.make_index = IndexFactoryOf(*config);
  config::Config of_window = *config;
  of_window.index.expected_entries = kSlotWindow;
  setup.make_window_index = IndexFactoryOf(of_window);
  setup.metrics = config->metrics;
  setup.http = config->http;

  const SignalWatch signals(config->service.shutdown_timeout);
  const Status ended = RunService(setup, signals.stop());
  if (ended) return kExitDone;
  Log(LogLevel::kError, "service.failed", {{"error", ended.error().message}});
  const bool is_setup = ended.error().code == ErrorCode::kInvalidConfig ||
                        ended.error().code == ErrorCode::kBusy ||
                        ended.error().code == ErrorCode::kMismatch;
  return is_setup ? kExitWrongInput : kExitFailed;
}

int ProbePageCommand(const std::filesystem::path& path) {
  const auto config = LoadOrReport(path);
  if (!config.has_value()) return kExitWrongInput;
  ProcessorOptions options = ProcessorOptionsOf(*config);
  options.takes_claims = config->claims.enabled();
  return AnswerProbe(std::move(options)) ? kExitDone : kExitFailed;
}

}  // namespace crawlsieve::consumer
