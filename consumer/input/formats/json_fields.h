#pragma once

#include "consumer/input/formats/json_format.h"
#include "consumer/input/formats/json_path.h"

#include <array>
#include <cstddef>
#include <span>

namespace crawlsieve::consumer {

/// Format `json`: the fields are where the configuration says. Borrows `paths`.
///
/// A body that isn't in base64 is a string; `response_headers` as in format canonical.
class JsonFieldsFormat {
 public:
  explicit JsonFieldsFormat(const JsonPaths& paths);

  /// Of this object.
  [[nodiscard]] JsonFormat format() const;

  [[nodiscard]] std::span<const FieldPath> paths() const { return std::span(paths_).first(size_); }

 private:
  static constexpr std::size_t kMaxPaths = 12;
  std::array<FieldPath, kMaxPaths> paths_;
  std::size_t size_ = 0;
};

}  // namespace crawlsieve::consumer
