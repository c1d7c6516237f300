#pragma once

#include "consumer/migration/log_closing.h"
#include "consumer/migration/page_copy.h"
#include "consumer/service/options.h"
#include "plugin/base/result.h"
#include "plugin/log/entry.pb.h"

#include <cstdint>

namespace crawlsieve::consumer {

/// What was brought over from the topics of the shadow.
struct OutputCopy {
  CopiedRecords copied{};
  std::uint64_t judged_before = 0;  ///< the shadow's verdicts of records that the old log judged
  std::uint64_t there_already = 0;  ///< of records that readers had a verdict of: an earlier copy
  std::uint64_t unreadable = 0;     ///< records of the shadow's topic of verdicts that are none
};

/// Brings what only the shadow judged to the readers of the old deployment: copies the verdicts of
/// records behind `closing`, with their kept pages and scores where both deployments have such a
/// topic, from the topics of `after` to those of `before`.
///
/// Operation: takes the transactional id of the shadow's judge. A page is copied in one
/// transaction, pages in the order in which they were judged. A page whose verdict readers have,
/// behind where the old deployment ended, isn't copied again; so after any crash the next call does
/// the rest. Memory: the sources of verdicts that came to `before` after it was closed, and 4 MiB a
/// partition. Errors: kBusy, where the shadow's judge runs; kIo.
[[nodiscard]] Result<OutputCopy> CopyOutput(const KafkaOptions& before, const KafkaOptions& after,
                                            const log::Closing& closing,
                                            const TopicProgress& progress);

}  // namespace crawlsieve::consumer
