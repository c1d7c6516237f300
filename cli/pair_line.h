#pragma once

#include "plugin/index/batch/near_pairs.h"

#include <string>

namespace crawlsieve::consumer {

/// A near pair as a JSON object, without a line end. Ends without a document have no sequence.
[[nodiscard]] std::string PairLine(const NearPair& pair);

}  // namespace crawlsieve::consumer
