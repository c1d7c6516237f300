#pragma once

#include "plugin/base/result.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::log {

/// Where a page leads: canonical http and https URLs, in the page's order.
struct Links {
  std::vector<std::string> main_text;
  std::vector<std::string> elsewhere;  ///< in navigation, boilerplate; none of main_text

  friend bool operator==(const Links&, const Links&) = default;
};

/// As PackLinks takes them, before compression.
inline constexpr std::size_t kMaxLinksBytes = 64 << 10;

struct PackedLinks {
  std::string bytes;         ///< empty: no links
  std::size_t left_out = 0;  ///< links for which kMaxLinksBytes had no room
};

/// The links for Page::links: those of the page's own origin without scheme and host, and all of it
/// as DEFLATE (RFC 1951) with the page's URL for a dictionary. `page_url`: the entry's canonical
/// URL. No URL has a line feed in it. Pure and thread-safe.
[[nodiscard]] PackedLinks PackLinks(std::span<const std::string> main_text,
                                    std::span<const std::string> elsewhere,
                                    std::string_view page_url);

/// Errors: kCorruption for bytes that PackLinks doesn't make of this page. Takes memory of
/// kMaxLinksBytes and the links, whatever the bytes. Pure and thread-safe.
[[nodiscard]] Result<Links> UnpackLinks(std::string_view bytes, std::string_view page_url);

}  // namespace crawlsieve::log
