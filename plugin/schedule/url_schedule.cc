#include "plugin/schedule/url_schedule.h"

#include "plugin/schedule/byte_writer.h"
#include "plugin/schedule/threshold.h"

#include <algorithm>
#include <array>

namespace crawlsieve::schedule {
namespace {

constexpr std::size_t kTimeBytes = 5;
constexpr std::size_t kChangeBytes = 2;
constexpr std::size_t kYearsBytes = 4;  // seconds: 136 years
constexpr std::size_t kWeeksBytes = 3;  // seconds: 194 days
// State and failures share a byte; the bucket has one.
static_assert(UrlSchedule::kEncodedBytes ==
              2 + 2 * kTimeBytes + 2 * kChangeBytes + 2 * kYearsBytes + 2 * kWeeksBytes);

constexpr std::uint64_t Largest(std::size_t bytes) { return (std::uint64_t{1} << 8 * bytes) - 1; }

void FitInto(ChangeEvidence& evidence, std::size_t time_bytes) {
  while (evidence.changes > Largest(kChangeBytes) ||
         std::max(evidence.changed_seconds, evidence.unchanged_seconds) > Largest(time_bytes)) {
    evidence.changes /= 2;
    evidence.changed_seconds /= 2;
    evidence.unchanged_seconds /= 2;
  }
}

void Write(ByteWriter& out, const ChangeEvidence& evidence, std::size_t time_bytes) {
  out.Fixed(evidence.changes, kChangeBytes);
  out.Fixed(evidence.changed_seconds, time_bytes);
  out.Fixed(evidence.unchanged_seconds, time_bytes);
}

ChangeEvidence Read(ByteReader& in, std::size_t time_bytes) {
  ChangeEvidence evidence;
  evidence.changes = in.Fixed(kChangeBytes);
  evidence.changed_seconds = in.Fixed(time_bytes);
  evidence.unchanged_seconds = in.Fixed(time_bytes);
  return evidence;
}

}  // namespace

std::string_view NameOf(UrlState state) {
  constexpr std::array<std::string_view, 4> kNames{"live", "missing", "gone", "moved"};
  return kNames.at(static_cast<std::size_t>(state));
}

void UrlSchedule::Fit() {
  last_visit = std::min(last_visit, Largest(kTimeBytes));
  not_before = std::min(not_before, Largest(kTimeBytes));
  failures = std::min(failures, kMaxFailures);
  FitInto(years, kYearsBytes);
  FitInto(weeks, kWeeksBytes);
}

std::string UrlSchedule::Encode() const {
  ByteWriter out;
  out.Fixed(static_cast<std::uint64_t>(state) << 4 | failures, 1);
  out.Fixed(bucket, 1);
  out.Fixed(last_visit, kTimeBytes);
  out.Fixed(not_before, kTimeBytes);
  Write(out, years, kYearsBytes);
  Write(out, weeks, kWeeksBytes);
  return std::move(out).Take();
}

Result<UrlSchedule> UrlSchedule::Decode(std::string_view bytes) {
  if (bytes.size() != kEncodedBytes) {
    return MakeError(ErrorCode::kCorruption,
                     "schedule of a URL: " + std::to_string(bytes.size()) + " bytes");
  }
  ByteReader in(bytes);
  const std::uint64_t state = in.Fixed(1);
  if (state >> 4 > static_cast<std::uint64_t>(UrlState::kMoved)) {
    return MakeError(ErrorCode::kCorruption,
                     "schedule of a URL: state " + std::to_string(state >> 4));
  }
  UrlSchedule schedule;
  schedule.state = static_cast<UrlState>(state >> 4);
  schedule.failures = static_cast<std::uint8_t>(state & kMaxFailures);
  schedule.bucket = static_cast<std::uint8_t>(in.Fixed(1));
  if (schedule.bucket != kNoBucket && schedule.bucket >= RateHistogram::kBuckets) {
    return MakeError(ErrorCode::kCorruption,
                     "schedule of a URL: bucket " + std::to_string(schedule.bucket));
  }
  schedule.last_visit = in.Fixed(kTimeBytes);
  schedule.not_before = in.Fixed(kTimeBytes);
  schedule.years = Read(in, kYearsBytes);
  schedule.weeks = Read(in, kWeeksBytes);
  return schedule;
}

}  // namespace crawlsieve::schedule
