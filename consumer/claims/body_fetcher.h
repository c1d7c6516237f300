#pragma once

#include "consumer/claims/body_store.h"
#include "consumer/claims/large_bodies.h"
#include "consumer/claims/options.h"
#include "consumer/claims/stored_body.h"
#include "consumer/input/formats/body_ref.h"
#include "consumer/input/formats/input_format.h"
#include "plugin/base/mutex.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include <tl/expected.hpp>

namespace crawlsieve::consumer {

/// Fetches bodies from one store, for all workers.
///
/// A store that doesn't answer is asked again, up to `ClaimOptions::attempts` times with a growing
/// pause between. Then it counts as down, for a quarter of a second at first and 30 s at most, in
/// which every fetch ends at once as an outage: what waits behind a body must not wait for each
/// time-out anew.
///
/// Memory: 1 MiB for each fetch at a time, and what larger bodies take: see LargeBodies.
/// Thread-safe.
class BodyFetcher {
 public:
  /// `large_bytes` bounds the memory of bodies over 1 MiB, from the fetch to the page: one is read
  /// at a time at least.
  BodyFetcher(std::unique_ptr<BodyStore> store, const ClaimOptions& options,
              const DecodeLimits& limits, std::size_t large_bytes);

  /// What `ref` refers to. Blocks for the attempts at one body and the pauses between; ends early,
  /// as StoreOutage::kStopped, when `stop` is requested.
  [[nodiscard]] tl::expected<StoredBody, StoreOutage> Fetch(const BodyRef& ref,
                                                            const std::stop_token& stop);

 private:
  using Clock = std::chrono::steady_clock;

  /// What was wrong with a store that counts as down; empty: it doesn't.
  [[nodiscard]] std::string DownReason() EXCLUDES(mutex_);
  void MarkDown(const std::string& reason) EXCLUDES(mutex_);
  void MarkUp() EXCLUDES(mutex_);

  const std::unique_ptr<BodyStore> store_;
  const ClaimOptions options_;
  const DecodeLimits limits_;
  LargeBodies large_;

  Mutex mutex_;
  std::string down_reason_ GUARDED_BY(mutex_);
  Clock::time_point down_until_ GUARDED_BY(mutex_);
  std::chrono::milliseconds pause_ GUARDED_BY(mutex_);
};

/// A fetcher for the store that `options` name; nullptr: they name none.
[[nodiscard]] std::unique_ptr<BodyFetcher> MakeBodyFetcher(const ClaimOptions& options,
                                                           const DecodeLimits& limits,
                                                           std::size_t large_bytes);

}  // namespace crawlsieve::consumer
