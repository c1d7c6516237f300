#pragma once

#include "plugin/judge/url_explanation.h"

#include <string>

namespace crawlsieve::consumer {

/// Why a URL has its score, as the JSON object of docs/schemas/explanation.schema.json, without a
/// line end. Bytes that are not UTF-8 come out as U+FFFD. A function of the explanation alone.
[[nodiscard]] std::string ExplanationRecord(const UrlExplanation& explanation);

/// The same for people: lines, with text of pages escaped.
[[nodiscard]] std::string ExplanationText(const UrlExplanation& explanation);

}  // namespace crawlsieve::consumer
