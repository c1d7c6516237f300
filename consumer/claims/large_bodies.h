#pragma once

#include "plugin/base/mutex.h"

#include <cstddef>
#include <memory>
#include <stop_token>

namespace crawlsieve::consumer {

/// Bounds the number of large bodies in memory at a time. Thread-safe; outlives its leases.
class LargeBodies {
 public:
  /// From here on a body needs a lease.
  static constexpr std::size_t kFromBytes = 1 << 20;

  /// A place among the large bodies, given back with its last copy.
  using Lease = std::shared_ptr<void>;

  explicit LargeBodies(std::size_t places) : free_(places) {}

  /// Waits for a place; nullptr if `stop` was requested first. Who holds a lease must not ask for
  /// another one.
  [[nodiscard]] Lease Enter(const std::stop_token& stop) EXCLUDES(mutex_);

 private:
  void Leave() EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar left_;
  std::size_t free_ GUARDED_BY(mutex_);
};

}  // namespace crawlsieve::consumer
