#pragma once

#include "consumer/options.h"
#include "plugin/log/entry.pb.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Reads the value of a record of the admission log. False: it isn't an entry of crawlsieve, and
/// `entry` is empty.
[[nodiscard]] bool ParseEntry(std::string_view value, log::Entry& entry);

/// Whether `kafka.log.skip` names the record at `offset`, and it has the checksum given there.
[[nodiscard]] bool IsSkippedEntry(const KafkaOptions& options, std::int64_t offset,
                                  std::string_view value);

/// What the message about an entry that can't be folded ends with: which it is, and what to do.
[[nodiscard]] std::string HowToSkip(const std::string& log_topic, std::int64_t offset,
                                    std::string_view value);

}  // namespace crawlsieve::consumer
