#pragma once

#include <string>
#include <vector>

namespace crawlsieve::extract {

/// Which text says nothing about what a page is, as it differs from fetch to fetch. Part of the
/// scheme.
struct VolatileOptions {
  /// Dates, times, relative times, counters, session ids, copyright years, times of generation.
  bool enabled = true;
  /// Prices and amounts of money too.
  bool prices = false;
  /// Further regular expressions (RE2), tried on all text that counts; letter case matters.
  std::vector<std::string> patterns = {};
};

}  // namespace crawlsieve::extract
