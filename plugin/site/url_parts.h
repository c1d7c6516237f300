#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::site {

/// What part of a URL may not matter for the content.
enum class PartKind : std::uint8_t {
  kParameter,       ///< of the query, with whatever value
  kParameterValue,  ///< of the query, with this value
  kPathParameter,   ///< `;name=value` at the end of a segment, with whatever value
  kLastSegment,     ///< this last segment after a slash: the name of an index
  kTrailingSlash,
  kNumber,  ///< the digits of a segment
  kWww,     ///< "www." in front of the host
  kScheme,
  kPath,  ///< a query with this parameter, whose value is the name of a page of its own
};
inline constexpr int kPartKinds = 9;

/// "parameter", "parameter_value", "path_parameter", "last_segment", "trailing_slash", "number",
/// "www", "scheme", "path".
[[nodiscard]] std::string_view NameOf(PartKind kind);

/// A part of a URL, and the URL without it. Views are into the URL, but for `without`.
struct Part {
  PartKind kind = PartKind::kParameter;
  /// Which of its kind: the parameter, parameter and value, the segment, the place of the segment.
  std::string_view name;
  std::string_view value;  ///< what the URL has there; empty where it has nothing
  /// The URL without the part; for kNumber with 0 in its place; for kPath that page: "/a/X" of
  /// "/a/index.php?title=X&action=print". Empty for kScheme, and where the URL hasn't the part.
  std::string_view without;
  bool present = false;  ///< whether the URL has the part
  /// Whether `without` is a URL as the site writes them, that could be fetched.
  bool is_url = false;

  friend bool operator==(const Part&, const Part&) = default;
};

struct Parameter {
  std::string_view name;
  std::string_view text;  ///< name, `=` and value

  [[nodiscard]] std::string_view value() const {
    return name.size() == text.size() ? std::string_view() : text.substr(name.size() + 1);
  }
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// The parts of a canonical URL, as views into it. Text that is no URL has some parts, too. Value
/// type.
struct UrlParts {
  std::string_view scheme;
  std::string_view host;  ///< with its port
  std::string_view path;  ///< from the first slash to the query
  std::vector<std::string_view> segments;
  std::vector<Parameter> parameters;  ///< at most kMaxParameters

  static constexpr std::size_t kMaxSegments = 64;
  static constexpr std::size_t kMaxParameters = 16;
  /// Parts with a longer name aren't looked at.
  static constexpr std::size_t kMaxNameBytes = 48;
};
[[nodiscard]] UrlParts PartsOf(std::string_view url);
UrlParts PartsOf(std::string&& url) = delete;
/// The same into `parts`, whose memory is used again.
void TakeApart(std::string_view url, UrlParts& parts);
void TakeApart(std::string&& url, UrlParts& parts) = delete;

/// What a site is known by: the host of `url` with its port, without "www." in front. Who has
/// example.org has www.example.org, so rules may lead from one to the other; any other two hosts
/// may belong to strangers.
[[nodiscard]] std::string_view SiteOf(std::string_view url);

/// Hands each part of `url` that may not matter to `take`, in a fixed order; of parameters and of
/// numbers, the first kMaxPartsOfAKind, so that a URL costs little whatever it is made of. Of a URL
/// of more than kMaxUrlBytes: nothing. `parts`: PartsOf(url), views into `url` itself.
/// Part::without is valid for the call.
void ForEachPartThatMayNotMatter(std::string_view url, const UrlParts& parts,
                                 const std::function<void(const Part&)>& take);
inline constexpr std::size_t kMaxUrlBytes = 2048;
inline constexpr std::size_t kMaxPartsOfAKind = 8;

}  // namespace crawlsieve::site
