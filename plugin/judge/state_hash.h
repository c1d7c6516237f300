#pragma once

#include "plugin/base/result.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/state/store.h"

namespace crawlsieve {

/// 128 bits over all that the log makes of a state: every key and value of kFoldedTables, in key
/// order, each record chained to the hash of those before it. Two states that folded the same log
/// up to the same offset have the same hash, whatever batches they wrote it in. Reads the whole
/// store. Errors: kIo, kCorruption.
[[nodiscard]] Result<Checksum> StateHash(const Store& store);

}  // namespace crawlsieve
