#pragma once

#include "consumer/pipeline/page_processor.h"
#include "consumer/service/brokers/sessions.h"
#include "consumer/service/options.h"

namespace crawlsieve::consumer {

/// `configured` with the key and the version of fingerprints of this deployment:
///
///     the log was begun under ...               key                        version
///     version 1, with the configured key        the configured one         1, with a warning
///     anything else, and a key is configured    the configured one         2
///     anything else, and the key topic has one  the key topic's            2
///     nothing: it is empty                      drawn by the judge, and    2
///                                               kept in the key topic
///     version 2, and there is no key            refused: a new one would make fingerprints that
///                                               can't be compared with those that are there
///
/// ParserKind::kAuto becomes the parser that the log was begun with; a new log takes kFast.
///
/// A process that isn't a judge waits (may_pass) until a judge has drawn the key. Opening the log
/// and the state checks that their scheme is the one that follows from this.
/// Errors: as ReadKey, and final where the key is missing.
[[nodiscard]] BrokerResult<ProcessorOptions> FindOwnScheme(const KafkaOptions& kafka,
                                                           const ProcessorOptions& configured,
                                                           bool is_judge);

}  // namespace crawlsieve::consumer
