#pragma once

#include "plugin/schedule/byte_writer.h"
#include "plugin/site/bounded_table.h"
#include "plugin/site/repeated_content.h"
#include "plugin/site/share.h"
#include "plugin/site/siblings.h"
#include "plugin/site/url_parts.h"
#include "plugin/site/url_patterns.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve::site {

/// How often two URLs that differ in a part had one content. Value type.
struct PairCounts {
  /// Where there are more pairs, both counts are halved: what was true long ago fades.
  static constexpr std::uint32_t kLimit = 128;

  std::uint32_t same = 0;
  std::uint32_t different = 0;

  void Add(bool is_same, std::uint32_t weight = 1);
  [[nodiscard]] std::uint32_t pairs() const { return same + different; }
  [[nodiscard]] Share lower_bound() const { return LowerBound(same, pairs()); }
  [[nodiscard]] Share upper_bound() const { return UpperBound(same, pairs()); }

  friend bool operator==(const PairCounts&, const PairCounts&) = default;
};

/// That a part of a URL doesn't matter: of all URLs of the site, or of those of one pattern.
struct UrlRule {
  PartKind kind = PartKind::kParameter;
  std::string name;     ///< of the part
  std::string pattern;  ///< of the URL without the part; empty: of all URLs of the site
  /// Of URLs whose sibling that was fetched before has too little text to be compared. Many such
  /// pages are alike by chance, so they tell nothing about others.
  bool of_short = false;
  /// URLs that have another value in that part, or don't have it.
  PairCounts siblings;
  /// The URL with the part and the URL without.
  PairCounts without;
  std::uint32_t values = 0;    ///< a bit for each hash of a value that was compared
  std::uint32_t patterns = 0;  ///< the same of patterns
  std::uint32_t inherited = 0;
  bool suppresses = false;  ///< URLs that differ in this part alone from one that was fetched
  bool rewrites = false;    ///< the URL stands for the one without the part

  [[nodiscard]] std::uint32_t rank() const {
    return siblings.pairs() + without.pairs() + inherited;
  }

  friend bool operator==(const UrlRule&, const UrlRule&) = default;
};

/// Bounds of a rule's precision.
inline constexpr Share kSuppressAt = Percent(70);
inline constexpr Share kSuppressUntil = Percent(65);
inline constexpr Share kRewriteAt = Percent(70);
inline constexpr Share kRewriteUntil = Percent(65);
/// A rule for any value needs so many, and one for the whole site so many patterns.
inline constexpr int kMinValues = 5;
inline constexpr int kMinPatterns = 3;

/// A URL, and what was found out about it before. Views are valid for a call only.
struct TakenApart {
  std::string_view url;
  const UrlParts& parts;     ///< PartsOf(url), views into `url` itself
  std::string_view pattern;  ///< UrlPatterns::pattern
};

/// The pattern of a URL without a part; empty: that of all URLs of the site.
struct HashedPattern {
  std::string_view text;
  std::uint64_t hash = 0;
};

/// What a rule says of a URL.
struct RuleAdvice {
  const UrlRule* rule = nullptr;  ///< valid until the rules change
  Share precision = 0;            ///< its lower bound
  std::uint32_t support = 0;      ///< pairs that were compared
  std::uint32_t different = 0;    ///< of these, pairs of two contents
  std::string rewrite_to;         ///< empty: suppress
};

/// Rules about URLs of one site that lead to the same content (DUST: different URLs with similar
/// text), learned from pages as they come.
///
/// Each part of a fetched URL is masked in turn. Where another URL of the same masked form was
/// fetched, the two are a pair: one content speaks for the rule that this part doesn't matter,
/// other content against it. A rule is used once the lower bound of its precision is high enough,
/// and no more once that falls. Nothing is known of any site, software or parameter in advance.
///
/// Bounded: kMaxRules rules, that with the fewest pairs makes room (space-saving, ties by hash);
/// Siblings for the URLs. Thread-compatible.
class UrlRules {
 public:
  static constexpr std::size_t kMaxRules = 64;
  static constexpr std::size_t kMaxEncodedBytes =
      Siblings::kMaxEncodedBytes + 2 +
      kMaxRules *
          (4 + UrlParts::kMaxNameBytes + PatternMaker::kMaxPatternBytes + 4 * 2 + 2 * 4 + 4) +
      10;

  /// Takes what the fetch of `url` brought. `first_fetch` false: the content is remembered, but
  /// compared with none, because it may have changed since the others were fetched. Returns whether
  /// a URL that it was compared with has the same content.
  bool AddPage(const TakenApart& url, ContentMark content, bool first_fetch,
               const PatternMaker& patterns);

  /// Takes that the site itself says that `url` stands for `target`, by a redirect or a canonical
  /// link. Counts as two pairs for the rule that leads there, if there is one. Both URLs must be of
  /// this site.
  void AddAlias(const TakenApart& url, std::string_view target, const PatternMaker& patterns);

  /// Whether another content than this was fetched from a URL; false where none is remembered.
  [[nodiscard]] bool HasOtherContent(std::string_view url, ContentMark content) const;

  /// What the most precise rule says of a URL that wasn't fetched; nullopt: nothing. A rule of
  /// short pages speaks against URLs beside those whose content is `repeated` often, as a login
  /// form is.
  [[nodiscard]] std::optional<RuleAdvice> AdviceFor(const TakenApart& url,
                                                    const PatternMaker& patterns,
                                                    const RepeatedContent& repeated) const;

  [[nodiscard]] const BoundedTable<std::uint64_t, UrlRule>& rules() const { return rules_; }
  /// Raised when a rule comes into use, or out of it.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

  void Encode(schedule::ByteWriter& out) const;
  /// False: not what Encode writes.
  [[nodiscard]] bool Decode(schedule::ByteReader& in);

 private:
  /// The content of this very URL; nullopt: it isn't remembered.
  [[nodiscard]] std::optional<ContentMark> FindPage(std::string_view url) const;
  UrlRule& FindOrAdd(std::uint64_t hash, const Part& part, std::string_view pattern, bool of_short);
  /// Adds a pair to `counts` of the rule of the pattern and of that of the site. `part_hash`: of
  /// kind and name.
  void Update(const Part& part, std::uint64_t part_hash, const HashedPattern& pattern,
              bool of_short, PairCounts UrlRule::*counts, bool is_same, std::uint32_t weight = 1);
  void Decide(UrlRule& rule);

  Siblings siblings_;
  BoundedTable<std::uint64_t, UrlRule> rules_;  // by hash of kind, name, pattern and length
  std::uint64_t changes_ = 0;
};

}  // namespace crawlsieve::site
