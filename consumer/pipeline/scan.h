#pragma once

#include "consumer/input/file_reader.h"
#include "consumer/pipeline/entry_fold.h"
#include "consumer/pipeline/extract_records.h"
#include "plugin/base/result.h"
#include "plugin/judge/detector.h"
#include "plugin/verdict/parameters.h"

namespace crawlsieve::consumer {

struct ScanOptions : RecordOptions {
  JudgeParameters judge;
};

/// What a scan tells while it runs; all calls come on the scanning thread.
class ScanListener : public RecordListener, public VerdictListener {};

/// Judges the pages of `reader` without a broker: the stages, the fold and the state are those of
/// the service, and the admission log passes through memory.
///
/// Errors: those of ExtractRecords and EntryFold; what was committed before stays.
[[nodiscard]] Status Scan(FileReader& reader, Detector& detector, const ScanOptions& options,
                          ScanListener& listener);

}  // namespace crawlsieve::consumer
