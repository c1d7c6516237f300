#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The keys of rows of table hosts that are pages a site didn't learn from yet, by which the state
// knows them: a zero byte, a byte of 255, the name of a host, a zero byte and a number
// (docs/state.md).
namespace crawlsieve {

/// Apart from rows of hosts, which every page reads. Other keys that begin with a zero byte are
/// those of slots, and end in a letter.
inline constexpr std::string_view kBeforeLatestPages("\0\xff", 2);

/// Numbers of latest pages are less.
inline constexpr std::uint32_t kMostLatestPages = 64;

/// The key of the group that has the rows of a host's latest pages: what their keys share.
[[nodiscard]] inline std::string GroupOfHost(std::string_view host) {
  std::string group;
  group.reserve(kBeforeLatestPages.size() + host.size() + 2);  // as it becomes a row's key
  group.append(kBeforeLatestPages).append(host).push_back('\0');
  return group;
}

/// `number`: less than kMostLatestPages.
[[nodiscard]] inline std::string LatestPageKey(std::string_view host, std::uint32_t number) {
  return GroupOfHost(host) + static_cast<char>(number);
}

/// Only names without a zero byte, as all hosts' names are: with them no group's key begins with
/// another's, so that rows of groups have the order of their own keys.
[[nodiscard]] inline bool IsLatestPage(std::string_view key) {
  return key.size() >= kBeforeLatestPages.size() + 2 && key.starts_with(kBeforeLatestPages) &&
         static_cast<unsigned char>(key.back()) < kMostLatestPages &&
         key.find('\0', kBeforeLatestPages.size()) == key.size() - 2;
}

/// The key of the group that has the row of a latest page.
[[nodiscard]] inline std::string_view GroupOf(std::string_view latest_page) {
  return latest_page.substr(0, latest_page.size() - 1);
}

/// A key that no group with a row of `key` or more is below.
[[nodiscard]] inline std::string_view FirstGroupFrom(std::string_view key) {
  const std::size_t end = key.find('\0', kBeforeLatestPages.size());
  return end == std::string_view::npos ? key : key.substr(0, end + 1);
}

/// The keys of the first rows that a group may have, or of all of them. Copies the group's.
class KeysOfGroup {
 public:
  /// `count`: at most kMostLatestPages.
  explicit KeysOfGroup(std::string_view group, std::size_t count = kMostLatestPages) {
    if (count == 0) return;
    bytes_.reserve(count * (group.size() + 1));
    for (std::size_t i = 0; i < count; ++i) bytes_.append(group).push_back(static_cast<char>(i));
    const std::string_view bytes = bytes_;
    keys_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      keys_.push_back(bytes.substr(i * (group.size() + 1), group.size() + 1));
    }
  }
  KeysOfGroup(const KeysOfGroup&) = delete;
  KeysOfGroup& operator=(const KeysOfGroup&) = delete;

  /// In order.
  [[nodiscard]] std::span<const std::string_view> all() const { return keys_; }

 private:
  std::string bytes_;
  std::vector<std::string_view> keys_;
};

}  // namespace crawlsieve
