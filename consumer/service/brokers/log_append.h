#pragma once

#include "consumer/service/options.h"
#include "plugin/base/broker_error.h"
#include "plugin/log/entry.pb.h"

#include <string>

namespace crawlsieve::consumer {

/// Puts an entry at the end of the admission log and waits until it is there. `stage`: whose client
/// it is, for messages. After an error that may pass it may be there all the same.
[[nodiscard]] BrokerStatus AppendToLog(const KafkaOptions& options, const log::Entry& entry,
                                       std::string stage);

}  // namespace crawlsieve::consumer
