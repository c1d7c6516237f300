#pragma once

#include "plugin/site/bounded_table.h"
#include "plugin/site/share.h"
#include "plugin/site/url_rules.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace crawlsieve::site {

/// Scheme and host of a URL, with the port: "https://b.example". Empty: it has none.
[[nodiscard]] std::string_view OriginOf(std::string_view url);
/// What follows: path and query.
[[nodiscard]] std::string_view PathOf(std::string_view url);

/// What a page of a host and the page of the same path on another host have in common.
enum class Likewise {
  kSameBytes,
  kSameContent,  ///< as the judge tells contents apart, but not the same bytes
  kUnlike,
};

/// Another host, compared with the host whose Mirrors have it. Value type.
struct Mirror {
  std::string origin;  ///< of the other host
  /// The latest pairs of pages with one path, fetched from the other host first: the same bytes or
  /// not.
  PairCounts pairs;
  /// Pages whose first fetch brought what the other host had there.
  std::uint32_t same = 0;
  std::uint32_t inherited = 0;  ///< rank of what it took the place of
  std::uint32_t misses = 0;     ///< pages since the last pair
  /// Whether the host is taken for a mirror of that one.
  bool in_use = false;

  /// Whether pages that don't repeat one of the other host are looked up there. Not for a host of
  /// which one page is the same by chance, nor for one whose pages haven't been fetched.
  [[nodiscard]] bool is_probed() const { return same >= kMinProbed && misses < kMaxMisses; }
  static constexpr std::uint32_t kMinProbed = 2;
  static constexpr std::uint32_t kMaxMisses = 64;

  /// One in use stays before all others.
  [[nodiscard]] std::uint64_t rank() const {
    return (std::uint64_t{in_use ? 1U : 0U} << 32) + same + inherited;
  }

  friend bool operator==(const Mirror&, const Mirror&) = default;
};

/// What speaks for a host being a mirror of another one: what came to both. Value type.
struct MirrorEvidence {
  PairCounts pairs;         ///< of both; the sum may exceed PairCounts::kLimit
  std::uint64_t same = 0;   ///< pages of the host that are known to be the same on the other one
  std::uint64_t pages = 0;  ///< URLs of the host that had content

  /// Of the share of pairs with the same bytes.
  [[nodiscard]] Share lower_bound() const { return pairs.lower_bound(); }
  /// How much of the host is the same on the other one.
  [[nodiscard]] Share coverage() const;
  /// Whether that is enough; `in_use`: whether it was before.
  [[nodiscard]] bool IsMirror(bool in_use) const;
};

/// A mirror shows the same bytes: the next version of a documentation often has the same texts.
inline constexpr Share kMirrorAt = Percent(80);
inline constexpr Share kMirrorUntil = Percent(70);
inline constexpr std::uint32_t kMinMirrorPairs = 20;

/// Other hosts that may show the same pages as one host, learned from its pages as they come.
///
/// Each pair of pages with one path on both hosts counts for the host whose page came second. So
/// what is known of two hosts is in the Mirrors of both.
///
/// Bounded: kMaxMirrors; the one with the fewest pages in common makes room (space-saving, ties by
/// hash), one in use last. An origin of more than kMaxOriginBytes isn't taken. Thread-compatible.
class Mirrors {
 public:
  static constexpr std::size_t kMaxMirrors = 4;
  static constexpr std::size_t kMaxOriginBytes = 100;
  static constexpr std::size_t kMaxEncodedBytes =
      1 + kMaxMirrors * (1 + kMaxOriginBytes + 2 * 2 + 2 * 5 + 1);

  /// The one of that origin; nullptr: there is none. Valid until the next change.
  [[nodiscard]] Mirror* Find(std::string_view origin);
  /// The same, added if there is none; nullptr: the origin is too long.
  Mirror* FindOrAdd(std::string_view origin);
  /// Calls `change(Mirror&)` for each, in ascending order of a hash.
  template <typename Change>
  void ForEach(const Change& change) {
    mirrors_.ForEach(change);
  }
  [[nodiscard]] const BoundedTable<std::uint64_t, Mirror>& mirrors() const { return mirrors_; }

  /// What was compared with pages of `host`, which may have a port, of any scheme.
  [[nodiscard]] Mirror SumOf(std::string_view host) const;

  /// Empty where there are none.
  [[nodiscard]] std::string Encode() const;
  /// False: not what Encode writes.
  [[nodiscard]] bool Decode(std::string_view bytes);

  friend bool operator==(const Mirrors&, const Mirrors&) = default;

 private:
  BoundedTable<std::uint64_t, Mirror> mirrors_;  // by hash of the origin
};

/// Counts a pair.
void Add(Likewise likewise, Mirror& mirror);
/// Counts a page without a counterpart.
void AddMiss(Mirror& mirror);

/// `own`: of the host, compared with the other one; `other`: of the other one, compared with the
/// host. `pages`: of the host, URLs that had content.
[[nodiscard]] MirrorEvidence EvidenceOf(const Mirror& own, const Mirror& other,
                                        std::uint64_t pages);

}  // namespace crawlsieve::site
