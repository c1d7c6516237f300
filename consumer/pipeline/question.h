#pragma once

#include "consumer/input/formats/question_record.h"
#include "consumer/pipeline/page_processor.h"
#include "extract/url/options.h"
#include "plugin/base/timestamp.h"
#include "plugin/log/entry.pb.h"

#include <optional>
#include <string>
#include <variant>

namespace crawlsieve::consumer {

/// Reads the value of a question whose URL can be written on. Failures: those of DecodeQuestion,
/// and `url_too_long`.
[[nodiscard]] std::variant<QuestionRecord, DecodeFailure> ReadQuestion(
    const std::optional<std::string>& value);

/// What the fold needs of a question, but for where it came from. `asked`: where it doesn't say.
[[nodiscard]] log::Question QuestionOf(QuestionRecord&& asked_url, const extract::UrlOptions& urls,
                                       Timestamp asked);

/// The extract stage's work on one record of the topic of asked URLs: an entry with a question, or
/// with the dead letter that the record is. A pure function of its arguments. Never fails.
[[nodiscard]] ProcessedRecord ProcessQuestion(SourceRecord&& source,
                                              const extract::UrlOptions& urls,
                                              const std::string& scheme);

}  // namespace crawlsieve::consumer
