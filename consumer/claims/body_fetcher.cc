#include "consumer/claims/body_fetcher.h"

#include "consumer/claims/directory_store.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstRetry{100};
constexpr milliseconds kFirstPause{250};
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

BodyFetcher::BodyFetcher(std::unique_ptr<BodyStore> store, const ClaimOptions& options,
                         const DecodeLimits& limits, std::size_t large_bytes)
    : store_(std::move(store)),
      options_(options),
      limits_(limits),
      large_(PlacesFor(limits, large_bytes)),
      pause_(kFirstPause) {}

tl::expected<StoredBody, StoreOutage> BodyFetcher::Fetch(const BodyRef& ref,
                                                         const std::stop_token& stop) {
  if (std::string reason = DownReason(); !reason.empty()) {
    return tl::unexpected(StoreOutage{StoreOutage::Kind::kStoreDown, std::move(reason)});
  }
  milliseconds retry = kFirstRetry;
  for (std::uint32_t attempt = 1;; ++attempt) {
    auto read = ReadStoredBody(*store_, ref, limits_, large_, stop);
    if (read || read.error().kind == StoreOutage::Kind::kFileGrowing) {
      MarkUp();
      return read;
    }
    if (stop.stop_requested()) read.error().kind = StoreOutage::Kind::kStopped;
    if (read.error().kind == StoreOutage::Kind::kStopped) return read;
    if (attempt >= options_.attempts) {
      MarkDown(read.error().message);
      return read;
    }
    Sleep(retry, stop);
    retry *= 2;
  }
}

std::string BodyFetcher::DownReason() {
  const MutexLock lock(mutex_);
  return Clock::now() < down_until_ ? down_reason_ : std::string();
}

void BodyFetcher::MarkDown(const std::string& reason) {
  const MutexLock lock(mutex_);
  const auto now = Clock::now();
  // Of fetches that failed at the same time only the first one makes the pause longer.
  if (now < down_until_) return;
  down_reason_ = reason.empty() ? "the store is down" : reason;
  down_until_ = now + pause_;
  pause_ = std::min(2 * pause_, kLongestPause);
}

void BodyFetcher::MarkUp() {
  const MutexLock lock(mutex_);
  pause_ = kFirstPause;
}

std::unique_ptr<BodyFetcher> MakeBodyFetcher(const ClaimOptions& options,
                                             const DecodeLimits& limits, std::size_t large_bytes) {
  if (options.directory.empty()) return nullptr;
  return std::make_unique<BodyFetcher>(
      std::make_unique<DirectoryStore>(options.directory, options.growing), options, limits,
      large_bytes);
}

}  // namespace crawlsieve::consumer
