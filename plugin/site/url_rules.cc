#include "plugin/site/url_rules.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

namespace crawlsieve::site {
namespace {

constexpr std::uint32_t kAliasWeight = 2;

std::uint64_t HashOf(std::string_view text) { return RawChecksum(text).low; }

HashedPattern Hashed(std::string_view pattern) { return {pattern, HashOf(pattern)}; }

/// Of a rule of the whole site.
const HashedPattern& AllUrls() {
  static const HashedPattern all = Hashed({});
  return all;
}

std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2));
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

std::uint64_t PartHash(PartKind kind, std::string_view name) {
  return Mix(static_cast<std::uint64_t>(kind) + 1, HashOf(name));
}

std::uint64_t RuleHash(std::uint64_t part_hash, const HashedPattern& pattern, bool of_short) {
  return Mix(part_hash, pattern.hash) ^ (of_short ? 1U : 0U);
}

/// Under which a URL is a sibling of those that differ in the part alone.
std::uint64_t MaskedKey(const Part& part, std::uint64_t part_hash) {
  return Mix(HashOf(part.without), part_hash);
}

/// The ways in which a URL can be spelled that sites hardly ever tell apart. A bit each.
constexpr std::uint32_t kSlash = 1;  ///< at the end of the path
constexpr std::uint32_t kWww = 2;
constexpr std::uint32_t kHttps = 4;

/// The bit of a part that is a way of spelling; 0: it is none.
std::uint32_t WayOf(PartKind kind) {
  switch (kind) {
    case PartKind::kTrailingSlash:
      return kSlash;
    case PartKind::kWww:
      return kWww;
    case PartKind::kScheme:
      return kHttps;
    default:
      return 0;
  }
}

/// A URL is remembered once, in whatever spelling it was fetched first: sites would be forgotten
/// four times as fast if each spelling had a place of its own.
struct Spelling {
  std::uint64_t key = 0;   ///< equal for all spellings of a URL
  std::uint32_t ways = 0;  ///< which one it is
};

Spelling SpellingOf(std::string_view url) {
  constexpr std::string_view kWwwLabel = "www.";
  Spelling spelling;
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!url.starts_with(scheme)) continue;
    url.remove_prefix(scheme.size());
    if (scheme.size() == 8) spelling.ways |= kHttps;
    break;
  }
  if (url.starts_with(kWwwLabel)) {
    url.remove_prefix(kWwwLabel.size());
    spelling.ways |= kWww;
  }
  std::string_view path = url.substr(0, url.find('?'));
  const std::string_view query = url.substr(path.size());
  // The slash of a home page is no way of spelling.
  if (path.ends_with('/') && path.find('/') + 1 < path.size()) {
    path.remove_suffix(1);
    spelling.ways |= kSlash;
  }
  spelling.key = Mix(HashOf(path), query.empty() ? 0 : HashOf(query));
  return spelling;
}

/// The content of what was `known` under the key of a URL, if it is spelled so.
std::optional<ContentMark> SiblingSpelled(const std::optional<ContentMark>& known,
                                          std::uint32_t ways) {
  if (!known.has_value() || NoteOf(*known) != ways) return std::nullopt;
  return WithNote(*known, 0);
}

/// Whether the rule is about URLs that differ in the part, whatever its value: else about the URL
/// without it alone.
bool IsForAnyValue(PartKind kind) {
  return kind != PartKind::kParameterValue && kind != PartKind::kLastSegment &&
         kind != PartKind::kPath;
}

/// Whether such a part has so many values that a rule needs several.
bool HasManyValues(PartKind kind) {
  return kind == PartKind::kParameter || kind == PartKind::kPathParameter ||
         kind == PartKind::kNumber || kind == PartKind::kPath;
}

std::uint32_t BitOf(std::string_view text) { return 1U << (HashOf(text) & 31); }

/// The patterns of a URL without each of its parts, which are asked for in the order in which
/// ForEachPartThatMayNotMatter has them. Of a parameter with a value only behind that of the
/// parameter.
class PatternsWithout {
 public:
  PatternsWithout(const TakenApart& url, const PatternMaker& maker)
      : maker_(maker), own_(Hashed(url.pattern)) {}

  /// Valid until the next call.
  const HashedPattern& Of(const Part& part) {
    switch (part.kind) {
      case PartKind::kNumber:  // a pattern has no digits
      case PartKind::kWww:
      case PartKind::kScheme:
      case PartKind::kPath:  // what the query has besides tells what the page is
        return own_;
      case PartKind::kParameterValue:  // comes behind its parameter
        return without_;
      default:
        if (!part.present) return own_;
        TakeApart(part.without, parts_);
        maker_.FindPattern(parts_, text_);
        without_ = Hashed(text_);
        return without_;
    }
  }

 private:
  const PatternMaker& maker_;
  const HashedPattern own_;
  UrlParts parts_;
  std::string text_;
  HashedPattern without_;
};

bool IsRefuted(const UrlRule* rule) {
  return rule != nullptr && rule->siblings.upper_bound() < Percent(50);
}

/// Whether what is known of the URLs of a pattern speaks against a rule of the whole site.
bool IsVeto(const UrlRule* rule, const PairCounts UrlRule::*counts) {
  return rule != nullptr && (rule->*counts).different >= 2 &&
         (rule->*counts).lower_bound() < kSuppressUntil;
}

}  // namespace

void PairCounts::Add(bool is_same, std::uint32_t weight) {
  (is_same ? same : different) += weight;
  if (pairs() <= kLimit) return;
  same /= 2;
  different /= 2;
}

UrlRule& UrlRules::FindOrAdd(std::uint64_t hash, const Part& part, std::string_view pattern,
                             bool of_short) {
  if (UrlRule* const known = rules_.Find(hash)) return *known;
  UrlRule added;
  added.kind = part.kind;
  added.name = part.name;
  added.pattern = pattern;
  added.of_short = of_short;
  const auto inherit = [this](UrlRule& rule, const UrlRule& weakest) {
    rule.inherited = std::min<std::uint32_t>(weakest.rank(), 1U << 20);
    if (weakest.suppresses || weakest.rewrites) ++changes_;
  };
  return rules_.Add(hash, std::move(added), kMaxRules, inherit);
}

void UrlRules::Update(const Part& part, std::uint64_t part_hash, const HashedPattern& pattern,
                      bool of_short, PairCounts UrlRule::*counts, bool is_same,
                      std::uint32_t weight) {
  for (const HashedPattern* const scope : {&pattern, &AllUrls()}) {
    const std::uint64_t hash = RuleHash(part_hash, *scope, of_short);
    // Every file name could be that of an index, and every value one that doesn't matter: only
    // those that something speaks for are worth a place.
    if (!is_same && !IsForAnyValue(part.kind) && rules_.Find(hash) == nullptr) continue;
    UrlRule& rule = FindOrAdd(hash, part, scope->text, of_short);
    (rule.*counts).Add(is_same, weight);
    rule.values |= BitOf(part.value);
    rule.patterns |= 1U << (pattern.hash & 31);
    Decide(rule);
  }
}

void UrlRules::Decide(UrlRule& rule) {
  const bool is_broad = (!HasManyValues(rule.kind) || std::popcount(rule.values) >= kMinValues) &&
                        (!rule.pattern.empty() || std::popcount(rule.patterns) >= kMinPatterns);
  const auto decide = [&](bool& used, const PairCounts& counts, Share from, Share until) {
    const bool use = is_broad && counts.lower_bound() >= (used ? until : from);
    if (use != used) ++changes_;
    used = use;
  };
  decide(rule.suppresses, rule.siblings, kSuppressAt, kSuppressUntil);
  decide(rule.rewrites, rule.without, kRewriteAt, kRewriteUntil);
}

std::optional<ContentMark> UrlRules::FindPage(std::string_view url) const {
  const Spelling spelling = SpellingOf(url);
  return SiblingSpelled(siblings_.Find(spelling.key), spelling.ways);
}

bool UrlRules::AddPage(const TakenApart& url, ContentMark content, bool first_fetch,
                       const PatternMaker& patterns) {
  bool is_repeat = false;
  if (url.url.size() > kMaxUrlBytes) return is_repeat;
  const Spelling spelling = SpellingOf(url.url);
  const auto spelled = siblings_.Find(spelling.key);
  PatternsWithout patterns_without(url, patterns);
  const auto take = [&](const Part& part) {
    const std::uint64_t part_hash = PartHash(part.kind, part.name);
    if (first_fetch && part.present && part.is_url) {
      if (const auto plain = FindPage(part.without); plain.has_value()) {
        const bool is_same = *plain == content;
        is_repeat = is_repeat || is_same;
        Update(part, part_hash, patterns_without.Of(part), IsShort(*plain), &UrlRule::without,
               is_same);
      }
    }
    if (!IsForAnyValue(part.kind)) return;
    const HashedPattern& pattern = patterns_without.Of(part);
    // What was found to matter for URLs of a pattern needs no memory of them.
    if (IsRefuted(rules_.Find(RuleHash(part_hash, pattern, IsShort(content))))) return;
    const std::uint32_t way = WayOf(part.kind);
    const auto sibling = way == 0 ? siblings_.Put(MaskedKey(part, part_hash), content)
                                  : SiblingSpelled(spelled, spelling.ways ^ way);
    if (first_fetch && sibling.has_value()) {
      const bool is_same = *sibling == content;
      is_repeat = is_repeat || is_same;
      Update(part, part_hash, pattern, IsShort(*sibling), &UrlRule::siblings, is_same);
    }
  };
  ForEachPartThatMayNotMatter(url.url, url.parts, std::cref(take));
  // Of spellings with one content the first stays.
  if (!spelled.has_value() || WithNote(*spelled, 0) != content) {
    siblings_.Put(spelling.key, WithNote(content, spelling.ways));
  }
  return is_repeat;
}

void UrlRules::AddAlias(const TakenApart& url, std::string_view target,
                        const PatternMaker& patterns) {
  PatternsWithout patterns_without(url, patterns);
  const auto take = [&](const Part& part) {
    const HashedPattern& pattern = patterns_without.Of(part);
    if (!part.present || !part.is_url || part.without != target) return;
    Update(part, PartHash(part.kind, part.name), pattern, false, &UrlRule::without, true,
           kAliasWeight);
  };
  ForEachPartThatMayNotMatter(url.url, url.parts, std::cref(take));
}

bool UrlRules::HasOtherContent(std::string_view url, ContentMark content) const {
  const auto known = FindPage(url);
  return known.has_value() && *known != content;
}

std::optional<RuleAdvice> UrlRules::AdviceFor(const TakenApart& url, const PatternMaker& patterns,
                                              const RepeatedContent& repeated) const {
  std::optional<RuleAdvice> best;
  const auto offer = [&](const UrlRule& rule, const PairCounts& counts,
                         std::string_view rewrite_to) {
    const Share precision = counts.lower_bound();
    if (best.has_value() && best->precision >= precision) return;
    best = RuleAdvice{&rule, precision, counts.pairs(), counts.different, std::string(rewrite_to)};
  };
  if (rules_.size() == 0) return best;
  // Whether the rule holds beside a URL of which this is known.
  const auto holds_beside = [&](const UrlRule& rule, const std::optional<ContentMark>& content) {
    if (!content.has_value() || !IsShort(*content)) return !rule.of_short;
    return rule.of_short && repeated.IsOften(*content);
  };
  const Spelling spelling = SpellingOf(url.url);
  const auto spelled = siblings_.Find(spelling.key);
  PatternsWithout patterns_without(url, patterns);
  const auto take = [&](const Part& part) {
    const HashedPattern& pattern = patterns_without.Of(part);
    const std::uint64_t part_hash = PartHash(part.kind, part.name);
    for (const bool of_short : {false, true}) {
      const UrlRule* const of_pattern = rules_.Find(RuleHash(part_hash, pattern, of_short));
      const UrlRule* const of_site = rules_.Find(RuleHash(part_hash, AllUrls(), of_short));
      for (const UrlRule* rule : {of_pattern, of_site}) {
        if (rule == nullptr) continue;
        if (rule->suppresses && IsForAnyValue(part.kind) &&
            !IsVeto(of_pattern, &UrlRule::siblings)) {
          const std::uint32_t way = WayOf(part.kind);
          const auto sibling = way == 0 ? siblings_.Find(MaskedKey(part, part_hash))
                                        : SiblingSpelled(spelled, spelling.ways ^ way);
          if (sibling.has_value() && holds_beside(*rule, sibling)) {
            offer(*rule, rule->siblings, {});
          }
        }
        if (rule->rewrites && part.present && part.is_url &&
            !IsVeto(of_pattern, &UrlRule::without)) {
          const auto plain = FindPage(part.without);
          if (!holds_beside(*rule, plain)) continue;
          offer(*rule, rule->without, plain.has_value() ? std::string_view() : part.without);
        }
      }
    }
  };
  ForEachPartThatMayNotMatter(url.url, url.parts, std::cref(take));
  return best;
}

void UrlRules::Encode(schedule::ByteWriter& out) const {
  siblings_.Encode(out);
  out.Varint(rules_.size());
  for (const auto& [hash, rule] : rules_) {
    out.Fixed(static_cast<std::uint64_t>(rule.kind), 1);
    out.Text(rule.name);
    out.Text(rule.pattern);
    for (const PairCounts& counts : {rule.siblings, rule.without}) {
      out.Varint(counts.same);
      out.Varint(counts.different);
    }
    out.Fixed(rule.values, 4);
    out.Fixed(rule.patterns, 4);
    out.Varint(rule.inherited);
    out.Fixed((rule.suppresses ? 1 : 0) | (rule.rewrites ? 2 : 0) | (rule.of_short ? 4 : 0), 1);
  }
  out.Varint(changes_);
}

bool UrlRules::Decode(schedule::ByteReader& in) {
  if (!siblings_.Decode(in)) return false;
  rules_.Clear();
  const std::uint64_t count = in.Varint();
  if (count > kMaxRules) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    UrlRule rule;
    const std::uint64_t kind = in.Fixed(1);
    rule.name = in.Text();
    rule.pattern = in.Text();
    for (PairCounts* counts : {&rule.siblings, &rule.without}) {
      const std::uint64_t same = in.Varint();
      const std::uint64_t different = in.Varint();
      if (same > PairCounts::kLimit || different > PairCounts::kLimit - same) return false;
      counts->same = static_cast<std::uint32_t>(same);
      counts->different = static_cast<std::uint32_t>(different);
    }
    rule.values = static_cast<std::uint32_t>(in.Fixed(4));
    rule.patterns = static_cast<std::uint32_t>(in.Fixed(4));
    const std::uint64_t inherited = in.Varint();
    const std::uint64_t use = in.Fixed(1);
    if (!in.ok() || kind >= kPartKinds || use > 7 || inherited > 1U << 20 ||
        rule.name.size() > UrlParts::kMaxNameBytes ||
        rule.pattern.size() > PatternMaker::kMaxPatternBytes) {
      return false;
    }
    rule.kind = static_cast<PartKind>(kind);
    rule.inherited = static_cast<std::uint32_t>(inherited);
    rule.suppresses = (use & 1) != 0;
    rule.rewrites = (use & 2) != 0;
    rule.of_short = (use & 4) != 0;
    const std::uint64_t hash =
        RuleHash(PartHash(rule.kind, rule.name), Hashed(rule.pattern), rule.of_short);
    if (!rules_.Append(hash, std::move(rule))) return false;
  }
  changes_ = in.Varint();
  return in.ok();
}

}  // namespace crawlsieve::site
