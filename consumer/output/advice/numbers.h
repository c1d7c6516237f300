#pragma once

#include "plugin/base/timestamp.h"
#include "plugin/schedule/url_schedule.h"
#include "plugin/site/pattern_counts.h"
#include "plugin/site/share.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace crawlsieve::consumer {

/// A share, to four places.
[[nodiscard]] inline double Decimal(site::Share share) {
  const std::uint64_t ten_thousandths =
      (std::uint64_t{share} * 10'000 + site::kWhole / 2) / site::kWhole;
  return static_cast<double>(ten_thousandths) / 10'000;
}

/// Of FetchCounts: whole fetches and sixteenths.
[[nodiscard]] inline double Fetches(std::uint32_t count) {
  return static_cast<double>(count) / site::FetchCounts::kFetch;
}

[[nodiscard]] inline Timestamp TimeOf(schedule::Seconds seconds) {
  return Timestamp{std::chrono::seconds(static_cast<std::int64_t>(seconds))};
}

[[nodiscard]] inline std::string DateOf(schedule::Seconds seconds) {
  return FormatRfc3339(TimeOf(seconds));
}

}  // namespace crawlsieve::consumer
