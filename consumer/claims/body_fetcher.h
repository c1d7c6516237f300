#pragma once

#include "consumer/claims/body_store.h"
#include "consumer/claims/large_bodies.h"
#include "consumer/claims/options.h"
#include "consumer/claims/stored_body.h"
#include "consumer/input/formats/body_ref.h"
#include "consumer/input/formats/input_format.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace crawlsieve::consumer {

/// Fetches bodies for all workers: from a store of files and from a remote one.
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
  /// References with `://` are for `remote`, others for `files` if there is one. One of both may be
  /// nullptr. `large_bytes` bounds the memory of bodies over 1 MiB, from the fetch to the page: one
  /// is read at a time at least.
  BodyFetcher(std::unique_ptr<BodyStore> files, std::unique_ptr<BodyStore> remote,
              const ClaimOptions& options, const DecodeLimits& limits, std::size_t large_bytes);

  /// What `ref` refers to. Blocks for the attempts at one body and the pauses between; ends early,
  /// as StoreOutage::kStopped, when `stop` is requested.
  [[nodiscard]] tl::expected<StoredBody, StoreOutage> Fetch(const BodyRef& ref,
                                                            const std::stop_token& stop);

 private:
  using Clock = std::chrono::steady_clock;

  /// A store, and whether it counts as down. Thread-safe.
  class Lane {
   public:
    explicit Lane(std::unique_ptr<BodyStore> store) : store_(std::move(store)) {}

    [[nodiscard]] BodyStore* store() const { return store_.get(); }

    /// What was wrong with a store that counts as down; empty: it doesn't.
    [[nodiscard]] std::string DownReason() EXCLUDES(mutex_);
    void MarkDown(const std::string& reason) EXCLUDES(mutex_);
    void MarkUp() EXCLUDES(mutex_);

   private:
    static constexpr std::chrono::milliseconds kFirstPause{250};

    const std::unique_ptr<BodyStore> store_;
    Mutex mutex_;
    std::string down_reason_ GUARDED_BY(mutex_);
    Clock::time_point down_until_ GUARDED_BY(mutex_);
    std::chrono::milliseconds pause_ GUARDED_BY(mutex_) = kFirstPause;
  };

  [[nodiscard]] Lane& LaneFor(const BodyRef& ref);

  Lane files_;
  Lane remote_;
  const ClaimOptions options_;
  const DecodeLimits limits_;
  LargeBodies large_;
};

/// A fetcher for the stores that `options` name; nullptr: they name none. Errors: kInvalidConfig,
/// kIo, as HttpStore::Make.
[[nodiscard]] Result<std::unique_ptr<BodyFetcher>> MakeBodyFetcher(const ClaimOptions& options,
                                                                   const DecodeLimits& limits,
                                                                   std::size_t large_bytes);

}  // namespace crawlsieve::consumer
