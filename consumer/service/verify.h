#pragma once

#include "consumer/service/options.h"
#include "plugin/base/result.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/judge/detector.h"
#include "plugin/state/store.h"

#include <cstdint>
#include <functional>
#include <string>

namespace crawlsieve::consumer {

/// A state beside the one that its log makes.
struct StateComparison {
  std::int64_t offset = -1;  ///< of the last entry folded; -1: none
  Checksum state;
  Checksum refold;

  [[nodiscard]] bool equal() const { return state == refold; }
};

/// Folds the admission log again, up to the entry that `state` covers, into `scratch`, which is
/// empty or a state of before, and compares. `progress` is told how many entries are folded and how
/// many are to be, from time to time. Reads the log by itself, so no group notices. Errors:
/// kMismatch (the state is of another scheme or format), kIo (no broker, or the log ends before),
/// kCorruption, kInvalidInput (not a log of ours).
[[nodiscard]] Result<StateComparison> CompareWithRefold(
    const KafkaOptions& kafka, Store& state, Store& scratch, const IndexFactory& make_index,
    const std::string& scheme,
    const std::function<void(std::int64_t folded, std::int64_t entries)>& progress);

}  // namespace crawlsieve::consumer
