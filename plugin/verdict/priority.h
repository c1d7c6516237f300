#pragma once

#include "plugin/verdict/parameters.h"
#include "plugin/verdict/verdict.h"

#include <cstdint>

namespace crawlsieve {

/// What a priority is made of. Counts include the page that is being judged.
struct PriorityEvidence {
  std::uint32_t novelty = 0;  ///< of the reason, ten-thousandths
  std::uint64_t host_pages = 0;
  std::uint64_t host_duplicates = 0;
  std::uint32_t path_depth = 0;
  std::uint64_t refetches = 0;  ///< fetches after the first
  std::uint64_t changes = 0;    ///< of these, with other content than before
};

/// Weighted mean of four components, each 0..1:
///   novelty  how new the content was
///   host     1 - duplicate ratio of the host, (duplicates + 1) / (pages + 4)
///   depth    4 / (4 + path segments)
///   change   (changes + 1) / (refetches + 2)
/// The added constants are the prior of a host or URL of which little is known.
[[nodiscard]] Priority ComputePriority(const PriorityParameters& weights,
                                       const PriorityEvidence& evidence);

/// The next interval: half after a change, half as long again without one, within the bounds.
[[nodiscard]] std::uint64_t NextInterval(const RecrawlIntervals& intervals, std::uint64_t current,
                                         bool changed);

}  // namespace crawlsieve
