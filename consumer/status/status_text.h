#pragma once

#include "consumer/status/status_report.h"

#include <cstddef>
#include <span>
#include <string>

namespace crawlsieve::consumer {

/// How text for a terminal is laid out.
struct TextLayout {
  std::size_t width = 0;   ///< columns; longer lines are cut; 0: none is
  std::size_t height = 0;  ///< lines; more are left out; 0: none is
  bool has_bars = false;   ///< with block characters of Unicode; else ASCII only, but for addresses
};

/// What the status page shows, as lines of text. Nothing in it can act on a terminal.
[[nodiscard]] std::string StatusText(const StatusReport& report, const TextLayout& layout);

/// Several processes, a line each, and below them what else there is to say of them: why one isn't
/// ready, and `failures`. Columns that don't fit the width are left out, the least important first.
/// Nothing in it can act on a terminal.
[[nodiscard]] std::string StatusTable(std::span<const StatusReport> reports,
                                      std::span<const std::string> failures,
                                      const TextLayout& layout);

}  // namespace crawlsieve::consumer
