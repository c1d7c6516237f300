#pragma once

#include "plugin/base/result.h"
#include "plugin/score/url_score.h"

#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// One score as the JSON object of docs/schemas/url_score.schema.json, without a line end. Bytes
/// that are not UTF-8 come out as U+FFFD. A function of the record alone.
[[nodiscard]] std::string UrlScoreRecord(const UrlScore& record);

/// Reads what UrlScoreRecord wrote. Fields that it doesn't know are ignored; scores are rounded to
/// ten-thousandths.
///
/// Errors: kInvalidInput with the field's name for text that is no such object, and for fields that
/// don't fit together (CheckUrlScore).
[[nodiscard]] Result<UrlScore> ParseUrlScoreRecord(std::string_view json);

}  // namespace crawlsieve::consumer
