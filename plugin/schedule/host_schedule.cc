#include "plugin/schedule/host_schedule.h"

#include "plugin/schedule/evidence_bytes.h"
#include "plugin/schedule/text_hash.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace crawlsieve::schedule {
namespace {

constexpr std::uint32_t kAnswers = 20;
constexpr std::uint32_t kAnswerMask = (1U << kAnswers) - 1;
constexpr std::uint32_t kMaxPauses = 15;
constexpr std::uint64_t kFormat = 1;

// A target: its hash, two short lists, a count. Then the host's own numbers.
constexpr std::size_t kTargetBytes =
    8 + 2 + 4 * (HostSchedule::kSinkSources + HostSchedule::kSinkPatterns) + 10;
static_assert(HostSchedule::kMaxTargets * kTargetBytes + 128 <= HostSchedule::kMaxEncodedBytes);

/// The entry that makes room: the lowest rank, then the lowest hash.
template <typename Map, typename Rank>
typename Map::iterator Weakest(Map& map, const Rank& rank) {
  return std::min_element(map.begin(), map.end(), [&](const auto& a, const auto& b) {
    return std::pair(rank(a.second), a.first) < std::pair(rank(b.second), b.first);
  });
}

bool IsSinkTarget(const RedirectTarget& target) {
  return target.sources.size() >= HostSchedule::kSinkSources &&
         target.patterns.size() >= HostSchedule::kSinkPatterns;
}

void Insert(std::vector<std::uint32_t>& set, std::uint64_t hash, std::size_t at_most) {
  const auto value = static_cast<std::uint32_t>(hash);
  const auto place = std::lower_bound(set.begin(), set.end(), value);
  if (set.size() < at_most && (place == set.end() || *place != value)) set.insert(place, value);
}

void Write(ByteWriter& out, const std::vector<std::uint32_t>& set) {
  out.Varint(set.size());
  for (const std::uint32_t value : set) out.Fixed(value, 4);
}

bool ReadSet(ByteReader& in, std::size_t at_most, std::vector<std::uint32_t>& set) {
  const std::uint64_t size = in.Varint();
  if (size > at_most) return false;
  for (std::uint64_t i = 0; i < size; ++i) set.push_back(static_cast<std::uint32_t>(in.Fixed(4)));
  return in.ok() && std::is_sorted(set.begin(), set.end(), std::less_equal<>());
}

}  // namespace

void HostSchedule::AddVisit(Seconds time, Seconds interval, bool changed, Seconds half_life) {
  changes_.FadeTo(time, half_life);
  changes_.evidence.Add(interval, changed);
}

void HostSchedule::AddAnswer(Seconds time, bool failed, const RetryOptions& retry) {
  answers_ = (answers_ << 1 | static_cast<std::uint32_t>(failed)) & kAnswerMask;
  answer_count_ = std::min(answer_count_ + 1, kAnswers);
  const bool is_failing = answer_count_ == kAnswers &&
                          static_cast<std::uint32_t>(std::popcount(answers_)) > kAnswers / 2;
  if (!is_failing) {
    pauses_ = 0;
    paused_until_ = 0;
    return;
  }
  // Fetches that were under way when the pause began don't make it longer.
  if (!failed || time < paused_until_) return;
  pauses_ = std::min(pauses_ + 1, kMaxPauses);
  paused_until_ = time + BackOff(retry, pauses_);
}

void HostSchedule::AddRedirect(std::string_view source, std::string_view pattern,
                               std::string_view target) {
  const std::uint64_t hash = TextHash(target);
  auto place = targets_.find(hash);
  if (place == targets_.end()) {
    RedirectTarget added;
    if (targets_.size() >= kMaxTargets) {
      const auto weakest =
          Weakest(targets_, [](const RedirectTarget& other) { return other.redirects; });
      added.redirects = weakest->second.redirects;
      targets_.erase(weakest);
    }
    place = targets_.emplace(hash, std::move(added)).first;
  }
  ++place->second.redirects;
  Insert(place->second.sources, TextHash(source), kSinkSources);
  Insert(place->second.patterns, TextHash(pattern), kSinkPatterns);
}

bool HostSchedule::IsSink(std::string_view target) const {
  const auto place = targets_.find(TextHash(target));
  return place != targets_.end() && IsSinkTarget(place->second);
}

std::size_t HostSchedule::sinks() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      targets_, [](const auto& target) { return IsSinkTarget(target.second); }));
}

std::string HostSchedule::Encode() const {
  ByteWriter out;
  out.Varint(kFormat);
  WriteEvidence(out, changes_);
  out.Varint(answers_);
  out.Varint(answer_count_);
  out.Varint(pauses_);
  out.Varint(paused_until_);
  out.Varint(targets_.size());
  for (const auto& [hash, target] : targets_) {
    out.Fixed(hash, 8);
    Write(out, target.sources);
    Write(out, target.patterns);
    out.Varint(target.redirects);
  }
  return std::move(out).Take();
}

Result<HostSchedule> HostSchedule::Decode(std::string_view bytes) {
  const auto damaged = [](const char* what) {
    return MakeError(ErrorCode::kCorruption, std::string("schedule of a host: ") + what);
  };
  ByteReader in(bytes);
  if (in.Varint() != kFormat) return damaged("unknown format");
  HostSchedule host;
  host.changes_ = ReadEvidence(in);
  host.answers_ = static_cast<std::uint32_t>(in.Varint()) & kAnswerMask;
  host.answer_count_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(in.Varint(), kAnswers));
  host.pauses_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(in.Varint(), kMaxPauses));
  host.paused_until_ = in.Varint();
  const std::uint64_t targets = in.Varint();
  if (targets > kMaxTargets) return damaged("too many redirect targets");
  for (std::uint64_t i = 0; i < targets; ++i) {
    const std::uint64_t hash = in.Fixed(8);
    RedirectTarget target;
    if (!ReadSet(in, kSinkSources, target.sources) ||
        !ReadSet(in, kSinkPatterns, target.patterns)) {
      return damaged("redirect sources");
    }
    target.redirects = in.Varint();
    host.targets_.emplace(hash, std::move(target));
  }
  if (!in.ok() || !in.at_end()) return damaged("length");
  return host;
}

}  // namespace crawlsieve::schedule
