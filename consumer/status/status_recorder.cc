#include "consumer/status/status_recorder.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace crawlsieve::consumer {
namespace {

std::uint64_t Sum(const std::map<std::string, std::uint64_t>& counts) {
  std::uint64_t sum = 0;
  for (const auto& [label, count] : counts) sum += count;
  return sum;
}

/// What `label` grew by.
std::uint64_t Grown(const std::map<std::string, std::uint64_t>& before, const std::string& label,
                    std::uint64_t now) {
  const auto found = before.find(label);
  return found == before.end() ? now : now - found->second;
}

}  // namespace

StatusRecorder::StatusRecorder() : hosts_(kHosts), earlier_hosts_(kHosts) {}

std::size_t StatusRecorder::NumberOf(const VerdictReason& reason) {
  const auto found = std::ranges::find(reasons_, reason);
  if (found != reasons_.end()) {
    return static_cast<std::size_t>(std::distance(reasons_.begin(), found));
  }
  if (reasons_.size() == kMaxReasons) return kMaxReasons - 1;
  reasons_.push_back(reason);
  return reasons_.size() - 1;
}

void StatusRecorder::Sample(const MetricsReading& reading, Timestamp now,
                            std::chrono::duration<double> passed) {
  const MutexLock lock(mutex_);
  const CounterValues& total = reading.total;
  Activity activity;
  activity.consumed = total[Count::kRecordsConsumed] - last_total_[Count::kRecordsConsumed];
  activity.bytes = total[Count::kBytesConsumed] - last_total_[Count::kBytesConsumed];
  for (const bool is_kept : {true, false}) {
    const auto& before = is_kept ? last_total_.kept : last_total_.dropped;
    std::uint64_t& all = is_kept ? activity.kept : activity.dropped;
    for (const auto& [label, count] : is_kept ? total.kept : total.dropped) {
      const std::uint64_t more = Grown(before, label, count);
      activity.reasons[NumberOf({label, is_kept})] += more;
      all += more;
    }
  }
  activity.dead_letters = Sum(total.dead_letters) - Sum(last_total_.dead_letters);
  activity.errors = Sum(total.errors) - Sum(last_total_.errors);
  for (std::size_t i = 0; i < kLatencies; ++i) {
    for (std::size_t j = 0; j < reading.latencies[i].size(); ++j) {
      activity.latencies[i][j] = reading.latencies[i][j] - last_latencies_[i][j];
    }
  }
  last_total_ = total;
  last_latencies_ = reading.latencies;
  history_.Add(now, passed, activity);
  RotateHosts(now);
}

void StatusRecorder::RotateHosts(Timestamp now) {
  if (!hosts_begin_.has_value() || now < *hosts_begin_ + kHostsTime) return;
  std::swap(hosts_, earlier_hosts_);
  hosts_.Clear();
  earlier_hosts_begin_ = std::exchange(hosts_begin_, now);
}

void StatusRecorder::AddBatch(const BatchFindings& findings, Timestamp now) {
  if (findings.hosts().empty() && findings.pairs().empty()) return;
  const MutexLock lock(mutex_);
  if (!hosts_begin_.has_value()) hosts_begin_ = now;
  for (const auto& [host, count] : findings.hosts()) hosts_.Add(host, count);
  for (const NearPair& pair : findings.pairs()) {
    pairs_.push_back(pair);
    pairs_.back().judged = now;
  }
  while (pairs_.size() > kPairs) pairs_.pop_front();
}

Recorded StatusRecorder::Read() const {
  const MutexLock lock(mutex_);
  Recorded recorded;
  recorded.reasons = reasons_;
  recorded.recent = history_.Recent();
  recorded.hour = history_.Last(60);
  recorded.points = history_.Points(kMinutesAPoint);
  recorded.hosts = HeavyHitters::Top(hosts_, earlier_hosts_, kHostsShown);
  recorded.host_duplicates = hosts_.total() + earlier_hosts_.total();
  recorded.hosts_since = earlier_hosts_begin_.has_value() ? earlier_hosts_begin_ : hosts_begin_;
  recorded.pairs.assign(pairs_.rbegin(), pairs_.rend());
  return recorded;
}

}  // namespace crawlsieve::consumer
