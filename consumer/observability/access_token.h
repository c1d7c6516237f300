#pragma once

#include "consumer/observability/file_version.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// The token that a request has to bring. Its file is read again when it changes; while the new
/// content can't be used the token before it counts, and the log says so. Thread-safe.
class AccessToken {
 public:
  /// The token in `file`: one line of 16 to 1,024 printable ASCII characters without spaces.
  /// Errors: kInvalidConfig, which never repeats the content.
  [[nodiscard]] static Result<std::unique_ptr<AccessToken>> Load(std::string file);

  /// Whether `authorization`, the value of the header, is "Bearer TOKEN", or "Basic" with any user
  /// and the token as password (RFC 6750 and 7617). Takes the same time for all wrong tokens of a
  /// length.
  [[nodiscard]] bool Admits(std::string_view authorization) EXCLUDES(mutex_);

 private:
  AccessToken(std::string file, FileVersion version, std::string token)
      : file_(std::move(file)), version_(version), token_(std::move(token)) {}

  void Refresh() REQUIRES(mutex_);

  const std::string file_;
  Mutex mutex_;
  FileVersion version_ GUARDED_BY(mutex_);
  std::string token_ GUARDED_BY(mutex_);
};

/// The token in a file, for a client. Errors: as AccessToken::Load.
[[nodiscard]] Result<std::string> ReadTokenFile(const std::string& file);

}  // namespace crawlsieve::consumer
