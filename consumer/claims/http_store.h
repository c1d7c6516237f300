#pragma once

#include "consumer/claims/body_store.h"
#include "consumer/claims/http_connection.h"
#include "consumer/claims/options.h"
#include "consumer/claims/store_url.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace crawlsieve::consumer {

/// Files of one HTTP or HTTPS server below one URL, read by range requests, over as many
/// connections as there are reads at a time. Requests are signed for S3 where an access key is
/// configured.
///
/// What is asked for: StoreUrl. How, and of whom: HttpConnection. What answers mean: ReadAnswer. A
/// name that isn't there is asked for with `.open` behind it too, as in a DirectoryStore; a URL
/// with a query isn't. Messages name no query. Thread-safe.
class HttpStore final : public BodyStore {
 public:
  /// Errors: kInvalidConfig (the URL, the region, or one key without the other), kIo (libcurl can't
  /// start).
  [[nodiscard]] static Result<std::unique_ptr<HttpStore>> Make(const ClaimOptions& options);

  [[nodiscard]] tl::expected<StoredBytes, StoreFailure> Read(const std::string& file,
                                                             std::uint64_t offset,
                                                             std::size_t count,
                                                             const std::stop_token& stop) override;

 private:
  HttpStore(ClaimOptions options, StoreUrl root);

  /// One that is free, or a new one.
  [[nodiscard]] std::unique_ptr<HttpConnection> TakeConnection() EXCLUDES(mutex_);
  void GiveBack(std::unique_ptr<HttpConnection> connection) EXCLUDES(mutex_);

  const ClaimOptions options_;
  const StoreUrl root_;
  Mutex mutex_;
  std::vector<std::unique_ptr<HttpConnection>> free_ GUARDED_BY(mutex_);
};

}  // namespace crawlsieve::consumer
