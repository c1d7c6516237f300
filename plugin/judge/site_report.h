#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/page_mirrors.h"
#include "plugin/judge/view.h"
#include "plugin/schedule/url_schedule.h"
#include "plugin/site/share.h"
#include "plugin/site/site.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// What is kept of one host of a site.
struct HostReport {
  std::string host;
  std::uint64_t pages = 0;       ///< first judgements of a content on a URL
  std::uint64_t duplicates = 0;  ///< of these, duplicates
  /// Mean time between two changes of a page; nullopt: no page was fetched twice.
  std::optional<schedule::Seconds> mean_change;
  schedule::Seconds paused_until = 0;  ///< it failed too often; 0: it doesn't pause
  std::size_t sinks = 0;               ///< targets of redirects that stand for missing pages
  std::vector<MirrorReport> mirrors;
};

/// What was learned of a site.
struct SiteReport {
  std::string name;                ///< host with its port, without "www."
  std::uint64_t sequence = 0;      ///< of the last entry that counted
  site::Expected average;          ///< of a fetch of the crawl
  std::optional<site::Site> site;  ///< nullopt: nothing was learned of its URLs
  std::vector<HostReport> hosts;   ///< those that anything is known of
};

/// What others should hear of a site.
struct SiteNews {
  std::string name;                  ///< as SiteReport's
  std::optional<SiteReport> report;  ///< nullopt: the judge has forgotten the site
};

/// nullopt: nothing at all is known of the site. Errors: kIo, kCorruption.
[[nodiscard]] Result<std::optional<SiteReport>> ReportOfSite(std::string_view name,
                                                             const FoldProgress& progress,
                                                             RowReader& rows);

}  // namespace crawlsieve
