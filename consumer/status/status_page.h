#pragma once

#include "consumer/status/status_report.h"

#include <string>

namespace crawlsieve::consumer {

/// The status page: one HTML document without scripts and without anything from elsewhere, which
/// asks for itself again every ten seconds. Texts of pages, records and brokers are text in it,
/// never markup, and no address is a link.
///
/// At most 200 KiB whatever the report holds, as long as its lists have the lengths that TakeUp
/// gives them.
[[nodiscard]] std::string StatusPage(const StatusReport& report);

}  // namespace crawlsieve::consumer
