#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/removal.h"
#include "plugin/judge/view.h"
#include "plugin/schedule/crawl_schedule.h"
#include "plugin/site/pattern_counts.h"
#include "plugin/verdict/parameters.h"

#include <cstdint>
#include <optional>
#include <string>

namespace crawlsieve {

/// A place in the admission log, and the bytes that lie there.
struct LogPosition {
  std::int64_t offset = -1;    ///< of an entry; -1: before the first
  std::string entry_checksum;  ///< RawChecksum of the entry's bytes, 16 of them
};

/// How far a fold has come, and what it keeps of the crawl as a whole. Value type.
struct FoldProgress {
  std::uint64_t sequence = 0;
  std::optional<JudgeParameters> parameters;  ///< nullopt: none so far
  std::uint32_t fold_version = 0;
  schedule::CrawlSchedule crawl{schedule::ScheduleOptions()};
  site::FetchCounts sites;  ///< what first fetches brought
  RemovalProgress removal;
};

/// The progress that a state was stored with.
struct StoredProgress {
  LogPosition position;
  std::string scheme;  ///< of the entries; empty before the first parameters
  FoldProgress progress;
};

/// Errors: kMismatch (a state of another format), kInvalidInput (judging parameters that this
/// version doesn't know), kCorruption, kIo.
[[nodiscard]] Result<StoredProgress> ReadProgress(RowReader& rows);

/// The format of a state that was folded by these rules.
[[nodiscard]] std::uint32_t StateFormatOf(std::uint32_t fold_version);

}  // namespace crawlsieve
