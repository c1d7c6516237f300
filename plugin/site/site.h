#pragma once

#include "plugin/base/result.h"
#include "plugin/site/pattern_counts.h"
#include "plugin/site/repeated_content.h"
#include "plugin/site/share.h"
#include "plugin/site/siblings.h"
#include "plugin/site/soft_errors.h"
#include "plugin/site/url_patterns.h"
#include "plugin/site/url_rules.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve::site {

/// What a fetch was answered with.
enum class Answer : std::uint8_t {
  kContent,
  kError,     ///< that there is nothing, as 404
  kRedirect,  ///< that what there was is elsewhere
};
inline constexpr int kAnswers = 3;

/// Any number of the judge's as 32 bits.
[[nodiscard]] constexpr ContentMark MarkOf(std::uint64_t content) {
  return static_cast<ContentMark>(content * 0x9e3779b97f4a7c15 >> 32);
}

/// What came of a fetch, as the judge has it. Views are valid for the call only.
struct PageObservation {
  std::string_view url;     ///< canonical, of this site
  std::uint64_t time = 0;   ///< of the fetch, seconds since 1970
  bool first_fetch = true;  ///< nothing was fetched at this URL before
  bool unchanged = false;   ///< what the fetch before had found: teaches nothing; not first_fetch
  /// What follows about content is there for Answer::kContent alone.
  Answer answer = Answer::kContent;
  /// How much of the content is new: 0 where the judge found a page with it; else what the most
  /// similar page of the site lacks of it, by the sketches, among the pages that the index finds
  /// near. The caller compares: the judge has these pages at hand.
  Share novelty = 0;
  /// Equal for pages of one content: MarkOf the cluster, or the content's checksum where there is
  /// no cluster.
  ContentMark content = 0;
  std::uint64_t simhash = 0;
  /// Where forms have much of the text: of the rest; 0: they haven't.
  std::uint64_t simhash_outside_forms = 0;
  std::uint32_t title = 0;  ///< as Likeness::title
  /// The judge compared it with none: too little text. Then it is new unless it is among the
  /// contents that the site has often.
  bool is_short = false;
  /// A page of the site has the same words in another order: it is worth nothing, new or not.
  bool has_known_words = false;
  /// Where a redirect from the URL leads, or the page's canonical link; empty: nowhere. Of another
  /// site: is passed over.
  std::string_view stands_for;
  /// Both the page says that it stands for that URL, and the judge found that one's content.
  bool is_alias = false;
};

enum class Action {
  kSchedule,  ///< fetch it in the order of the scores
  kProbe,     ///< as kSchedule; a rule says otherwise, and this URL is to test it
  kSuppress,  ///< don't fetch it, as long as the advice is this
  kRewrite,   ///< fetch `rewrite_to` in its place
};

/// What an action that isn't kSchedule rests on.
enum class Ground {
  kNone,
  kUrlRule,     ///< UrlRules
  kNothingNew,  ///< URLs of this pattern hardly ever brought anything new
  kAlias,       ///< URLs of this pattern stand for others, as they say themselves
  kCopies,      ///< the page that leads here has the content of such URLs that it leads to
  kTrapShape,   ///< the URL itself is as only traps make them
};

/// "none", "url_rule", "nothing_new", "alias", "copies", "trap_shape".
[[nodiscard]] std::string_view NameOf(Ground ground);

/// What to do with a URL that wasn't fetched.
struct Advice {
  Action action = Action::kSchedule;
  Ground ground = Ground::kNone;
  std::string rewrite_to;  ///< of kRewrite
  Share chance = 0;        ///< that a fetch brings new content
  Share worth = 0;         ///< what orders URLs: also by depth, and of those to explore
  /// Of the ground: the lower bound of its precision, and how many pairs or fetches it rests on.
  Share precision = 0;
  std::uint32_t support = 0;
};

/// Of a page that is a duplicate, or unchanged: those of its links that have one pattern and were
/// fetched.
struct Beside {
  std::uint32_t same = 0;  ///< have the content of the page
  std::uint32_t different = 0;

  [[nodiscard]] std::uint32_t links() const { return same + different; }
};

/// Of each kind of URL, one in so many is fetched whatever is known against it.
inline constexpr std::uint64_t kProbeOneIn = 64;
/// Where fewer than this share of a pattern's fetches bring something new, its URLs are suppressed.
inline constexpr Share kNothingNewBelow = Percent(5);
/// So is a URL that isn't expected to bring anything new, by all that is known of its patterns, if
/// kMinFetches of its own pattern are among that, and it isn't a folder.
inline constexpr Share kHardlyAnyChance = Percent(2);
inline constexpr std::uint32_t kMinFetches = 8;
/// Beside so many copies of its page at least, a link is suppressed where they take its chance
/// below kNothingNewBelow.
inline constexpr std::uint32_t kMinCopies = 4;
/// At this depth the worth is half of what it would be at the start.
inline constexpr std::uint32_t kHalfWorthDepth = 16;
inline constexpr std::uint64_t kHalfLifeSeconds = std::uint64_t{180} * 86'400;
/// From this novelty on, a content counts as distinct: a quarter of the text is new.
inline constexpr Share kDistinctNovelty = Percent(25);
/// What a new short page is worth, where it is unlike others of its pattern.
inline constexpr Share kShortWorth = Percent(50);
/// A URL as only traps make them: more than 20 segments, more than 1024 bytes, or a segment that
/// comes up more than twice and isn't a number.
[[nodiscard]] bool HasTrapShape(std::string_view url);
/// `parts`: PartsOf(url), at least of its first kMaxUrlBytes.
[[nodiscard]] bool HasTrapShape(std::string_view url, const UrlParts& parts);

/// Whether the URL keeps at least a quarter of its site's worth, whatever is known of its pattern:
/// one in 20, always the same ones, so that a replay explores what was explored.
[[nodiscard]] bool IsExplored(std::string_view url);

/// Whether the fetches of a pattern say that its URLs hardly ever bring anything new.
[[nodiscard]] bool BringsNothingNew(const FetchCounts& counts);

/// Whether the fetches of a pattern say that its URLs stand for others: most of them do, and hardly
/// any brought something new.
[[nodiscard]] bool IsOfAliases(const FetchCounts& counts);
inline constexpr std::uint32_t kOneNewAliasIn = 50;

/// The score of a URL, 0 to 1, higher is sooner: 0.5 where a fetch is worth an average one.
[[nodiscard]] Share ScoreOf(Share worth, Share average);

/// How what is expected of a URL comes about: each step starts from the one before.
struct ExpectedSteps {
  Expected site;
  Expected shape;
  Expected pattern;
  Expected folder;  ///< of the folder's URLs of that pattern: what is expected of the URL
  Share worth = 0;  ///< of a URL in its depth
};

/// What was learned of the URLs of one site: its host, with and without "www.".
///
/// A function of the observations in their order: no clock, no random number, no floating point, so
/// the same observations give the same bytes on every machine. What it says of a URL depends on
/// pages of this site alone: no site can lower the scores of another, or make a rule for it.
/// Bounded: kMaxEncodedBytes, however many URLs the site has. Thread-compatible.
class Site {
 public:
  /// With the latest pages of a host it stays below 64 KiB.
  static constexpr std::size_t kMaxEncodedBytes = 59'700;

  /// Takes a fetch; returns what it brought, nullopt for a refetch. A temporary failure is no
  /// observation. Of a URL, the first kMaxUrlBytes tell its pattern.
  std::optional<Brought> AddPage(const PageObservation& page);

  /// Takes a URL that a page links to. It may be given any number of times.
  void AddLink(std::string_view url);

  /// Advice for a URL of this site that was never fetched, `depth` links from the start of the
  /// crawl. `average`: what a fetch of the crawl brings, which is what a site starts from.
  /// `beside`: what is known of the other links of its page, of a link.
  [[nodiscard]] Advice AdviceFor(std::string_view url, std::uint32_t depth,
                                 const Expected& average = {}, const Beside& beside = {}) const;

  /// The same without what speaks against a fetch, for a URL whose patterns are known. `explore`:
  /// IsExplored.
  [[nodiscard]] ExpectedSteps StepsOf(const UrlPatterns& patterns, std::uint32_t depth,
                                      bool explore, const Expected& average = {}) const;
  /// The rule that AdviceFor would go by, if the URL's own shape didn't decide; nullopt: none.
  [[nodiscard]] std::optional<RuleAdvice> RuleAdviceFor(std::string_view url) const;
  [[nodiscard]] UrlPatterns PatternsOf(std::string_view url) const;
  /// Raised when a URL may have another pattern than before.
  [[nodiscard]] std::uint64_t pattern_epoch() const { return maker_.epoch(); }

  /// Whether such a page at `url` is what the site shows for URLs that it doesn't have.
  [[nodiscard]] bool IsSoftError(std::string_view url, const Likeness& page) const;

  [[nodiscard]] const FetchCounts& counts() const { return counts_; }
  [[nodiscard]] const PatternCounts& patterns() const { return patterns_; }
  [[nodiscard]] const UrlRules& rules() const { return rules_; }
  [[nodiscard]] const SoftErrors& soft_errors() const { return soft_errors_; }

  [[nodiscard]] std::string Encode() const;
  /// Errors: kCorruption for bytes that Encode never writes.
  [[nodiscard]] static Result<Site> Decode(std::string_view bytes);

 private:
  /// What a fetch of new content brought: it is worth as much as it is distinct, and unlike other
  /// pages of its pattern.
  [[nodiscard]] Brought BroughtByNew(const PageObservation& page, std::string_view pattern) const;

  PatternMaker maker_;
  FetchCounts counts_;
  PatternCounts patterns_;  ///< and shapes
  UrlRules rules_;
  RepeatedContent repeated_;
  SoftErrors soft_errors_;
};

}  // namespace crawlsieve::site
