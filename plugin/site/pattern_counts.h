#pragma once

#include "plugin/schedule/byte_writer.h"
#include "plugin/site/bounded_table.h"
#include "plugin/site/share.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve::site {

/// What the first fetch of a URL brought.
enum class Found {
  kNew,        ///< content that the crawl didn't have, or not all of it
  kKnown,      ///< content that it had
  kError,      ///< an answer that there is none, as 404
  kSoftError,  ///< a page that says so at status 200
};

/// What a fetch brings where nothing is known.
inline constexpr Share kFirstChance = Percent(75);

/// From this novelty on a page counts as one of new content: contents of one resemble each other by
/// more than the rest.
inline constexpr Share kNewNovelty = Percent(18);

/// What is to be expected of a fetch. Value type.
struct Expected {
  Share chance = kFirstChance;  ///< that it brings new content: a probability
  Share worth = kFirstChance;   ///< of what it brings: what orders URLs

  friend bool operator==(const Expected&, const Expected&) = default;
};

/// What the first fetch of a URL brought. Value type.
struct Brought {
  Found found = Found::kKnown;
  Share novelty = 0;  ///< how much of the content is new; of Found::kNew and kSoftError
  Share worth = 0;    ///< at most `novelty`
  /// What is new of it stands in a form: outside of forms it is like the latest page of its
  /// pattern.
  bool in_form_alone = false;
  bool is_alias = false;  ///< PageObservation::is_alias; counted for the URL's own pattern alone

  friend bool operator==(const Brought&, const Brought&) = default;
};

/// How many URLs were fetched for the first time, and what came of it. In steps of 1 / kFetch,
/// because counts fade. Value type.
struct FetchCounts {
  static constexpr std::uint32_t kFetch = 16;
  /// Where a count gets this large, all are halved.
  static constexpr std::uint32_t kLimit = 1U << 20;

  std::uint32_t fetched = 0;
  std::uint32_t fresh = 0;  ///< of these, Found::kNew, each as far as it was new
  /// What the new ones are worth: each as far as its content counts as distinct, and as it is
  /// unlike other pages of its pattern. It orders URLs; `fresh` decides what is never fetched.
  std::uint32_t worth = 0;
  std::uint32_t with_new = 0;  ///< those of kNewNovelty, not in a form alone, each as a whole
  std::uint32_t errors = 0;
  std::uint32_t soft_errors = 0;
  std::uint32_t aliases = 0;  ///< Encode leaves them out

  void Add(const Brought& brought);
  void Halve(std::uint64_t times);

  /// What is to be expected of the next fetch, if it is `prior` without any. The prior counts as
  /// much as kPriorFetches fetches.
  [[nodiscard]] Expected Expect(const Expected& prior) const;
  static constexpr std::uint32_t kPriorFetches = 2;

  /// The lowest share of aliases that the fetches allow: LowerBound. An alias counts double,
  /// because both the site and the judge say so.
  [[nodiscard]] Share AliasesAtLeast() const;

  /// The highest chance that the fetches allow: UpperBound.
  [[nodiscard]] Share MostNew() const { return UpperBound(fresh / kFetch, fetched / kFetch); }

  friend bool operator==(const FetchCounts&, const FetchCounts&) = default;
};

/// Counts of the patterns of one site.
///
/// Bounded: kMaxPatterns patterns. When there is no more room, the pattern with the fewest fetches
/// makes room, of equals the one with the lowest hash; its successor takes over its rank
/// (space-saving), but none of its counts. All counts are halved when time passes a multiple of
/// `half_life_seconds`. Thread-compatible.
class PatternCounts {
 public:
  static constexpr std::size_t kMaxPatterns = 128;
  static constexpr std::size_t kMaxPatternBytes = 96;
  /// Of what Encode adds: text, seven counts, a rank and a simhash for each pattern.
  static constexpr std::size_t kMaxEncodedBytes =
      10 + 2 + kMaxPatterns * (1 + kMaxPatternBytes + 8 * 3 + 8);

  struct Pattern {
    std::string text;
    FetchCounts counts;
    std::uint32_t inherited = 0;  ///< rank of the pattern whose place it took
    std::uint64_t simhash = 0;    ///< of the latest page; 0: none

    [[nodiscard]] std::uint32_t rank() const { return counts.fetched + inherited; }

    friend bool operator==(const Pattern&, const Pattern&) = default;
  };

  /// Halves everything once for each multiple of `half_life` that lies between the latest time and
  /// this one. Earlier times change nothing.
  void FadeTo(std::uint64_t seconds, std::uint64_t half_life_seconds);

  /// Counts a fetch. `simhash` is remembered as that of the pattern's latest page; 0: there is
  /// none.
  void Add(std::string_view pattern, const Brought& brought, std::uint64_t simhash = 0);

  /// How far a page is unlike the latest one of the pattern: Unlikeness; kWhole where there is
  /// none.
  [[nodiscard]] Share UnlikeLatest(std::string_view pattern, std::uint64_t simhash) const;

  /// Zeros where nothing is known of it.
  [[nodiscard]] FetchCounts Find(std::string_view pattern) const;
  [[nodiscard]] bool has_aliases() const;
  [[nodiscard]] const BoundedTable<std::uint64_t, Pattern>& patterns() const { return patterns_; }

  /// `with_aliases`: else these are left out, as builds had it that didn't know them.
  void Encode(schedule::ByteWriter& out, bool with_aliases) const;
  /// False: not what Encode writes.
  [[nodiscard]] bool Decode(schedule::ByteReader& in, bool with_aliases);

  friend bool operator==(const PatternCounts&, const PatternCounts&) = default;

 private:
  BoundedTable<std::uint64_t, Pattern> patterns_;  // by hash
  std::uint64_t half_lives_ = 0;                   // since 1970, of the latest time
};

/// How unlike two pages are, by the bits in which their simhashes differ: none, 0; 24 bits or more,
/// kWhole; in between in proportion. Pages without common text differ in 32 bits, give or take 8.
[[nodiscard]] Share Unlikeness(std::uint64_t a, std::uint64_t b);
inline constexpr std::uint32_t kUnlikeBits = 24;
/// Where forms are left out, pages of a pattern that differ in six bits at most are the same: a
/// name or two is what they differ in.
inline constexpr Share kSameOutsideForms = 6 * kWhole / kUnlikeBits;

void Encode(const FetchCounts& counts, schedule::ByteWriter& out);
[[nodiscard]] bool Decode(schedule::ByteReader& in, FetchCounts& counts);

}  // namespace crawlsieve::site
