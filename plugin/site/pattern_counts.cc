#include "plugin/site/pattern_counts.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <utility>

namespace crawlsieve::site {
namespace {

std::uint64_t HashOf(std::string_view text) { return RawChecksum(text).low; }

std::uint32_t RankOf(const PatternCounts::Pattern& pattern) {
  return pattern.counts.fetched + pattern.inherited;
}

}  // namespace

void FetchCounts::Add(Found found, Share novelty) {
  if (fetched >= kLimit - kFetch) Halve(1);
  fetched += kFetch;
  if (found == Found::kNew)
    fresh += static_cast<std::uint32_t>(std::uint64_t{kFetch} * novelty >> 16);
  if (found == Found::kError) errors += kFetch;
  if (found == Found::kSoftError) soft_errors += kFetch;
}

void FetchCounts::Halve(std::uint64_t times) {
  const auto shift = static_cast<unsigned>(std::min<std::uint64_t>(times, 31));
  fetched >>= shift;
  fresh >>= shift;
  errors >>= shift;
  soft_errors >>= shift;
}

Share FetchCounts::ChanceOfNew(Share prior) const {
  const std::uint64_t weight = std::uint64_t{kPriorFetches} * kFetch;
  return static_cast<Share>(((std::uint64_t{fresh} << 16) + weight * prior) / (fetched + weight));
}

void PatternCounts::FadeTo(std::uint64_t seconds, std::uint64_t half_life_seconds) {
  const std::uint64_t half_lives = seconds / std::max<std::uint64_t>(half_life_seconds, 1);
  if (half_lives <= half_lives_) return;
  for (auto& [hash, pattern] : patterns_) {
    pattern.counts.Halve(half_lives - half_lives_);
    pattern.inherited >>= std::min<std::uint64_t>(half_lives - half_lives_, 31);
  }
  half_lives_ = half_lives;
}

void PatternCounts::Add(std::string_view pattern, Found found, Share novelty) {
  pattern = pattern.substr(0, kMaxPatternBytes);
  const std::uint64_t hash = HashOf(pattern);
  auto place = patterns_.find(hash);
  if (place == patterns_.end()) {
    Pattern added;
    added.text = pattern;
    if (patterns_.size() >= kMaxPatterns) {
      const auto weakest =
          std::min_element(patterns_.begin(), patterns_.end(), [](const auto& a, const auto& b) {
            return std::pair(RankOf(a.second), a.first) < std::pair(RankOf(b.second), b.first);
          });
      added.inherited = std::min(RankOf(weakest->second), FetchCounts::kLimit);
      patterns_.erase(weakest);
    }
    place = patterns_.emplace(hash, std::move(added)).first;
  }
  place->second.counts.Add(found, novelty);
}

FetchCounts PatternCounts::Find(std::string_view pattern) const {
  const auto place = patterns_.find(HashOf(pattern.substr(0, kMaxPatternBytes)));
  return place == patterns_.end() ? FetchCounts() : place->second.counts;
}

void Encode(const FetchCounts& counts, schedule::ByteWriter& out) {
  out.Varint(counts.fetched);
  out.Varint(counts.fresh);
  out.Varint(counts.errors);
  out.Varint(counts.soft_errors);
}

bool Decode(schedule::ByteReader& in, FetchCounts& counts) {
  const std::uint64_t fetched = in.Varint();
  const std::uint64_t fresh = in.Varint();
  const std::uint64_t errors = in.Varint();
  const std::uint64_t soft_errors = in.Varint();
  if (!in.ok() || fetched > FetchCounts::kLimit || fresh > fetched || errors > fetched ||
      soft_errors > fetched) {
    return false;
  }
  counts = {static_cast<std::uint32_t>(fetched), static_cast<std::uint32_t>(fresh),
            static_cast<std::uint32_t>(errors), static_cast<std::uint32_t>(soft_errors)};
  return true;
}

void PatternCounts::Encode(schedule::ByteWriter& out) const {
  out.Varint(half_lives_);
  out.Varint(patterns_.size());
  for (const auto& [hash, pattern] : patterns_) {
    out.Text(pattern.text);
    site::Encode(pattern.counts, out);
    out.Varint(pattern.inherited);
  }
}

bool PatternCounts::Decode(schedule::ByteReader& in) {
  patterns_.clear();
  half_lives_ = in.Varint();
  const std::uint64_t count = in.Varint();
  if (count > kMaxPatterns) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    Pattern pattern;
    pattern.text = in.Text();
    if (pattern.text.size() > kMaxPatternBytes || !site::Decode(in, pattern.counts)) return false;
    const std::uint64_t inherited = in.Varint();
    if (inherited > FetchCounts::kLimit) return false;
    pattern.inherited = static_cast<std::uint32_t>(inherited);
    const std::uint64_t hash = HashOf(pattern.text);
    if (!patterns_.empty() && hash <= patterns_.rbegin()->first) return false;
    patterns_.emplace(hash, std::move(pattern));
  }
  return in.ok();
}

}  // namespace crawlsieve::site
