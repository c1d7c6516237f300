#include "plugin/judge/fold_progress.h"

#include "plugin/judge/fold_version.h"
#include "plugin/judge/page_fetch.h"
#include "plugin/judge/parameters_entry.h"
#include "plugin/judge/rows.h"

#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

/// Versions that know no schedules read format 3, those without the row of all sites format 4,
/// those without latest pages of hosts format 5, those without rows of these format 6, those with
/// at most 16 of them format 7, and those with at most 32 format 8. They must not go on with a
/// state that has some, nor by parameters that ask for rules that they don't have.
constexpr std::uint32_t kOldestStateFormat = 3;
constexpr std::uint32_t kStateFormat = 9;

}  // namespace

std::uint32_t StateFormatOf(std::uint32_t fold_version) {
  if (fold_version < kFoldVersionOfSchedules) return kOldestStateFormat;
  if (fold_version < kFoldVersionOfSitesRow) return 4;
  if (fold_version < kFoldVersionOfSites) return 5;
  if (fold_version < kFoldVersionOfLatestParts) return 6;
  if (fold_version < kFoldVersionOfLatestRows) return 7;
  return fold_version < kFoldVersionOfMoreLatestPages ? 8 : kStateFormat;
}

Result<StoredProgress> ReadProgress(RowReader& rows) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto position, PositionRow::Read(rows));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto parameters, ParametersRow::Read(rows));

  StoredProgress stored;
  FoldProgress& progress = stored.progress;
  if (position.has_value()) {
    const state::Position& record = position->record;
    if (record.format() < kOldestStateFormat || record.format() > kStateFormat) {
      return MakeError(ErrorCode::kMismatch,
                       fmt::format("state format {}; this version reads formats {} to {}: use the "
                                   "version that wrote it, or an empty state directory",
                                   record.format(), kOldestStateFormat, kStateFormat));
    }
    stored.position = {record.log_offset(), record.entry_checksum()};
    progress.sequence = record.sequence();
  }
  if (parameters.has_value()) {
    log::Parameters& record = parameters->record;
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto read, ParametersOf(record));
    stored.scheme = std::move(*record.mutable_scheme());
    progress.parameters = std::move(read);
    progress.fold_version = record.fold_version();
    progress.crawl.SetOptions(ScheduleOptionsOf(*progress.parameters));
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto crawl, ScheduleRow::Read(rows, progress.crawl.options()));
    if (crawl.has_value()) progress.crawl = *crawl;
    if (progress.fold_version >= kFoldVersionOfSites) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto sites, SitesRow::Read(rows));
      progress.sites = sites.value_or(site::FetchCounts());
    }
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto removal, RemovalRow::Read(rows));
    if (removal.has_value()) progress.removal = RemovalProgress::Of(*removal);
  }
  return stored;
}

}  // namespace crawlsieve
