#include "plugin/site/site.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace crawlsieve::site {
namespace {

constexpr std::uint64_t kFormat = 6;
constexpr std::uint64_t kFormatWithoutAliases = 5;
constexpr std::size_t kMaxTrapSegments = 20;
constexpr std::size_t kMaxTrapBytes = 1024;
constexpr std::ptrdiff_t kMaxRepeats = 2;
constexpr std::uint64_t kExploreOneIn = 20;
constexpr Share kExploredPart = 4;
/// Of the site's chance, what a shape with a query starts from: such URLs are often views of pages
/// that the site has.
constexpr Share kChanceOfQuery = Percent(50);

static_assert(PatternMaker::kMaxEncodedBytes + PatternCounts::kMaxEncodedBytes +
                  UrlRules::kMaxEncodedBytes + RepeatedContent::kMaxEncodedBytes +
                  SoftErrors::kMaxEncodedBytes + 64 <=
              Site::kMaxEncodedBytes);

std::uint64_t HashOf(std::string_view text) { return RawChecksum(text).low; }

bool HasHomePath(const UrlParts& parts) { return parts.path.size() <= 1; }

bool IsHome(const UrlParts& parts) { return HasHomePath(parts) && parts.parameters.empty(); }

/// The last segment that isn't empty.
std::string_view LastNameOf(const UrlParts& parts) {
  for (std::size_t i = parts.segments.size(); i > 0; --i) {
    if (!parts.segments[i - 1].empty()) return parts.segments[i - 1];
  }
  return {};
}

Share PartOf(Share whole, Share part) {
  return static_cast<Share>(std::uint64_t{whole} * part >> 16);
}

/// `whole` * part / of.
Share Scaled(Share whole, Share part, Share of) {
  return static_cast<Share>(std::uint64_t{whole} * part / of);
}

/// How much of a chance a rule leaves: as if there had been two pairs that speak against it before
/// the others, so that it never leaves nothing.
Share LeftBy(const RuleAdvice& rule) {
  constexpr std::uint64_t kBefore = 2;
  return static_cast<Share>(((rule.different + kBefore) << 16) / (rule.support + kBefore));
}

/// The chance that a link beside such others brings new content, if it is `chance` without them.
Share ChanceBeside(const Beside& beside, Share chance) {
  constexpr std::uint64_t kBefore = FetchCounts::kPriorFetches;
  return static_cast<Share>(((std::uint64_t{beside.different} << 16) + kBefore * chance) /
                            (beside.links() + kBefore));
}

/// By what a page is compared with others of its pattern: what stands in forms says what to do with
/// a page rather than what it is about.
std::uint64_t SimhashInPattern(const PageObservation& page) {
  return page.simhash_outside_forms != 0 ? page.simhash_outside_forms : page.simhash;
}

std::string_view WithoutQuery(std::string_view pattern) {
  return pattern.substr(0, pattern.find('?'));
}

bool IsHashExplored(std::uint64_t hash) { return hash / kProbeOneIn % kExploreOneIn == 0; }

}  // namespace

std::string_view NameOf(Ground ground) {
  constexpr std::array<std::string_view, 6> kNames{"none",  "url_rule", "nothing_new",
                                                   "alias", "copies",   "trap_shape"};
  return kNames[static_cast<std::size_t>(ground)];
}

bool HasTrapShape(std::string_view url) { return HasTrapShape(url, PartsOf(url)); }

bool HasTrapShape(std::string_view url, const UrlParts& parts) {
  if (url.size() > kMaxTrapBytes) return true;
  const std::vector<std::string_view>& segments = parts.segments;
  if (segments.size() > kMaxTrapSegments) return true;
  return std::any_of(segments.begin(), segments.end(), [&](std::string_view segment) {
    const bool is_number = segment.find_first_not_of("0123456789") == std::string_view::npos;
    return !is_number && std::count(segments.begin(), segments.end(), segment) > kMaxRepeats;
  });
}

bool IsExplored(std::string_view url) { return IsHashExplored(HashOf(url)); }

bool BringsNothingNew(const FetchCounts& counts) {
  // The share itself, which is below its upper bound, decides nearly always.
  const bool is_rare = std::uint64_t{counts.fresh / FetchCounts::kFetch} * kWhole <
                       std::uint64_t{counts.fetched / FetchCounts::kFetch} * kNothingNewBelow;
  return is_rare && counts.MostNew() < kNothingNewBelow;
}

bool IsOfAliases(const FetchCounts& counts) {
  return counts.aliases > 0 && counts.with_new * kOneNewAliasIn <= counts.fetched &&
         counts.AliasesAtLeast() >= kSuppressAt;
}

Share ScoreOf(Share worth, Share average) {
  const std::uint64_t sum = std::uint64_t{worth} + average;
  return sum == 0 ? kWhole / 2 : static_cast<Share>((std::uint64_t{worth} << 16) / sum);
}

std::optional<Brought> Site::AddPage(const PageObservation& page) {
  const std::string_view url = page.url.substr(0, kMaxUrlBytes);
  const UrlParts parts = PartsOf(url);
  maker_.Note(parts);
  patterns_.FadeTo(page.time, kHalfLifeSeconds);
  const UrlPatterns patterns = maker_.PatternsOf(parts);
  const ContentMark content = WithLength(page.content, page.is_short);

  const bool has_content = page.answer == Answer::kContent;
  Brought brought{page.answer == Answer::kError ? Found::kError : Found::kKnown};
  if (has_content) {
    const bool is_repeat =
        rules_.AddPage({url, parts, patterns.pattern}, content, page.first_fetch, maker_);
    const bool is_known = page.is_short && (is_repeat || repeated_.Contains(content));
    if (page.novelty > 0 && !is_known) {
      brought = BroughtByNew(page, patterns.pattern);
    }
    if (page.first_fetch) {
      repeated_.Add(content);
      const Likeness likeness{page.simhash, page.title};
      soft_errors_.Add(likeness, WithoutQuery(patterns.pattern), LastNameOf(parts),
                       HasHomePath(parts));
      if (!HasHomePath(parts) && soft_errors_.Contains(likeness)) {
        brought.found = Found::kSoftError;
      }
    }
  }
  // As much as EncodePage keeps: a site that is read is the one that took the page itself.
  const std::string_view target = page.stands_for.substr(0, kMaxUrlBytes - url.size());
  // What a page says of itself by a link counts only as long as its content doesn't say otherwise:
  // many listings name their first page.
  const bool is_contradicted =
      has_content && !target.empty() && rules_.HasOtherContent(target, content);
  if (!target.empty() && SiteOf(target) == SiteOf(url) && !is_contradicted) {
    rules_.AddAlias({url, parts, patterns.pattern}, target, maker_);
  }
  if (!page.first_fetch) return std::nullopt;
  counts_.Add(brought);
  Brought of_pattern = brought;
  // Without a target it isn't known any more: EncodePage keeps the flag with that.
  of_pattern.is_alias = page.is_alias && !target.empty();
  patterns_.Add(patterns.pattern, of_pattern, has_content ? SimhashInPattern(page) : 0);
  if (patterns.shape != patterns.pattern) patterns_.Add(patterns.shape, brought);
  if (!patterns.folder.empty()) patterns_.Add(patterns.folder, brought);
  return brought;
}

Brought Site::BroughtByNew(const PageObservation& page, std::string_view pattern) const {
  Brought brought{Found::kNew, page.novelty};
  const Share unlike = patterns_.UnlikeLatest(pattern, SimhashInPattern(page));
  brought.in_form_alone = page.simhash_outside_forms != 0 && unlike <= kSameOutsideForms;
  if (page.has_known_words || brought.in_form_alone) return brought;
  // Of a short page it isn't known how much of it is new.
  const Share distinct =
      page.is_short ? kShortWorth : std::min(kWhole, page.novelty * (kWhole / kDistinctNovelty));
  brought.worth = PartOf(distinct, unlike);
  return brought;
}

void Site::AddLink(std::string_view url) { maker_.Note(PartsOf(url.substr(0, kMaxUrlBytes))); }

UrlPatterns Site::PatternsOf(std::string_view url) const {
  return maker_.PatternsOf(PartsOf(url.substr(0, kMaxUrlBytes)));
}

bool Site::IsSoftError(std::string_view url, const Likeness& page) const {
  return !HasHomePath(PartsOf(url.substr(0, kMaxUrlBytes))) && soft_errors_.Contains(page);
}

ExpectedSteps Site::StepsOf(const UrlPatterns& patterns, std::uint32_t depth, bool explore,
                            const Expected& average) const {
  ExpectedSteps steps;
  steps.site = counts_.Expect(average);
  Expected before = steps.site;
  if (patterns.shape.find('?') != std::string::npos) {
    before.chance = PartOf(before.chance, kChanceOfQuery);
  }
  steps.shape =
      patterns.shape == patterns.pattern ? before : patterns_.Find(patterns.shape).Expect(before);
  steps.pattern = patterns_.Find(patterns.pattern).Expect(steps.shape);
  steps.folder = patterns.folder.empty() ? steps.pattern
                                         : patterns_.Find(patterns.folder).Expect(steps.pattern);
  Share worth = steps.folder.worth;
  if (explore) worth = std::max(worth, steps.site.worth / kExploredPart);
  steps.worth = static_cast<Share>(std::uint64_t{worth} * kHalfWorthDepth /
                                   (std::uint64_t{kHalfWorthDepth} + depth));
  return steps;
}

std::optional<RuleAdvice> Site::RuleAdviceFor(std::string_view url) const {
  if (url.size() > kMaxUrlBytes) return std::nullopt;
  const UrlParts parts = PartsOf(url);
  const std::string pattern = maker_.PatternOf(parts);
  return rules_.AdviceFor({url, parts, pattern}, maker_, repeated_);
}

Advice Site::AdviceFor(std::string_view url, std::uint32_t depth, const Expected& average,
                       const Beside& beside) const {
  const UrlParts parts = PartsOf(url.substr(0, kMaxUrlBytes));
  const UrlPatterns patterns = maker_.PatternsOf(parts);
  const std::uint64_t hash = HashOf(url);
  Advice advice;
  const ExpectedSteps steps = StepsOf(patterns, depth, IsHashExplored(hash), average);
  advice.chance = steps.folder.chance;
  advice.worth = steps.worth;
  if (IsHome(parts)) return advice;

  if (HasTrapShape(url, parts)) {
    advice.ground = Ground::kTrapShape;
  } else if (auto rule = rules_.AdviceFor({url, parts, patterns.pattern}, maker_, repeated_);
             rule.has_value()) {
    advice.ground = Ground::kUrlRule;
    advice.precision = rule->precision;
    advice.support = rule->support;
    const Share left = LeftBy(*rule);
    advice.chance = PartOf(advice.chance, left);
    advice.worth = PartOf(advice.worth, left);
    advice.rewrite_to = std::move(rule->rewrite_to);
  } else {
    const FetchCounts counts = patterns_.Find(patterns.pattern);
    const FetchCounts nearest = patterns.folder.empty() ? counts : patterns_.Find(patterns.folder);
    // A folder may be the only way to what is in it, and what stands in forms is content for
    // the judge.
    const bool is_expected = advice.chance < kHardlyAnyChance && !parts.path.ends_with('/') &&
                             counts.fetched >= kMinFetches * FetchCounts::kFetch &&
                             nearest.fresh <= nearest.fetched / 4;
    if (is_expected || BringsNothingNew(counts)) {
      advice.ground = Ground::kNothingNew;
      advice.precision = kWhole - counts.MostNew();
      advice.support = counts.fetched / FetchCounts::kFetch;
    } else if (IsOfAliases(counts)) {
      advice.ground = Ground::kAlias;
      advice.precision = counts.AliasesAtLeast();
      advice.support = counts.fetched / FetchCounts::kFetch;
    } else if (const Share left = ChanceBeside(beside, advice.chance);
               beside.same >= kMinCopies && left < std::min(advice.chance, kNothingNewBelow)) {
      advice.ground = Ground::kCopies;
      advice.precision = LowerBound(beside.same, beside.links());
      advice.support = beside.links();
      advice.worth = Scaled(advice.worth, left, advice.chance);
      advice.chance = left;
    }
  }
  if (advice.ground != Ground::kNone) {
    advice.action = advice.rewrite_to.empty() ? Action::kSuppress : Action::kRewrite;
    // Always the same URLs, so that a replay probes what was probed before.
    if (hash % kProbeOneIn == 0) {
      advice.action = Action::kProbe;
      advice.rewrite_to.clear();
    }
  }
  return advice;
}

std::string Site::Encode() const {
  schedule::ByteWriter out;
  // A fold by rules that know no aliases writes what it always wrote.
  const bool with_aliases = patterns_.has_aliases();
  out.Varint(with_aliases ? kFormat : kFormatWithoutAliases);
  maker_.Encode(out);
  site::Encode(counts_, out);
  patterns_.Encode(out, with_aliases);
  rules_.Encode(out);
  repeated_.Encode(out);
  soft_errors_.Encode(out);
  return std::move(out).Take();
}

Result<Site> Site::Decode(std::string_view bytes) {
  const auto damaged = [](const char* what) {
    return MakeError(ErrorCode::kCorruption, std::string("what was learned of a site: ") + what);
  };
  schedule::ByteReader in(bytes);
  const std::uint64_t format = in.Varint();
  if (format != kFormat && format != kFormatWithoutAliases) {
    return damaged("another build wrote it; begin with an empty state directory");
  }
  Site site;
  if (!site.maker_.Decode(in)) return damaged("parameters");
  if (!site::Decode(in, site.counts_)) return damaged("counts");
  if (!site.patterns_.Decode(in, format == kFormat)) return damaged("patterns");
  if (!site.rules_.Decode(in)) return damaged("rules");
  if (!site.repeated_.Decode(in)) return damaged("contents");
  if (!site.soft_errors_.Decode(in)) return damaged("soft errors");
  if (!in.at_end()) return damaged("length");
  return site;
}

}  // namespace crawlsieve::site
