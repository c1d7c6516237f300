#pragma once

#include "consumer/observability/metrics.h"
#include "consumer/service/options.h"
#include "plugin/base/result.h"
#include "plugin/checkpoint/create.h"
#include "plugin/state/store.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <stop_token>
#include <thread>
#include <variant>

namespace crawlsieve::consumer {

/// Makes checkpoints of a judge's state at an interval, while the judge goes on: files are read,
/// copied and uploaded on a thread of its own, of low priority. The interval counts from the newest
/// checkpoint of the repository, whoever made it, so it goes on over restarts, and processes that
/// share a repository take turns. Where nothing was folded since the newest, none is made. What
/// fails is logged, counted and tried again; no verdict waits for it.
///
/// Thread-compatible: for the thread that commits.
class Checkpointer {
 public:
  struct Options {
    ServiceCheckpoints checkpoints;
    std::filesystem::path state_directory;
  };

  /// `store` and `metrics` are borrowed.
  Checkpointer(Options options, Store& store, Metrics& metrics);
  /// Ends the one that is being made, without a checkpoint.
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// To be called again and again, between commits. Returns at once.
  void Step();

 private:
  using Clock = std::chrono::steady_clock;
  /// There is nothing to be done yet.
  struct Wait {
    std::chrono::milliseconds time;
    std::optional<StoredCheckpoint> newest;  ///< made by another process, perhaps
  };
  using Outcome = std::variant<CheckpointReport, Wait, Error>;
  enum class Phase { kWaiting, kFlushing, kMaking };

  void Begin();
  [[nodiscard]] Outcome Make(const std::stop_token& stop) const;
  void Report(Outcome outcome);

  const Options options_;
  Store& store_;
  Metrics& metrics_;
  Phase phase_ = Phase::kWaiting;
  Clock::time_point due_;
  Clock::time_point begun_;
  int failures_ = 0;         ///< since the last one was made
  CheckpointManifest last_;  ///< made by this process; read by the worker while it works
  std::future<Outcome> outcome_;
  std::jthread worker_;
};

}  // namespace crawlsieve::consumer
