#pragma once

#include "plugin/base/result.h"
#include "plugin/index/flat_index.h"
#include "plugin/index/hamming_index.h"

#include <memory>

namespace crawlsieve::testing {

/// What Detector::Open wants of an index, for few pages.
inline Result<std::unique_ptr<HammingIndex>> MakeFlatIndex(int /*max_distance*/) {
  return std::make_unique<FlatIndex>();
}

}  // namespace crawlsieve::testing
