#pragma once

#include "consumer/kafka/producer.h"
#include "consumer/service/options.h"
#include "plugin/base/broker_error.h"
#include "plugin/base/result.h"

#include <memory>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// The judges' group of a deployment, and the transactional id of whichever judges.
[[nodiscard]] std::string JudgeIdentity(const KafkaOptions& kafka);

/// Client ids of the deployment's judges that run, and for some seconds of those that were killed.
/// Errors: kIo.
[[nodiscard]] Result<std::vector<std::string>> JudgesRunning(const KafkaOptions& kafka);

/// A producer in the place of the deployment's judge: one that still runs can't commit any more,
/// and what it had not committed is undone. Until a judge takes its id back. Errors: kIo.
[[nodiscard]] Result<std::unique_ptr<Producer>> TakeOver(const KafkaOptions& kafka);

/// The error of a call of that producer, for a person: kBusy where a judge took its id back.
[[nodiscard]] tl::unexpected<Error> TakeOverError(const KafkaOptions& kafka,
                                                  const BrokerError& error);

}  // namespace crawlsieve::consumer
