#pragma once

#include "consumer/observability/metrics.h"
#include "consumer/service/options.h"
#include "plugin/base/mutex.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// The status of a process: collects the status of its stages. Thread-safe.
class StatusBoard {
 public:
  using Clock = std::chrono::steady_clock;

  /// `metrics` is borrowed. It shows the status of the stages in `roles`.
  StatusBoard(const std::vector<Role>& roles, Metrics& metrics);

  /// Whether brokers answer the stage. The process is connected when all its stages are.
  void SetConnected(Role role, bool connected) EXCLUDES(mutex_);

  /// Replaces the stage's earlier report on its partitions.
  void SetPartitions(Role role, std::vector<PartitionReport> partitions) EXCLUDES(mutex_);

  /// A Kafka client of the stage, by its name within it; nullopt: it is gone.
  void SetClient(Role role, const std::string& client,
                 const std::optional<KafkaClientReport>& report);

  /// The stage's loop has come round, so it isn't hung.
  void SetRound(Role role, Clock::time_point now) EXCLUDES(mutex_);

  /// The longest time for which the loop of a stage has not come round; zero before they begin.
  [[nodiscard]] Clock::duration Silence(Clock::time_point now = Clock::now()) const
      EXCLUDES(mutex_);

 private:
  struct Stage {
    bool connected = false;
    std::optional<Clock::time_point> last_round;
    std::vector<PartitionReport> partitions;
  };

  Metrics& metrics_;
  mutable Mutex mutex_;
  std::map<Role, Stage> stages_ GUARDED_BY(mutex_);
};

}  // namespace crawlsieve::consumer
