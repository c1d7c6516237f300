#pragma once

#include "plugin/index/hamming_index.h"

#include <cstddef>
#include <vector>

namespace crawlsieve {

/// Puts `matches` in the order in which an index answers (distance, then sequence, then
/// fingerprint) and keeps the first `limit`.
void KeepNearest(std::vector<Match>& matches, std::size_t limit);

}  // namespace crawlsieve
