#pragma once

#include "consumer/service/options.h"
#include "plugin/base/broker_error.h"
#include "plugin/log/entry.pb.h"

#include <cstdint>
#include <string>

namespace crawlsieve::consumer {

/// Puts an entry at the end of the admission log, waits until it is there, and returns its offset.
/// `stage`: whose client it is, for messages. After an error that may pass it may be there all the
/// same.
[[nodiscard]] BrokerResult<std::int64_t> AppendToLog(const KafkaOptions& options,
                                                     const log::Entry& entry, std::string stage);

}  // namespace crawlsieve::consumer
