#pragma once

#include "extract/text/ascii.h"
#include "extract/url/options.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::extract {

/// Links as a page has them, in its order, that it lets robots follow.
struct References {
  std::string base;  ///< of <base>: what they are resolved against, resolved against the page's URL
  std::vector<std::string> main_text;
  std::vector<std::string> elsewhere;  ///< in navigation, boilerplate
  /// Of <link rel=canonical> in the head, also where robots may follow no link; empty: none.
  std::string canonical = {};
};

/// Of a page; those behind are passed over.
inline constexpr std::size_t kMaxReferences = 2000;
/// Longer addresses are passed over: hardly any that leads to a page is.
inline constexpr std::size_t kMaxLinkBytes = 2 << 10;

/// Whether `rel`, a set of words, has `type`, which is in lower case.
[[nodiscard]] inline bool HasLinkType(std::string_view rel, std::string_view type) {
  while (!rel.empty()) {
    const std::size_t end =
        static_cast<std::size_t>(std::ranges::find_if(rel, IsAsciiSpace) - rel.begin());
    if (EqualsNoCase(rel.substr(0, end), type)) return true;
    rel.remove_prefix(std::min(end + 1, rel.size()));
  }
  return false;
}

/// Where a page leads: identities (IdentityOf) of http and https URLs, in the page's order, none of
/// them twice, and not the page itself.
struct OutLinks {
  std::vector<std::string> main_text;
  std::vector<std::string> elsewhere;
};

/// The identity of what the page's <link rel=canonical> names; empty: it names nothing, or the page
/// itself, whose identity is `own`, or no URL of its host, with or without "www.": any page can
/// name a stranger's. Pure and thread-safe.
[[nodiscard]] std::string ResolveCanonicalLink(const References& references,
                                               std::string_view page_url, std::string_view own,
                                               const UrlOptions& options);

/// Resolves what the page at `page_url`, a canonical URL of identity `own`, refers to. At most
/// `max_links`, those of the main text first. Pure and thread-safe.
[[nodiscard]] OutLinks ResolveReferences(const References& references, std::string_view page_url,
                                         std::string_view own, const UrlOptions& options,
                                         std::size_t max_links);

}  // namespace crawlsieve::extract
