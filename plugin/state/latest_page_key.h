#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// The keys of rows of table hosts that are pages a site didn't learn from yet, by which the state
// knows them: a zero byte, a byte of 255, the name of a host, a zero byte and a number
// (docs/state.md).
namespace crawlsieve {

/// Apart from rows of hosts, which every page reads. Other keys that begin with a zero byte are
/// those of slots, and end in a letter.
inline constexpr std::string_view kBeforeLatestPages("\0\xff", 2);

/// `number`: 0 to 255.
[[nodiscard]] inline std::string LatestPageKey(std::string_view host, std::uint32_t number) {
  std::string key;
  key.reserve(kBeforeLatestPages.size() + host.size() + 2);
  key.append(kBeforeLatestPages).append(host).push_back('\0');
  key.push_back(static_cast<char>(number));
  return key;
}

/// Only names without a zero byte, as all hosts' names are: with them no group's key begins with
/// another's, so that rows of groups have the order of their own keys.
[[nodiscard]] inline bool IsLatestPage(std::string_view key) {
  return key.size() >= kBeforeLatestPages.size() + 2 && key.starts_with(kBeforeLatestPages) &&
         key.find('\0', kBeforeLatestPages.size()) == key.size() - 2;
}

/// The key of the group that has the row of a latest page: what the keys of its rows share.
[[nodiscard]] inline std::string_view GroupOf(std::string_view latest_page) {
  return latest_page.substr(0, latest_page.size() - 1);
}

/// A key that no group with a row of `key` or more is below.
[[nodiscard]] inline std::string_view FirstGroupFrom(std::string_view key) {
  const std::size_t end = key.find('\0', kBeforeLatestPages.size());
  return end == std::string_view::npos ? key : key.substr(0, end + 1);
}

}  // namespace crawlsieve
