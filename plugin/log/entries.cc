#include "plugin/log/entries.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>

#include <fmt/format.h>

namespace crawlsieve {

bool ParseEntry(std::string_view value, log::Entry& entry) {
  if (entry.ParseFromArray(value.data(), static_cast<int>(value.size())) &&
      entry.body_case() != log::Entry::BODY_NOT_SET) {
    return true;
  }
  entry.Clear();
  return false;
}

const std::string& SchemeOfEntry(const log::Entry& entry) {
  if (entry.has_parameters()) return entry.parameters().scheme();
  return entry.has_question() ? entry.question().scheme() : entry.page().scheme();
}

const log::Source& SourceOfEntry(const log::Entry& entry) {
  return entry.has_question() ? entry.question().source() : entry.page().source();
}

bool IsClosing(const log::Entry& entry) {
  return entry.has_parameters() && entry.parameters().has_closing();
}

bool IsSkippedEntry(std::span<const SkippedEntry> skipped, std::int64_t offset,
                    std::string_view value) {
  return std::ranges::any_of(skipped, [&](const SkippedEntry& one) {
    return one.offset == offset && one.checksum == Hex(RawChecksum(value));
  });
}

bool IsKnownHole(std::span<const SkippedEntry> skipped, std::int64_t offset) {
  return std::ranges::any_of(skipped, [&](const SkippedEntry& one) {
    return one.offset == offset && one.checksum == SkippedEntry::kHole;
  });
}

std::string HowToSkip(std::string_view log_topic, std::int64_t offset, std::string_view value) {
  return fmt::format(
      " (log {}, offset {}). If something else wrote it, keep that from writing to the topic, and "
      "add \"{}:{}\" to kafka.log.skip of all processes: docs/reliability.md, \"When the judge "
      "refuses an entry\"",
      log_topic, offset, offset, Hex(RawChecksum(value)));
}

}  // namespace crawlsieve
