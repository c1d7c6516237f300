#pragma once

#include "plugin/state/latest_page_key.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve::testing {

/// One of five hosts that have latest pages, by a number of any size.
inline std::string HostOfLatestPages(std::uint64_t number) {
  return std::to_string(number % 50 / 10);
}

/// One of a hundred keys, by a number of any size: half of them as those of hosts, the others in
/// table hosts as those of sites, some of which are latest pages.
inline std::string KeyOfHosts(std::uint64_t number) {
  const std::uint64_t name = number % 50;
  switch (number % 4) {
    case 0:
      return std::string(1, '\0') + std::to_string(name);
    case 1:
      return LatestPageKey(HostOfLatestPages(name), static_cast<std::uint32_t>(name % 10 * 7));
    default:
      return std::to_string(name);
  }
}

/// Takes the latest pages of a host out of table hosts. `rows`: a map by key.
inline void EraseLatestPages(std::string_view host, auto& rows) {
  const KeysOfGroup keys(GroupOfHost(host));
  for (const std::string_view key : keys.all()) rows.erase(std::string(key));
}

}  // namespace crawlsieve::testing
