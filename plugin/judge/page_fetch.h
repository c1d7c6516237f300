#pragma once

#include "plugin/log/entry.pb.h"
#include "plugin/schedule/crawl_schedule.h"
#include "plugin/verdict/parameters.h"

namespace crawlsieve {

/// The schedule's options, by the parameters of the log. What isn't a parameter is part of the fold
/// version.
[[nodiscard]] schedule::ScheduleOptions ScheduleOptionsOf(const JudgeParameters& parameters);

/// The HTTP status of the fetch. Of entries without the field: 200, or the number in `detail` of a
/// failed fetch; 0 where there is none.
[[nodiscard]] int StatusOf(const log::Page& page);

/// The fetch as a schedule takes it: its time within a day of its record's, its class, and
/// Retry-After. Whether the content changed is left open. A redirect to the page's own URL is a
/// temporary failure. Not for tombstones.
[[nodiscard]] schedule::Fetch FetchOf(const log::Page& page);

/// Whether redirects of the page's host may say something about the target: it is on the same host
/// or registered domain. A stranger's redirect must not: anybody can make one.
[[nodiscard]] bool IsOwnTarget(const log::Page& page);

}  // namespace crawlsieve
