#pragma once

#include "plugin/schedule/byte_writer.h"
#include "plugin/site/bounded_table.h"
#include "plugin/site/url_parts.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve::site {

/// Patterns of a URL, of what the URLs of a site that are made in the same way share. Each says
/// more than the one before.
struct UrlPatterns {
  /// Number of segments, ending of the last one, names of parameters: "/*/*.html?id&page".
  std::string shape;
  /// The shape with the first segment, if others follow it, its digits as N; and with the values of
  /// parameters that have few: "/tag/*.html?id&view=print".
  std::string pattern;
  /// The pattern with all segments but the last, their digits as N: "/doc/de/mod/*.html"; names
  /// that end in a number are apart from others: "/doc/de/mod/*N.html". Empty where that is the
  /// pattern itself.
  std::string folder;
};

/// Makes the patterns of the URLs of one site. Remembers which parameters have few values.
///
/// A parameter's values are part of the pattern as long as no more than kMaxValues of them have
/// been seen: `action` of a wiki has five, `title` thousands. Bounded: kMaxParameters parameters;
/// further ones have no values. Thread-compatible.
class PatternMaker {
 public:
  static constexpr std::size_t kMaxParameters = 48;
  static constexpr std::size_t kMaxValues = 8;
  static constexpr std::size_t kMaxPatternBytes = 96;
  /// Of what Encode adds.
  static constexpr std::size_t kMaxEncodedBytes = 2 + kMaxParameters * (8 + 1 + 4 * kMaxValues);

  /// Takes a URL that was fetched or linked to.
  void Note(const UrlParts& parts);

  [[nodiscard]] UrlPatterns PatternsOf(const UrlParts& parts) const;
  /// UrlPatterns::pattern alone.
  [[nodiscard]] std::string PatternOf(const UrlParts& parts) const;
  /// The same into `pattern`, whose memory is used again.
  void FindPattern(const UrlParts& parts, std::string& pattern) const;

  /// Raised when a URL may have another pattern than before.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

  void Encode(schedule::ByteWriter& out) const;
  /// False: not what Encode writes.
  [[nodiscard]] bool Decode(schedule::ByteReader& in);

  friend bool operator==(const PatternMaker&, const PatternMaker&) = default;

 private:
  /// Hashes of a parameter's values, ascending; more than kMaxValues: none is kept.
  struct Values {
    bool many = false;
    std::uint8_t count = 0;
    std::array<std::uint32_t, kMaxValues> hashes{};

    [[nodiscard]] std::uint32_t rank() const { return 0; }

    friend bool operator==(const Values&, const Values&) = default;
  };
  [[nodiscard]] bool HasFewValues(std::string_view name) const;
  /// Names of parameters, with the values of those that have few; and bounds the text.
  void AppendQueryOf(const UrlParts& parts, std::string& text) const;

  BoundedTable<std::uint64_t, Values> parameters_;  // by hash of the name
  std::uint64_t epoch_ = 0;
};

}  // namespace crawlsieve::site
