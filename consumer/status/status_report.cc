#include "consumer/status/status_report.h"

#include "consumer/status/quantities.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kMaxPartitions = 30;
constexpr std::array<const char*, kLatencies> kStageNames{"extract", "judge", "end_to_end"};

LatencyFigures FiguresOf(const LatencyCounts& counts) {
  return {Quantile(counts, 0.5), Quantile(counts, 0.95), Quantile(counts, 0.99)};
}

std::uint64_t CountOf(const std::map<std::string, std::uint64_t>& counts,
                      const std::string& label) {
  const auto found = counts.find(label);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

bool StatusReport::HasRole(std::string_view role) const {
  return std::ranges::find(roles, role) != roles.end();
}

std::optional<std::uint64_t> StatusReport::lag_records() const {
  std::optional<std::uint64_t> sum;
  for (const PartitionReport& partition : partitions) {
    if (partition.lag.has_value()) {
      sum = sum.value_or(0) + static_cast<std::uint64_t>(std::max<std::int64_t>(0, *partition.lag));
    }
  }
  return sum;
}

std::optional<double> StatusReport::lag_seconds() const {
  std::optional<double> most;
  for (const PartitionReport& partition : partitions) {
    if (partition.lag_seconds.has_value()) {
      most = std::max(most.value_or(0.0), *partition.lag_seconds);
    }
  }
  return most;
}

LatencyFigures StatusReport::LatencyOf(std::string_view stage) const {
  const auto found = std::ranges::find(stages, stage, &Stage::name);
  if (found == stages.end()) return {};
  return found->recent.p50.has_value() ? found->recent : found->hour;
}

std::string_view StatusReport::StateName() const {
  if (health == Health::kNotLive) return "not live";
  if (restoring) return "restoring";
  if (health == Health::kNotReady) return "not ready";
  return standby ? "standby" : "ready";
}

void TakeUp(const MetricsReading& reading, const Recorded& recorded, StatusReport& report) {
  report.restoring = reading.restoring;
  report.standby = reading.standby;
  report.connected = reading.connected;
  if (reading.restore.has_value()) {
    const RestoreReport& restore = *reading.restore;
    const auto not_negative = [](std::int64_t count) {
      return static_cast<std::uint64_t>(std::max<std::int64_t>(0, count));
    };
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - restore.began;
    report.restore = StatusReport::Restore{
        not_negative(restore.to - restore.from), not_negative(restore.to - restore.next),
        SecondsLeft(static_cast<double>(restore.next - restore.from),
                    static_cast<double>(restore.to - restore.next), passed.count())};
  }

  const History::Stretch& recent = recorded.recent;
  report.recent_seconds = recent.seconds;
  const auto rate = [&](std::uint64_t count) {
    return recent.seconds > 0 ? static_cast<double>(count) / recent.seconds : 0.0;
  };
  report.consumed_a_second = rate(recent.activity.consumed);
  report.bytes_a_second = rate(recent.activity.bytes);
  report.kept_a_second = rate(recent.activity.kept);
  report.dropped_a_second = rate(recent.activity.dropped);
  report.errors_a_second = rate(recent.activity.errors);

  report.partitions = reading.assignment;
  std::ranges::stable_sort(
      report.partitions, std::ranges::greater(),
      [](const PartitionReport& partition) { return partition.lag_seconds.value_or(0.0); });
  if (report.partitions.size() > kMaxPartitions) report.partitions.resize(kMaxPartitions);
  report.slots = reading.slots;
  report.log_clock = reading.log_clock;
  report.open_gap_offsets = reading.open_gap_offsets;
  report.dead_letters_hour = recorded.hour.dead_letters;
  for (const auto& [code, count] : reading.total.dead_letters) report.dead_letters += count;

  for (std::size_t i = 0; i < recorded.reasons.size(); ++i) {
    const VerdictReason& reason = recorded.reasons[i];
    report.mix.push_back(
        {reason.name, reason.is_kept, recorded.hour.reasons[i],
         CountOf(reason.is_kept ? reading.total.kept : reading.total.dropped, reason.name)});
  }
  std::ranges::stable_sort(report.mix, std::ranges::greater(), &StatusReport::Mix::total);
  report.distances = reading.distances;
  for (std::size_t i = 0; i < kLatencies; ++i) {
    report.stages.push_back({kStageNames[i], FiguresOf(recent.activity.latencies[i]),
                             FiguresOf(recorded.hour.latencies[i])});
  }
  report.storage = reading.storage;
  report.kafka_clients = reading.kafka_clients;
  for (const HeavyHitters::Item& host : recorded.hosts) {
    report.hosts.push_back({host.name, host.count, host.error});
  }
  report.host_duplicates = recorded.host_duplicates;
  report.hosts_since = recorded.hosts_since;
  report.pairs = recorded.pairs;
  report.points = recorded.points;
}

}  // namespace crawlsieve::consumer
