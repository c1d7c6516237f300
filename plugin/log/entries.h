#pragma once

#include "plugin/log/entry.pb.h"
#include "plugin/log/skipped_entry.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace crawlsieve {

/// Reads the value of a record of the admission log. False: it isn't an entry of crawlsieve, and
/// `entry` is empty.
[[nodiscard]] bool ParseEntry(std::string_view value, log::Entry& entry);

/// The scheme of the fingerprints that an entry belongs to.
[[nodiscard]] const std::string& SchemeOfEntry(const log::Entry& entry);

/// The record that an entry came of; an empty one for parameters.
[[nodiscard]] const log::Source& SourceOfEntry(const log::Entry& entry);

/// Whether the entry ends its log (log::Closing).
[[nodiscard]] bool IsClosing(const log::Entry& entry);

/// Whether `skipped` names the record at `offset`, and it has the checksum given there.
[[nodiscard]] bool IsSkippedEntry(std::span<const SkippedEntry> skipped, std::int64_t offset,
                                  std::string_view value);

/// Whether `skipped` names `offset` as one without a record.
[[nodiscard]] bool IsKnownHole(std::span<const SkippedEntry> skipped, std::int64_t offset);

/// What the message about an entry that can't be folded ends with: which it is, and what to do.
[[nodiscard]] std::string HowToSkip(std::string_view log_topic, std::int64_t offset,
                                    std::string_view value);

}  // namespace crawlsieve
