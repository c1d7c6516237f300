#pragma once

#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"
#include "plugin/judge/decision.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/known_sites.h"
#include "plugin/judge/stored_schedules.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/score/url_score.h"
#include "plugin/verdict/parameters.h"

#include <cstdint>
#include <optional>
#include <string>

namespace crawlsieve {

/// A URL whose score somebody asks for.
struct AskedUrl {
  std::string url;                     ///< canonical
  std::string host;                    ///< as UrlScore's
  std::string registered_domain;       ///< of `host`; empty where there is none
  std::uint32_t path_depth = 0;        ///< stands for `depth` where that isn't known
  std::optional<std::uint32_t> depth;  ///< links from the start of the crawl
  std::string parent_url;
  std::string crawl_id;  ///< says whose URL it is, where crawls have URLs of their own
  Timestamp as_of;       ///< not before 1970
};

/// As a log entry has it. The time is held to a day around that of the record, as fetch times are.
[[nodiscard]] AskedUrl AskedUrlOf(const log::Question& question);

/// Scores URLs by what rows say, fetched or not. Reads and changes nothing else, so answers may be
/// asked for or not. Thread-compatible. Borrows everything.
class UrlScorer {
 public:
  UrlScorer(const FoldProgress& progress, KnownSites& sites, RowReader& rows)
      : progress_(progress), sites_(sites), rows_(rows), schedules_(progress, rows) {}

  /// One record for the URL, as of `asked.as_of`. Its sequence is that of the last entry that had a
  /// verdict or could have had one. Errors: kIo, kCorruption.
  [[nodiscard]] Result<UrlScore> ScoreOf(const AskedUrl& asked);

 private:
  [[nodiscard]] Result<UrlScore> ScoreOfFetched(const AskedUrl& asked, const UrlRow& row);
  [[nodiscard]] Result<UrlScore> ScoreOfUnfetched(const AskedUrl& asked);

  const FoldProgress& progress_;
  KnownSites& sites_;
  RowReader& rows_;
  StoredSchedules schedules_;
};

/// Names rows that an answer takes, whatever the state holds.
void NameRowsOfQuestion(const log::Question& question, const JudgeParameters& parameters,
                        const RowNamer& name);

}  // namespace crawlsieve
