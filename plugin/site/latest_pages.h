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
// A Site has up to 64 KiB, too much to read and write for each page. So pages are kept with the
// host as they come, and the site takes a host's pages together once they are enough. The result
// doesn't depend on when that is, because the pages of a host are taken in the order in which they
// came. A host with a few pages has these alone.

/// Where the latest pages of a host lie: in rows of their own, the parts, and what isn't enough for
/// one in the row of the host.
enum class LatestLayout {
  kInHost,  ///< fold version 8: no parts, 16 pages
  kParts,   ///< fold version 9: parts of several pages, each written with the page behind it; 16
  kPages,   ///< a part for each page, but for the first, unless the name of the host is long; 32
};

/// How many latest pages a host has. Value type.
struct LatestPages {
  static constexpr std::size_t kMaxPages = 32;
  static constexpr std::size_t kFullBytes = 2048;
  /// Of the keys of a host's parts.
  static constexpr std::size_t kMaxKeyBytes = 1152;

  std::size_t pages = 0;
  std::size_t bytes = 0;

  /// From so many bytes on, pages in the row of the host go to a part. The key of a part has the
  /// name of the host, so a part of a long name has more pages.
  [[nodiscard]] static std::size_t PartBytes(LatestLayout layout, std::size_t host_bytes);

  /// How many parts a host may have under kPages.
  [[nodiscard]] static std::size_t MaxParts(std::size_t host_bytes);

  /// Whether the site must take them before the next one comes.
  [[nodiscard]] bool is_full(LatestLayout layout) const {
    return pages >= (layout == LatestLayout::kPages ? kMaxPages : kMaxPages / 2) ||
           bytes > kFullBytes;
  }
};

/// What EncodePage makes at most. Of a URL the first kMaxUrlBytes are kept, because a Site looks at
/// no more, and of a redirect's target what is left of these.
inline constexpr std::size_t kMaxPageBytes = kMaxUrlBytes + 64;

/// A page's bytes. `host` is whose latest page it is: that of the URL, or any other name.
[[nodiscard]] std::string EncodePage(std::string_view host, const PageObservation& page);

/// Lets the site take pages of a host as EncodePage wrote them, one after the other, and adds to
/// `brought` what each first fetch brought. Errors: kCorruption for bytes that EncodePage never
/// writes; the site then has the pages before them.
[[nodiscard]] Status AddPages(std::string_view host, std::string_view bytes, Site& site,
                              std::vector<Brought>& brought);

}  // namespace crawlsieve::site
