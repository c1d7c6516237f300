#include "consumer/claims/body_fetcher.h"

#include "consumer/claims/directory_store.h"
#include "consumer/claims/http_store.h"
#include "consumer/input/formats/body.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstRetry{100};
constexpr milliseconds kLongestPause{30'000};

/// A record and what is decoded of it, by which each may be twice its limit.
std::size_t PlacesFor(const DecodeLimits& limits, std::size_t bytes) {
  const std::size_t largest = 4 * (limits.max_body_bytes + limits.max_header_bytes);
  return std::max<std::size_t>(1, bytes / largest);
}

/// Returns early when `stop` is requested.
void Sleep(milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

BodyFetcher::BodyFetcher(std::unique_ptr<BodyStore> files, std::unique_ptr<BodyStore> remote,
                         const ClaimOptions& options, const DecodeLimits& limits,
                         std::size_t large_bytes)
    : files_(std::move(files)),
      remote_(std::move(remote)),
      options_(options),
      limits_(limits),
      large_(PlacesFor(limits, large_bytes)) {}

BodyFetcher::Lane& BodyFetcher::LaneFor(const BodyRef& ref) {
  const bool is_url = ref.file.find("://") != std::string::npos;
  return is_url || files_.store() == nullptr ? remote_ : files_;
}

tl::expected<StoredBody, StoreOutage> BodyFetcher::Fetch(const BodyRef& ref,
                                                         const std::stop_token& stop) {
  Lane& lane = LaneFor(ref);
  if (lane.store() == nullptr) {
    return StoredBody{{},
                      std::string(kUnsupportedBodyRef),
                      ShownFile(ref.file) + ": kafka.input.bodies.url is not configured",
                      {}};
  }
  if (std::string reason = lane.DownReason(); !reason.empty()) {
    return tl::unexpected(StoreOutage{StoreOutage::Kind::kStoreDown, std::move(reason)});
  }
  milliseconds retry = kFirstRetry;
  for (std::uint32_t attempt = 1;; ++attempt) {
    auto read = ReadStoredBody(*lane.store(), ref, limits_, large_, stop);
    if (read || read.error().kind == StoreOutage::Kind::kFileGrowing) {
      lane.MarkUp();
      return read;
    }
    if (stop.stop_requested()) read.error().kind = StoreOutage::Kind::kStopped;
    if (read.error().kind == StoreOutage::Kind::kStopped) return read;
    if (attempt >= options_.attempts) {
      lane.MarkDown(read.error().message);
      return read;
    }
    Sleep(retry, stop);
    retry *= 2;
  }
}

std::string BodyFetcher::Lane::DownReason() {
  const MutexLock lock(mutex_);
  return Clock::now() < down_until_ ? down_reason_ : std::string();
}

void BodyFetcher::Lane::MarkDown(const std::string& reason) {
  const MutexLock lock(mutex_);
  const auto now = Clock::now();
  // Of fetches that failed at the same time only the first one makes the pause longer.
  if (now < down_until_) return;
  down_reason_ = reason.empty() ? "the store is down" : reason;
  down_until_ = now + pause_;
  pause_ = std::min(2 * pause_, kLongestPause);
}

void BodyFetcher::Lane::MarkUp() {
  const MutexLock lock(mutex_);
  pause_ = kFirstPause;
}

Result<std::unique_ptr<BodyFetcher>> MakeBodyFetcher(const ClaimOptions& options,
                                                     const DecodeLimits& limits,
                                                     std::size_t large_bytes) {
  if (!options.enabled()) return nullptr;
  std::unique_ptr<BodyStore> files;
  std::unique_ptr<BodyStore> remote;
  if (!options.directory.empty()) {
    files = std::make_unique<DirectoryStore>(options.directory, options.growing);
  }
  if (!options.url.empty()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(remote, HttpStore::Make(options));
  }
  return std::make_unique<BodyFetcher>(std::move(files), std::move(remote), options, limits,
                                       large_bytes);
}

}  // namespace crawlsieve::consumer
