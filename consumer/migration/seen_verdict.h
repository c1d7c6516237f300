#pragma once

#include "plugin/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// The record of an input topic that a verdict is about.
struct InputRecordAt {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;

  friend auto operator<=>(const InputRecordAt&, const InputRecordAt&) = default;
};

/// What a comparison of two deployments reads of a verdict record.
struct SeenVerdict {
  InputRecordAt source;
  std::string outcome;  ///< verdict and reason: "drop near_duplicate"
  std::string url;
  std::string match_url;       ///< empty: no match
  std::uint64_t sequence = 0;  ///< 0: it has none
};

/// Reads a verdict record (docs/formats.md). Never throws, whatever the bytes. Errors:
/// kInvalidInput.
[[nodiscard]] Result<SeenVerdict> ReadVerdict(std::string_view record);

}  // namespace crawlsieve::consumer
