#pragma once

#include "plugin/score/url_score.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// A score as a frontier takes it.
struct RenderedScore {
  std::string key;    ///< of a record in a topic
  std::string value;  ///< bytes or text; lines without their last end

  friend bool operator==(const RenderedScore&, const RenderedScore&) = default;
};

/// None where the frontier can't act on the record; two where a rewrite needs one about each URL.
using RenderedScores = std::vector<RenderedScore>;

/// Whether a URL can be handed to a frontier: http or https with a host, visible ASCII alone, at
/// most kMaxRenderedUrlBytes. Canonical URLs of http and https are written so. What could not be
/// parsed as a URL isn't, and is never rendered, so that it breaks no line and no document.
[[nodiscard]] bool IsRenderable(std::string_view url);
/// A page with a longer URL would be a dead letter (docs/formats.md).
inline constexpr std::size_t kMaxRenderedUrlBytes = 16 * 1024;

/// Of a renderable URL: what stands between scheme and path, and the host in it as it stands there.
[[nodiscard]] std::string_view AuthorityOf(std::string_view url);
[[nodiscard]] std::string_view HostOf(std::string_view url);

/// `text` with U+FFFD in place of bytes that are not UTF-8.
[[nodiscard]] std::string ValidUtf8(const std::string& text);

/// The score in decimal, as short as it is exact: "0", "0.05", "0.5", "1".
[[nodiscard]] std::string Decimal(Score score);

/// The URL that the frontier is to fetch: `rewrite_to` of a rewrite, else `url`. Empty where there
/// is none: suppressed, or not renderable.
[[nodiscard]] std::string_view UrlToFetch(const UrlScore& record);

/// For frontiers that order by date: seconds since 1970 from which on the URL may be fetched. Of
/// due URLs one with a higher score has an earlier date, `kSecondsPerStep` for each ten-thousandth
/// before `as_of`; any other has its next_fetch, rounded up. Between 1 and the end of the year
/// 9999.
///
/// A step is long, so that among records of one season the score decides and not their age.
[[nodiscard]] std::int64_t FetchDate(const UrlScore& record);
inline constexpr std::int64_t kSecondsPerStep = 864;
inline constexpr std::int64_t kLatestFetchDate = 253'402'300'799;

}  // namespace crawlsieve::consumer
