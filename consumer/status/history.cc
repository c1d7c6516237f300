#include "consumer/status/history.h"

#include <algorithm>

namespace crawlsieve::consumer {

Activity& Activity::operator+=(const Activity& other) {
  consumed += other.consumed;
  bytes += other.bytes;
  kept += other.kept;
  dropped += other.dropped;
  dead_letters += other.dead_letters;
  errors += other.errors;
  for (std::size_t i = 0; i < reasons.size(); ++i) reasons[i] += other.reasons[i];
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    for (std::size_t j = 0; j < latencies[i].size(); ++j) {
      latencies[i][j] += other.latencies[i][j];
    }
  }
  return *this;
}

std::optional<double> Quantile(const LatencyCounts& counts, double quantile) {
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts) total += count;
  if (total == 0) return std::nullopt;
  const double rank = std::clamp(quantile, 0.0, 1.0) * static_cast<double>(total);
  double below = 0;
  for (std::size_t i = 0; i < kLatencyBounds.size(); ++i) {
    const auto count = static_cast<double>(counts[i]);
    if (count > 0 && below + count >= rank) {
      const double low = i == 0 ? 0.0 : kLatencyBounds[i - 1];
      return low + (kLatencyBounds[i] - low) * std::max(0.0, rank - below) / count;
    }
    below += count;
  }
  return kLatencyBounds.back();
}

History::History() : minutes_(kMinutes) {}

void History::Add(Timestamp now, std::chrono::duration<double> passed, const Activity& activity) {
  recent_[next_recent_] = {activity, passed.count()};
  next_recent_ = (next_recent_ + 1) % kRecent;

  const std::int64_t minute = std::max<std::int64_t>(
      0, std::chrono::floor<std::chrono::minutes>(now.time_since_epoch()).count());
  constexpr auto kAll = static_cast<std::int64_t>(kMinutes);
  if (last_ < first_) {
    first_ = last_ = minute;
  } else if (minute > last_) {
    // Minutes in between are empty; no more than all of them are to be cleared.
    for (std::int64_t i = std::max(last_ + 1, minute - kAll + 1); i <= minute; ++i) {
      MinuteAt(i) = Activity();
    }
    last_ = minute;
    first_ = std::max(first_, last_ - kAll + 1);
  }
  MinuteAt(last_) += activity;
}

History::Stretch History::Recent() const {
  Stretch all;
  for (const Stretch& sample : recent_) {
    all.activity += sample.activity;
    all.seconds += sample.seconds;
  }
  return all;
}

Activity History::Last(std::size_t minutes) const {
  Activity sum;
  const std::int64_t from =
      std::max(first_, last_ + 1 - static_cast<std::int64_t>(std::min(minutes, kMinutes)));
  for (std::int64_t i = from; i <= last_; ++i) sum += MinuteAt(i);
  return sum;
}

std::vector<History::Point> History::Points(std::size_t minutes) const {
  const auto length = static_cast<std::int64_t>(std::clamp<std::size_t>(minutes, 1, kMinutes));
  std::vector<Point> points;
  for (std::int64_t i = first_; i <= last_; ++i) {
    const std::int64_t begin = i - i % length;
    const Timestamp time{std::chrono::minutes(begin)};
    if (points.empty() || points.back().begin != time) points.push_back({.begin = time});
    const Activity& activity = MinuteAt(i);
    points.back().consumed += activity.consumed;
    points.back().kept += activity.kept;
    points.back().dropped += activity.dropped;
  }
  return points;
}

}  // namespace crawlsieve::consumer
