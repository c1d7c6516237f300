#include "plugin/schedule/pattern_set.h"

#include "plugin/schedule/evidence_bytes.h"
#include "plugin/schedule/path_pattern.h"
#include "plugin/schedule/text_hash.h"

#include <algorithm>
#include <utility>

namespace crawlsieve::schedule {
namespace {

constexpr std::uint64_t kFormat = 1;

// Text and its length, three sums and a time of at most 9 bytes each (the sums stay below 2^61),
// two counts of at most 10; before them format and count.
static_assert(PatternSet::kMaxPatterns * (kMaxPatternBytes + 2 + 4 * 9 + 2 * 10) + 2 <=
              PatternSet::kMaxEncodedBytes);
// A key is at most a host name of 253 bytes and two more.
static_assert(PatternSet::kSets * (PatternSet::kMaxEncodedBytes + 255) + 2 * 1024 <= 64 * 1024);

std::uint64_t RankOf(const PatternSchedule& schedule) {
  return schedule.visits + schedule.inherited;
}

}  // namespace

std::uint8_t PatternSet::SetOf(std::string_view pattern) {
  return static_cast<std::uint8_t>(TextHash(pattern) % kSets);
}

void PatternSet::AddVisit(std::string_view pattern, Seconds time, Seconds interval, bool changed,
                          Seconds half_life) {
  pattern = pattern.substr(0, kMaxPatternBytes);
  auto place = std::ranges::find(patterns_, pattern, &PatternSchedule::pattern);
  if (place == patterns_.end()) {
    PatternSchedule added;
    added.pattern = pattern;
    if (patterns_.size() < kMaxPatterns) {
      place = patterns_.insert(place, std::move(added));
    } else {
      place = std::ranges::min_element(patterns_, {}, RankOf);
      added.inherited = RankOf(*place);
      *place = std::move(added);
    }
  }
  place->changes.FadeTo(time, half_life);
  place->changes.evidence.Add(interval, changed);
  ++place->visits;
}

const PatternSchedule* PatternSet::Find(std::string_view pattern) const {
  pattern = pattern.substr(0, kMaxPatternBytes);
  const auto place = std::ranges::find(patterns_, pattern, &PatternSchedule::pattern);
  return place == patterns_.end() ? nullptr : &*place;
}

std::string PatternSet::Encode() const {
  ByteWriter out;
  out.Varint(kFormat);
  out.Varint(patterns_.size());
  for (const PatternSchedule& schedule : patterns_) {
    out.Text(schedule.pattern);
    WriteEvidence(out, schedule.changes);
    out.Varint(schedule.visits);
    out.Varint(schedule.inherited);
  }
  return std::move(out).Take();
}

Result<PatternSet> PatternSet::Decode(std::string_view bytes) {
  const auto damaged = [](const char* what) {
    return MakeError(ErrorCode::kCorruption, std::string("path patterns of a host: ") + what);
  };
  ByteReader in(bytes);
  if (in.Varint() != kFormat) return damaged("unknown format");
  const std::uint64_t count = in.Varint();
  if (count > kMaxPatterns) return damaged("too many patterns");
  PatternSet set;
  for (std::uint64_t i = 0; i < count; ++i) {
    PatternSchedule& schedule = set.patterns_.emplace_back();
    schedule.pattern = in.Text();
    schedule.changes = ReadEvidence(in);
    schedule.visits = in.Varint();
    schedule.inherited = in.Varint();
    if (schedule.pattern.size() > kMaxPatternBytes) return damaged("pattern too long");
  }
  if (!in.ok() || !in.at_end()) return damaged("length");
  return set;
}

}  // namespace crawlsieve::schedule
