#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/view.h"
#include "plugin/schedule/crawl_schedule.h"
#include "plugin/verdict/score.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve {

/// The schedule of a URL as rows have it, with all that bears on it.
struct StoredSchedule {
  schedule::UrlSchedule url;
  const schedule::HostSchedule& host;
  const schedule::PatternSet& patterns;  ///< those that `pattern` would be among
  std::string pattern;
  schedule::IntervalBounds bounds;
};

/// When a URL of the state is due, and how much, by what the state knows at its end. So the date
/// may be another than that of the URL's last verdict.
struct StoredScore {
  schedule::Seconds next_fetch = 0;
  Score score;  ///< at least 0.5 from next_fetch on, and below it before
  /// That the content has changed since the last visit; nullopt where there is no change rate.
  std::optional<Score> chance_of_change;
};

/// Reads schedules out of rows, fastest in the order of the URLs. Thread-compatible. Borrows both.
class StoredSchedules {
 public:
  StoredSchedules(const FoldProgress& progress, RowReader& rows)
      : progress_(progress), rows_(rows) {}

  /// nullopt: the URL has no schedule, because it was last fetched under fold version 5 or before.
  /// Valid until the next call. Errors: kIo, kCorruption.
  [[nodiscard]] Result<std::optional<StoredSchedule>> Read(const UrlRow& row);

  [[nodiscard]] StoredScore ScoreAt(const StoredSchedule& schedule, schedule::Seconds now) const;

 private:
  struct Host {
    std::string name;
    schedule::HostSchedule schedule;
    std::map<std::string, schedule::PatternSet> patterns;  // by key of the row; 64 at most
  };
  [[nodiscard]] Status ReadHost(std::string_view name);
  [[nodiscard]] Result<const schedule::PatternSet*> ReadPatterns(std::string_view pattern);

  const FoldProgress& progress_;
  RowReader& rows_;
  std::optional<Host> host_;  // of the latest URL
};

/// Why a URL has the date that it has: "failed" where the last fetch did, else what it is: "live",
/// "missing", "gone" or "moved". Valid for good.
[[nodiscard]] std::string_view ReasonOf(const schedule::UrlSchedule& schedule);

}  // namespace crawlsieve
