#include "plugin/site/pattern_counts.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace crawlsieve::site {
namespace {

std::uint64_t HashOf(std::string_view text) { return RawChecksum(text).low; }

}  // namespace

void FetchCounts::Add(const Brought& brought) {
  if (fetched >= kLimit - kFetch) Halve(1);
  fetched += kFetch;
  if (brought.found == Found::kNew) {
    fresh += static_cast<std::uint32_t>(std::uint64_t{kFetch} * brought.novelty >> 16);
    worth += static_cast<std::uint32_t>(std::uint64_t{kFetch} * brought.worth >> 16);
    if (brought.novelty >= kNewNovelty && !brought.in_form_alone) with_new += kFetch;
  }
  if (brought.found == Found::kError) errors += kFetch;
  if (brought.found == Found::kSoftError) soft_errors += kFetch;
  if (brought.is_alias) aliases += kFetch;
}

void FetchCounts::Halve(std::uint64_t times) {
  const auto shift = static_cast<unsigned>(std::min<std::uint64_t>(times, 31));
  fetched >>= shift;
  fresh >>= shift;
  worth >>= shift;
  with_new >>= shift;
  errors >>= shift;
  soft_errors >>= shift;
  aliases >>= shift;
}

Expected FetchCounts::Expect(const Expected& prior) const {
  const std::uint64_t weight = std::uint64_t{kPriorFetches} * kFetch;
  const auto share = [&](std::uint32_t count, Share before) {
    return static_cast<Share>(((std::uint64_t{count} << 16) + weight * before) /
                              (fetched + weight));
  };
  return {share(with_new, prior.chance), share(worth, prior.worth)};
}

void PatternCounts::FadeTo(std::uint64_t seconds, std::uint64_t half_life_seconds) {
  const std::uint64_t half_lives = seconds / std::max<std::uint64_t>(half_life_seconds, 1);
  if (half_lives <= half_lives_) return;
  patterns_.ForEach([&](Pattern& pattern) {
    pattern.counts.Halve(half_lives - half_lives_);
    pattern.inherited >>= std::min<std::uint64_t>(half_lives - half_lives_, 31);
  });
  half_lives_ = half_lives;
}

Share Unlikeness(std::uint64_t a, std::uint64_t b) {
  const auto bits = static_cast<std::uint32_t>(std::popcount(a ^ b));
  return std::min(kWhole, bits * kWhole / kUnlikeBits);
}

Share PatternCounts::UnlikeLatest(std::string_view pattern, std::uint64_t simhash) const {
  const Pattern* const known = patterns_.Find(HashOf(pattern.substr(0, kMaxPatternBytes)));
  return known == nullptr || known->simhash == 0 ? kWhole : Unlikeness(known->simhash, simhash);
}

void PatternCounts::Add(std::string_view pattern, const Brought& brought, std::uint64_t simhash) {
  pattern = pattern.substr(0, kMaxPatternBytes);
  const std::uint64_t hash = HashOf(pattern);
  Pattern* known = patterns_.Find(hash);
  if (known == nullptr) {
    Pattern added;
    added.text = pattern;
    const auto inherit = [](Pattern& of, const Pattern& weakest) {
      of.inherited = std::min(weakest.rank(), FetchCounts::kLimit);
    };
    known = &patterns_.Add(hash, std::move(added), kMaxPatterns, inherit);
  }
  known->counts.Add(brought);
  if (simhash != 0) known->simhash = simhash;
}

Share FetchCounts::AliasesAtLeast() const {
  const std::uint32_t of_aliases = aliases / kFetch;
  return LowerBound(2 * of_aliases, fetched / kFetch + of_aliases);
}

bool PatternCounts::has_aliases() const {
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [](const auto& entry) { return entry.value.counts.aliases > 0; });
}

FetchCounts PatternCounts::Find(std::string_view pattern) const {
  const Pattern* const known = patterns_.Find(HashOf(pattern.substr(0, kMaxPatternBytes)));
  return known == nullptr ? FetchCounts() : known->counts;
}

void Encode(const FetchCounts& counts, schedule::ByteWriter& out) {
  out.Varint(counts.fetched);
  out.Varint(counts.fresh);
  out.Varint(counts.worth);
  out.Varint(counts.with_new);
  out.Varint(counts.errors);
  out.Varint(counts.soft_errors);
}

bool Decode(schedule::ByteReader& in, FetchCounts& counts) {
  const std::uint64_t fetched = in.Varint();
  const std::uint64_t fresh = in.Varint();
  const std::uint64_t worth = in.Varint();
  const std::uint64_t with_new = in.Varint();
  const std::uint64_t errors = in.Varint();
  const std::uint64_t soft_errors = in.Varint();
  if (!in.ok() || fetched > FetchCounts::kLimit || fresh > fetched || worth > fetched ||
      with_new > fetched || errors > fetched || soft_errors > fetched) {
    return false;
  }
  counts = {static_cast<std::uint32_t>(fetched),
            static_cast<std::uint32_t>(fresh),
            static_cast<std::uint32_t>(worth),
            static_cast<std::uint32_t>(with_new),
            static_cast<std::uint32_t>(errors),
            static_cast<std::uint32_t>(soft_errors),
            0};
  return true;
}

void PatternCounts::Encode(schedule::ByteWriter& out, bool with_aliases) const {
  out.Varint(half_lives_);
  out.Varint(patterns_.size());
  for (const auto& [hash, pattern] : patterns_) {
    out.Text(pattern.text);
    site::Encode(pattern.counts, out);
    if (with_aliases) out.Varint(pattern.counts.aliases);
    out.Varint(pattern.inherited);
    out.Fixed(pattern.simhash, 8);
  }
}

bool PatternCounts::Decode(schedule::ByteReader& in, bool with_aliases) {
  patterns_.Clear();
  half_lives_ = in.Varint();
  const std::uint64_t count = in.Varint();
  if (count > kMaxPatterns) return false;
  patterns_.Reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    Pattern pattern;
    pattern.text = in.Text();
    if (pattern.text.size() > kMaxPatternBytes || !site::Decode(in, pattern.counts)) return false;
    const std::uint64_t aliases = with_aliases ? in.Varint() : 0;
    if (aliases > pattern.counts.fetched) return false;
    pattern.counts.aliases = static_cast<std::uint32_t>(aliases);
    const std::uint64_t inherited = in.Varint();
    if (inherited > FetchCounts::kLimit) return false;
    pattern.inherited = static_cast<std::uint32_t>(inherited);
    pattern.simhash = in.Fixed(8);
    const std::uint64_t hash = HashOf(pattern.text);
    if (!patterns_.Append(hash, std::move(pattern))) return false;
  }
  return in.ok();
}

}  // namespace crawlsieve::site
