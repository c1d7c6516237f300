#pragma once

#include "plugin/base/result.h"
#include "plugin/site/site.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::site {

// The latest pages of a host, that its site didn't learn from yet.
//
// A Site has up to 64 KiB, too much to read and write for each page. So a page is written to a
// small row of its own, which needs no reading, and the site takes a host's pages together once
// they are enough. The result doesn't depend on when that is, because the pages of a host are taken
// in the order in which they came. A host with a few pages has these rows alone.

/// How many latest pages a host has. Value type.
struct LatestPages {
  static constexpr std::uint32_t kMaxPages = 16;
  static constexpr std::uint32_t kFullBytes = 2048;

  std::uint32_t pages = 0;
  std::uint32_t bytes = 0;  ///< of their rows

  /// Whether the site must take them before the next one comes.
  [[nodiscard]] bool is_full() const { return pages >= kMaxPages || bytes > kFullBytes; }
};

/// What EncodePage adds at most to the name of the host. Of a URL the first kMaxUrlBytes are kept,
/// because a Site looks at no more, and of a redirect's target what is left of these.
inline constexpr std::size_t kMaxPageBytes = kMaxUrlBytes + 64;

/// The row of a page. `host` is whose latest page it is: that of the URL, or any other name.
[[nodiscard]] std::string EncodePage(std::string_view host, const PageObservation& page);

/// Lets the site take a page as EncodePage wrote it, and adds to `brought` what a first fetch
/// brought. False: it is a page of another host, and isn't taken. Errors: kCorruption for bytes
/// that EncodePage never writes.
[[nodiscard]] Result<bool> AddPage(std::string_view host, std::string_view bytes, Site& site,
                                   std::vector<Brought>& brought);

}  // namespace crawlsieve::site
