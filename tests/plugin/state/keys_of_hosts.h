#pragma once

#include <cstdint>
#include <string>

namespace crawlsieve::testing {

/// The key of a latest page of a host, which shares a row of RocksDB with its others.
inline std::string LatestPageKey(const std::string& host, std::uint64_t number) {
  std::string key("\0\xff", 2);
  key.append(host).push_back('\0');
  key.push_back(static_cast<char>(number));
  return key;
}

/// One of a hundred keys, by a number of any size: half of them as those of hosts, the others in
/// table hosts as those of sites, some of which are latest pages.
inline std::string KeyOfHosts(std::uint64_t number) {
  const std::uint64_t name = number % 50;
  switch (number % 4) {
    case 0:
      return std::string(1, '\0') + std::to_string(name);
    case 1:
      return LatestPageKey(std::to_string(name / 10), name % 10 * 25);
    default:
      return std::to_string(name);
  }
}

}  // namespace crawlsieve::testing
