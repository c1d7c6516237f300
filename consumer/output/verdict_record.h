#pragma once

#include "plugin/base/timestamp.h"
#include "plugin/log/entry.pb.h"
#include "plugin/verdict/verdict.h"

#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// What of a verdict record is not a function of the log: replays differ only here.
struct RecordContext {
  std::string_view instance;
  Timestamp processed_at;
};

/// One verdict as the JSON object of docs/schemas/verdict.schema.json, without a line end.
/// Bytes that are not UTF-8 come out as U+FFFD. `page.attrs` must be JSON text or empty.
[[nodiscard]] std::string VerdictRecord(const log::Page& page, const Verdict& verdict,
                                        const RecordContext& context);

}  // namespace crawlsieve::consumer
