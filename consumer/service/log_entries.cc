#include "consumer/service/log_entries.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>

#include <fmt/format.h>

namespace crawlsieve::consumer {

bool ParseEntry(std::string_view value, log::Entry& entry) {
  if (entry.ParseFromArray(value.data(), static_cast<int>(value.size())) &&
      entry.body_case() != log::Entry::BODY_NOT_SET) {
    return true;
  }
  entry.Clear();
  return false;
}

bool IsSkippedEntry(const KafkaOptions& options, std::int64_t offset, std::string_view value) {
  return std::ranges::any_of(options.log_skip, [&](const SkippedEntry& skipped) {
    return skipped.offset == offset && skipped.checksum == Hex(RawChecksum(value));
  });
}

std::string HowToSkip(const std::string& log_topic, std::int64_t offset, std::string_view value) {
  return fmt::format(
      " (log {}, offset {}). If something else wrote it, keep that from writing to the topic, and "
      "add \"{}:{}\" to kafka.log.skip of all processes: docs/reliability.md, \"When the judge "
      "refuses an entry\"",
      log_topic, offset, offset, Hex(RawChecksum(value)));
}

}  // namespace crawlsieve::consumer
