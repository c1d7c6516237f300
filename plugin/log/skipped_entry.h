#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve {

/// An offset of the admission log that is passed over (`kafka.log.skip`): the record there, if its
/// value has this checksum; or that there is no record, as behind the transaction of another
/// program.
struct SkippedEntry {
  static constexpr std::string_view kHole = "hole";

  std::int64_t offset = 0;
  std::string checksum;  ///< RawChecksum of the value as 32 hexadecimal digits; or kHole

  friend bool operator==(const SkippedEntry&, const SkippedEntry&) = default;
};

}  // namespace crawlsieve
