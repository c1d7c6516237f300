#pragma once

#include "consumer/input/formats/input_format.h"
#include "plugin/base/timestamp.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace crawlsieve::consumer {

/// A record of the topic of asked URLs: one JSON object.
struct QuestionRecord {
  std::string url;         ///< as it was given, not empty
  std::string crawl_id;    ///< empty: none
  std::string parent_url;  ///< as it was given; empty: none
  std::optional<std::uint32_t> depth;
  std::optional<Timestamp> asked_at;
};

/// Reads a question. Of its fields only `url` is needed; others of a wrong type count as absent,
/// and unknown ones are passed over. Failures: `invalid_json` (no value, or not an object),
/// `missing_url`. Never throws.
[[nodiscard]] std::variant<QuestionRecord, DecodeFailure> DecodeQuestion(
    const std::optional<std::string>& value);

}  // namespace crawlsieve::consumer
