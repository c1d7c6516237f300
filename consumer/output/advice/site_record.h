#pragma once

#include "plugin/judge/site_report.h"

#include <string>

namespace crawlsieve::consumer {

/// What was learned of a site, as the JSON object of docs/schemas/site.schema.json, without a line
/// end. Bytes that are not UTF-8 come out as U+FFFD. A function of the report alone.
[[nodiscard]] std::string SiteRecord(const SiteReport& report);

/// The same for people: lines, with text of pages escaped.
[[nodiscard]] std::string SiteText(const SiteReport& report);

}  // namespace crawlsieve::consumer
