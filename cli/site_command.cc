#include "consumer/observability/printable.h"
#include "consumer/output/advice/site_record.h"
#include "extract/url/url.h"
#include "plugin/judge/site_report.h"
#include "plugin/judge/state_reader.h"
#include "plugin/site/url_parts.h"

#include <cstdio>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/common.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

/// The site of a host as people write it, or of a URL; nullopt: it is none.
std::optional<std::string> SiteNamed(const std::string& host) {
  const bool is_url = host.find("://") != std::string::npos;
  const extract::CanonicalUrl url = extract::CanonicalizeUrl(is_url ? host : "http://" + host);
  if (url.host.empty()) return std::nullopt;
  return std::string(site::SiteOf(url.url));
}

}  // namespace

int SiteCommand(const SiteArguments& arguments) {
  const std::optional<std::string> name = SiteNamed(arguments.host);
  if (!name.has_value()) {
    return PrintError(
        Error{ErrorCode::kInvalidInput, fmt::format("{} is no host", Printable(arguments.host))});
  }
  const auto state = StateReader::Open(arguments.state);
  if (!state) return PrintError(state.error());
  const auto report = ReportOfSite(*name, (*state)->progress(), **state);
  if (!report) return PrintError(report.error(), kExitFailed);
  if (!report->has_value()) {
    return PrintError(Error{ErrorCode::kInvalidInput,
                            fmt::format("nothing is known of {}: no page of it was judged, up to "
                                        "sequence {} of the log",
                                        Printable(*name), (*state)->progress().sequence)});
  }
  const std::string text =
      arguments.json ? PrintableJson(SiteRecord(**report)) + "\n" : SiteText(**report);
  std::fputs(text.c_str(), stdout);
  return kExitDone;
}

}  // namespace crawlsieve::consumer
