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

/// Whether a copy can be made once the log is closed, as far as topics and their settings tell.
/// Errors: kInvalidConfig, kMismatch, for a person; kIo.
[[nodiscard]] Status CheckOutputCopy(const KafkaOptions& before, const KafkaOptions& after);

/// Brings what only the shadow judged to the readers of the old deployment: copies the verdicts of
/// records behind `closing`, with their kept pages and scores where the old deployment has such
/// topics, from the topics of `after` to those of `before`. Renderings of scores are made of these.
///
/// Operation: takes the transactional id of the shadow's judge. A page is copied in one
/// transaction, pages in the order in which they were judged. A page whose verdict readers have,
/// behind where the old deployment ended, isn't copied again; so after any crash the next call does
/// the rest. Memory: 50 bytes for each verdict that came to `before` after it was closed, and 128
/// MiB. Errors: kBusy, where the shadow's judge runs; kMismatch, where verdicts that came since the
/// log was closed are gone; kInvalidInput, where the shadow's topics hold what was judged by more
/// than one log; kIo.
[[nodiscard]] Result<OutputCopy> CopyOutput(const KafkaOptions& before, const KafkaOptions& after,
                                            const log::Closing& closing,
                                            const TopicProgress& progress);

}  // namespace crawlsieve::consumer
