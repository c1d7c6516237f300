#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/selection.h"
#include "plugin/judge/state_reader.h"

#include <cstdint>

namespace crawlsieve {

/// What a purge would take out of a state.
struct PurgeCounts {
  std::uint64_t urls = 0;      ///< histories
  std::uint64_t pages = 0;     ///< of these, with a kept version
  std::uint64_t of_state = 0;  ///< URLs that were looked at
  std::uint64_t unnamed = 0;   ///< of a crawl: looked at, and no crawl is known of them
  std::uint64_t sequence = 0;  ///< of the state's last entry
};

/// Counts what a selection covers, rows of purges under way apart. Changes nothing. Errors: kIo,
/// kCorruption.
[[nodiscard]] Result<PurgeCounts> CountCovered(StateReader& state, const Selection& selection);

}  // namespace crawlsieve
