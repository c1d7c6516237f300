#pragma once

#include "consumer/observability/metrics.h"
#include "consumer/service/options.h"
#include "plugin/base/mutex.h"

#include <map>
#include <vector>

namespace crawlsieve::consumer {

/// The status of a process: collects the status of its stages. Thread-safe.
class StatusBoard {
 public:
  /// `metrics` is borrowed. It shows the status of the stages in `roles`.
  StatusBoard(const std::vector<Role>& roles, Metrics& metrics);

  /// Whether brokers answer the stage. The process is connected when all its stages are.
  void SetConnected(Role role, bool connected) EXCLUDES(mutex_);

  /// Replaces the stage's earlier report on its partitions.
  void SetPartitions(Role role, std::vector<PartitionReport> partitions) EXCLUDES(mutex_);

 private:
  struct Stage {
    bool connected = false;
    std::vector<PartitionReport> partitions;
  };

  Metrics& metrics_;
  Mutex mutex_;
  std::map<Role, Stage> stages_ GUARDED_BY(mutex_);
};

}  // namespace crawlsieve::consumer
