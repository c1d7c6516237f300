#include "plugin/judge/site_report.h"

#include "plugin/judge/page.h"
#include "plugin/judge/page_site.h"
#include "plugin/judge/rows.h"
#include "plugin/schedule/change_rate.h"
#include "plugin/schedule/host_schedule.h"
#include "plugin/schedule/pattern_set.h"

#include <utility>

namespace crawlsieve {
namespace {

/// Adds what is kept of a host, if anything is.
Status AddHost(const std::string& host, const FoldProgress& progress, RowReader& rows,
               std::vector<HostReport>& reports) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, HostRow::Read(rows, host));
  if (!row.has_value()) return {};
  HostReport& report = reports.emplace_back();
  report.host = host;
  report.pages = row->record.pages();
  report.duplicates = row->record.duplicates();
  if (!row->record.schedule().empty()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto schedule,
                                schedule::HostSchedule::Decode(row->record.schedule()));
    if (schedule.has_visits()) {
      const schedule::RateSteps steps =
          progress.crawl.RateStepsOf(schedule::UrlSchedule(), schedule, schedule::PatternSet(), {});
      report.mean_change = schedule::MeanOfRate(steps.host);
    }
    report.paused_until = schedule.paused_until();
    report.sinks = schedule.sinks();
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(report.mirrors, MirrorsOf(host, row->record, rows));
  return {};
}

}  // namespace

Result<std::optional<SiteReport>> ReportOfSite(std::string_view name, const FoldProgress& progress,
                                               RowReader& rows) {
  SiteReport report;
  report.name = name;
  report.sequence = progress.sequence;
  report.average = progress.sites.Expect({});
  const std::uint64_t max_sites = progress.parameters ? progress.parameters->sites.max : 0;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto state, ReadSite(name, max_sites, rows));
  if (state.has_value()) report.site = std::move(state->site);
  const std::string host(HostOfUrl("http://" + report.name));
  std::vector<std::string> hosts{host, "www." + host};
  if (host != report.name) hosts.push_back(report.name);  // what was learned under the port
  for (const std::string& of_site : hosts) {
    CRAWLSIEVE_RETURN_IF_ERROR(AddHost(of_site, progress, rows, report.hosts));
  }
  if (!report.site.has_value() && report.hosts.empty()) return std::optional<SiteReport>();
  return std::optional(std::move(report));
}

}  // namespace crawlsieve
