#pragma once

#include "plugin/state/latest_page_key.h"

#include <cstdint>
#include <string>

namespace crawlsieve::testing {

/// One of a hundred keys, by a number of any size: half of them as those of hosts, the others in
/// table hosts as those of sites, some of which are latest pages.
inline std::string KeyOfHosts(std::uint64_t number) {
  const std::uint64_t name = number % 50;
  switch (number % 4) {
    case 0:
      return std::string(1, '\0') + std::to_string(name);
    case 1:
      return LatestPageKey(std::to_string(name / 10), static_cast<std::uint32_t>(name % 10 * 25));
    default:
      return std::to_string(name);
  }
}

}  // namespace crawlsieve::testing
