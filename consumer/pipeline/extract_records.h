#pragma once

#include "consumer/claims/body_fetcher.h"
#include "consumer/input/file_reader.h"
#include "consumer/pipeline/page_processor.h"
#include "plugin/base/result.h"
#include "plugin/log/entry.pb.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace crawlsieve::consumer {

/// How records become entries.
struct RecordOptions {
  ProcessorOptions processor;
  std::size_t threads = 1;
  std::size_t max_in_flight_bytes = 64 << 20;
  std::size_t max_in_flight_records = 10'000;
  std::size_t repeat_cache_bytes = 0;  ///< see RepeatCache
  /// Fetches bodies that lie elsewhere, on as many threads as `threads`; nullptr: none are fetched.
  BodyFetcher* bodies = nullptr;
  /// How long a body is waited for whose store is down, or whose file still grows.
  std::chrono::milliseconds patience{60'000};
};

/// What is told of records besides their entries; all calls come on the calling thread.
class RecordListener {
 public:
  virtual ~RecordListener() = default;
  /// A record had no URL to judge it under. `origin` says where it lies. Its entry follows.
  virtual Status OnDeadLetter(const std::string& origin, const DecodeFailure& failure) = 0;
  /// With FormatKind::kAuto: the first record of this format was met.
  virtual void OnFormat(FormatKind /*format*/, const std::string& /*origin*/) {}
};

/// Makes one entry of each record of `reader`, and hands them to `take` in the order of the
/// records. An entry doesn't say yet where in the input its record lies: EntryFold does.
///
/// Errors: those of the reader, of the listener and of `take`, and kIo for a body that could not be
/// had within `RecordOptions::patience`.
[[nodiscard]] Status ExtractRecords(FileReader& reader, const RecordOptions& options,
                                    RecordListener& listener,
                                    const std::function<Status(log::Entry& entry)>& take);

}  // namespace crawlsieve::consumer
