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
/// one in the row of the host. In the order of the fold versions.
enum class LatestLayout {
  kInHost,     ///< fold version 8: no parts
  kParts,      ///< fold version 9: parts of several pages, each written with the page behind it
  kPages,      ///< a part for each page, but for the first, unless the name of the host is long
  kMorePages,  ///< the same, with more pages
};

/// How many latest pages a host may have. Value type.
struct LatestLimits {
  std::size_t pages = 0;
  std::size_t bytes = 0;
  std::size_t key_bytes = 0;  ///< of the keys of its parts
  /// Whether all pages stay within `bytes`; else the last one may come in addition to these.
  bool is_strict = false;

  /// The most bytes of pages and keys.
  [[nodiscard]] constexpr std::size_t MaxBytes() const;
};

[[nodiscard]] constexpr LatestLimits LimitsOf(LatestLayout layout) {
  switch (layout) {
    case LatestLayout::kInHost:
    case LatestLayout::kParts:
      return {16, 2048, 1152, false};
    case LatestLayout::kPages:
      return {32, 2048, 1152, false};
    case LatestLayout::kMorePages:
      break;
  }
  return {64, 3584, 1728, true};
}

/// How many latest pages a host has. Value type.
struct LatestPages {
  /// Under any layout.
  static constexpr std::size_t kMaxPages = LimitsOf(LatestLayout::kMorePages).pages;

  std::size_t pages = 0;
  std::size_t bytes = 0;

  /// From so many bytes on, pages in the row of the host go to a part. The key of a part has the
  /// name of the host, so a part of a long name has more pages.
  [[nodiscard]] static std::size_t PartBytes(LatestLayout layout, std::size_t host_bytes);

  /// How many parts a host may have from kPages on.
  [[nodiscard]] static std::size_t MaxParts(LatestLayout layout, std::size_t host_bytes);

  /// Whether a page of so many bytes may come before the site takes them.
  [[nodiscard]] bool HaveRoomFor(std::size_t page_bytes, LatestLayout layout) const;
};

/// What EncodePage makes at most. Of a URL the first kMaxUrlBytes are kept, because a Site looks at
/// no more, and of a redirect's target what is left of these.
inline constexpr std::size_t kMaxPageBytes = kMaxUrlBytes + 64;
static_assert(kMaxPageBytes <= LimitsOf(LatestLayout::kMorePages).bytes);

constexpr std::size_t LatestLimits::MaxBytes() const {
  return bytes + (is_strict ? 0 : kMaxPageBytes) + key_bytes;
}

/// About what EncodePage makes of a page with such a URL. `target`: what it may stand for, if
/// anything.
[[nodiscard]] std::size_t ExpectedPageBytes(std::string_view host, std::string_view url,
                                            std::string_view target);

/// A page's bytes. `host` is whose latest page it is: that of the URL, or any other name.
[[nodiscard]] std::string EncodePage(std::string_view host, const PageObservation& page);

/// Lets the site take pages of a host as EncodePage wrote them, one after the other, and adds to
/// `brought` what each first fetch brought. Errors: kCorruption for bytes that EncodePage never
/// writes; the site then has the pages before them.
[[nodiscard]] Status AddPages(std::string_view host, std::string_view bytes, Site& site,
                              std::vector<Brought>& brought);

}  // namespace crawlsieve::site
