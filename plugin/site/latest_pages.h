#pragma once

#include "plugin/base/result.h"
#include "plugin/schedule/byte_writer.h"
#include "plugin/site/site.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crawlsieve::site {

/// The latest pages of a site, that weren't taken into what was learned of it yet.
///
/// A Site has up to 64 KiB, too much to read and write for each page. So a page is added to this
/// small row, and the site's own row is needed only when this one is full. The result doesn't
/// depend on when that is, because pages are moved in the order in which they came. A site with a
/// few pages has this row alone.
///
/// Bounded: kMaxPages, and kMaxEncodedBytes. Of a URL, the first kMaxUrlBytes are kept: a Site
/// looks at no more. Thread-compatible.
class LatestPages {
 public:
  static constexpr std::size_t kMaxPages = 16;
  static constexpr std::size_t kFullBytes = 2048;
  /// Full, and then a page with two URLs.
  static constexpr std::size_t kMaxEncodedBytes = 1 + kFullBytes + 2 * kMaxUrlBytes + 64;

  /// Adds a page. One that is full has to be moved first.
  void Add(const PageObservation& page);
  /// Whether the site must take the pages before the next one comes.
  [[nodiscard]] bool is_full() const { return IsFull(bytes_); }
  [[nodiscard]] std::size_t size() const { return bytes_.empty() ? 0 : CountOf(bytes_); }
  /// The same of what Encode wrote.
  [[nodiscard]] static bool IsFull(std::string_view encoded);

  /// Lets the site take the pages; keeps them. For advice that counts them, too. Returns what the
  /// first fetches among them brought. Errors: kCorruption for bytes that Encode never writes.
  [[nodiscard]] Result<std::vector<Brought>> AddTo(Site& site) const;
  void Clear() { bytes_.clear(); }

  /// Empty: no page.
  [[nodiscard]] std::string Encode() && { return std::move(bytes_); }
  /// Looks at no page: these are added to much more often than they are read.
  [[nodiscard]] static LatestPages Decode(std::string bytes);

 private:
  [[nodiscard]] static std::size_t CountOf(std::string_view encoded) {
    return static_cast<unsigned char>(encoded.front());
  }

  std::string bytes_;  // how many pages, one byte, and the pages, as they are written
};

}  // namespace crawlsieve::site
