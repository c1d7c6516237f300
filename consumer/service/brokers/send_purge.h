#pragma once

#include "consumer/service/options.h"
#include "plugin/base/result.h"
#include "plugin/log/entry.pb.h"

namespace crawlsieve::consumer {

/// Puts a purge at the end of the admission log and waits until it is there. Sent again with the
/// same id, it does nothing a second time. Errors: kMismatch (there is no log that judging
/// parameters begin), kIo: it may be there all the same.
[[nodiscard]] Status SendPurge(const KafkaOptions& kafka, const log::Purge& purge);

}  // namespace crawlsieve::consumer
