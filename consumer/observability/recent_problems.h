#pragma once

#include "consumer/observability/logging.h"
#include "plugin/base/timestamp.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

inline constexpr std::size_t kMaxProblems = 20;      ///< events that are remembered
inline constexpr std::size_t kMaxProblemText = 400;  ///< bytes

/// Lines of one event in the log of this process, level warn or error.
struct RecentProblem {
  LogLevel level = LogLevel::kWarn;  ///< of the newest line
  std::string event{};
  std::string text{};  ///< fields of the newest line, as text: ASCII, secrets masked, cut if long
  Timestamp first{};
  Timestamp last{};
  std::uint64_t count = 0;
};

/// What Log has written of levels warn and error: for each event the newest line and how many there
/// were, newest first. Only the kMaxProblems newest events are remembered. Thread-safe.
[[nodiscard]] std::vector<RecentProblem> RecentProblems();

}  // namespace crawlsieve::consumer
