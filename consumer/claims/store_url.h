#pragma once

#include "plugin/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace crawlsieve::consumer {

/// The URL of an HTTP store, which is the root of all that is asked for. Immutable.
class StoreUrl {
 public:
  /// Takes `http://HOST/PATH` or `https://HOST/PATH`, with a port if there is one; without user,
  /// query and fragment. Errors: kInvalidConfig, which doesn't repeat the text.
  [[nodiscard]] static Result<StoreUrl> Parse(std::string_view text);

  /// Ends with `/`.
  [[nodiscard]] const std::string& text() const { return text_; }

  /// The URL of `file`; nullopt: it leads elsewhere.
  ///
  /// A name is put behind the root, percent-encoded. A URL must begin with the root as it stands,
  /// and may have a query. `s3://BUCKET/KEY` must lie below the root, where BUCKET is a part of the
  /// root's path or the first label of its host. User info, `.` and `..` as parts of the path,
  /// encoded ones too, and anything but visible ASCII in a URL are refused.
  [[nodiscard]] std::optional<std::string> Below(const std::string& file) const;

 private:
  explicit StoreUrl(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

/// `url`, which has no query, with each byte of its path spelled as S3 spells it for signatures:
/// letters, digits and `-._~/` as they are, others percent-encoded once.
[[nodiscard]] std::string WithCanonicalPath(std::string_view url);

}  // namespace crawlsieve::consumer
