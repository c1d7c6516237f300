#pragma once

#include <cstdint>
#include <string>

namespace crawlsieve {

/// A record of the admission log that is passed over (`kafka.log.skip`): the one at `offset`, if
/// its value has this checksum.
struct SkippedEntry {
  std::int64_t offset = 0;
  std::string checksum;  ///< RawChecksum of the value as 32 hexadecimal digits

  friend bool operator==(const SkippedEntry&, const SkippedEntry&) = default;
};

}  // namespace crawlsieve
