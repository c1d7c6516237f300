#pragma once

#include "consumer/claims/body_store.h"
#include "consumer/claims/options.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// The URL of `file` below `base`, which ends with `/`; nullopt: it leads elsewhere.
///
/// A name is put behind `base`, percent-encoded. A URL must begin with `base` as it stands, and may
/// have a query; `s3://BUCKET/KEY` names KEY if BUCKET is the last part of `base`'s path, or the
/// first label of its host. User info, `.` and `..` as parts of the path, encoded ones too, and
/// anything but visible ASCII in a URL are refused.
[[nodiscard]] std::optional<std::string> UrlBelow(const std::string& base, const std::string& file);

/// Files of one HTTP or HTTPS server below one URL, read by range requests; signed for S3 where
/// credentials are configured.
///
/// No redirect is followed, no proxy is asked, no cookie and no .netrc is used. The address that a
/// connection goes to is checked at the moment it is made: private, loopback, link-local and other
/// addresses that aren't public are refused, unless `allow_private_addresses`. Addresses of names
/// are taken as checked for the connection only, so a name can't change in between.
///
/// 404, 410 and 416: not found; a name that isn't there is asked for with `.open` behind it too.
/// Everything else that isn't 206, or 200 for what begins at 0, no answer, an answer that is cut,
/// and one of another range is kUnavailable. Messages name no query. Thread-safe.
class HttpStore final : public BodyStore {
 public:
  /// Errors: kInvalidConfig (no such URL), kIo (libcurl can't start).
  [[nodiscard]] static Result<std::unique_ptr<HttpStore>> Make(const ClaimOptions& options);
  ~HttpStore() override;

  [[nodiscard]] tl::expected<StoredBytes, StoreFailure> Read(const std::string& file,
                                                             std::uint64_t offset,
                                                             std::size_t count,
                                                             const std::stop_token& stop) override;

 private:
  class Connection;

  explicit HttpStore(ClaimOptions options);

  [[nodiscard]] tl::expected<StoredBytes, StoreFailure> Get(const std::string& url,
                                                            const std::string& shown,
                                                            std::uint64_t offset, std::size_t count,
                                                            const std::stop_token& stop);
  /// One that is free, or a new one; nullptr: libcurl has none.
  [[nodiscard]] std::unique_ptr<Connection> TakeConnection() EXCLUDES(mutex_);
  void GiveBack(std::unique_ptr<Connection> connection) EXCLUDES(mutex_);

  const ClaimOptions options_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> free_ GUARDED_BY(mutex_);
};

}  // namespace crawlsieve::consumer
