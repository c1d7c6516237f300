#pragma once

#include <chrono>
#include <cstddef>

namespace crawlsieve::extract {

/// What one page may cost. A page over a limit is `not_evaluated` (and kept), with the limit's
/// code as detail. Limits that count come before clocks: the same page then always ends the same.
struct Limits {
  std::size_t max_body_bytes = 8 << 20;      ///< decoded body; code `body_too_large`
  std::size_t max_parse_memory = 256 << 20;  ///< bytes of the parser's arena; code `parse_memory`
  std::size_t max_parse_allocations = 8 << 20;  ///< nodes and strings; code `parse_nodes`
  std::size_t max_tokens = 1 << 20;             ///< words of a page; code `too_many_tokens`
  std::size_t max_links = 2000;                 ///< of a page; those behind are passed over
  /// Backstop against quadratic parses: CPU time of the parse, `parse_time_base` plus this for
  /// every MiB of page; code `parse_time`.
  std::chrono::milliseconds parse_time_base{250};
  std::chrono::milliseconds parse_time_per_mib{500};
};

/// What of extraction has changed without an option for it. Part of the scheme: logs that were
/// begun with an earlier one go on with it.
enum class Revision {
  k3 = 3,  ///< behind the first 1,024 bytes of a page "</scripts>" ends a <script>
  k4 = 4,  ///< declarations of the encoding are found where a parser sees tags
};

}  // namespace crawlsieve::extract
