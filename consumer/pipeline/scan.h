#pragma once

#include "consumer/claims/body_fetcher.h"
#include "consumer/input/file_reader.h"
#include "consumer/pipeline/page_processor.h"
#include "plugin/base/result.h"
#include "plugin/judge/detector.h"
#include "plugin/score/url_score.h"
#include "plugin/verdict/parameters.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace crawlsieve::consumer {

struct ScanOptions {
  ProcessorOptions processor;
  JudgeParameters judge;
  std::size_t threads = 1;
  std::size_t max_in_flight_bytes = 64 << 20;
  std::size_t max_in_flight_records = 10'000;
  std::size_t repeat_cache_bytes = 0;  ///< see RepeatCache
  /// Fetches bodies that lie elsewhere, on as many threads as `threads`; nullptr: none are fetched.
  BodyFetcher* bodies = nullptr;
  /// How long a body is waited for whose store is down, or whose file still grows.
  std::chrono::milliseconds patience{60'000};
};

/// What a scan tells while it runs; all calls come on the scanning thread.
class ScanListener {
 public:
  virtual ~ScanListener() = default;
  /// A page was judged. Verdicts come in the order of the input.
  virtual Status OnVerdict(const log::Page& page, const Verdict& verdict) = 0;
  /// Whether it takes scores. They are made only if it does.
  [[nodiscard]] virtual bool takes_scores() const { return false; }
  /// The scores that came with the verdict before.
  virtual Status OnScores(std::span<const UrlScore> /*scores*/) { return {}; }
  /// A record had no URL to judge it under. `origin` says where it lies.
  virtual Status OnDeadLetter(const std::string& origin, const DecodeFailure& failure) = 0;
  /// With FormatKind::kAuto: the first record of this format was met.
  virtual void OnFormat(FormatKind /*format*/, const std::string& /*origin*/) {}
  /// What was reported is about to be committed to the state: make it durable first.
  virtual Status OnCommit() = 0;
};

/// Judges the pages of `reader` without a broker: the stages, the fold and the state are those of
/// the service, and the admission log passes through memory.
///
/// Source offsets count on from what `detector` folded before. Errors: those of the reader, the
/// detector and the listener, and kIo for a body that could not be had within
/// `ScanOptions::patience`; what was committed before stays.
[[nodiscard]] Status Scan(FileReader& reader, Detector& detector, const ScanOptions& options,
                          ScanListener& listener);

}  // namespace crawlsieve::consumer
