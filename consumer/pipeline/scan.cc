#include "consumer/pipeline/scan.h"

namespace crawlsieve::consumer {

Status Scan(FileReader& reader, Detector& detector, const ScanOptions& options,
            ScanListener& listener) {
  EntryFold fold(detector, listener);
  CRAWLSIEVE_RETURN_IF_ERROR(fold.SetParameters(options.judge, SchemeOf(options.processor)));
  CRAWLSIEVE_RETURN_IF_ERROR(ExtractRecords(
      reader, options, listener, [&fold](log::Entry& entry) { return fold.Append(entry); }));
  return fold.Commit();
}

}  // namespace crawlsieve::consumer
