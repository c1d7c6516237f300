#include "consumer/service/brokers/status_board.h"

#include <algorithm>
#include <utility>

namespace crawlsieve::consumer {

StatusBoard::StatusBoard(const std::vector<Role>& roles, Metrics& metrics) : metrics_(metrics) {
  for (const Role role : roles) stages_[role];
}

void StatusBoard::SetConnected(Role role, bool connected) {
  MutexLock lock(mutex_);
  stages_[role].connected = connected;
  metrics_.SetConnected(std::all_of(stages_.begin(), stages_.end(),
                                    [](const auto& stage) { return stage.second.connected; }));
}

void StatusBoard::SetClient(Role role, const std::string& client,
                            const std::optional<KafkaClientReport>& report) {
  metrics_.SetKafkaClient(std::string(NameOf(role)) + '_' + client, report);
}

void StatusBoard::SetRound(Role role, Clock::time_point now) {
  MutexLock lock(mutex_);
  stages_[role].last_round = now;
}

StatusBoard::Clock::duration StatusBoard::Silence(Clock::time_point now) const {
  MutexLock lock(mutex_);
  Clock::duration longest{0};
  for (const auto& [role, stage] : stages_) {
    if (stage.last_round.has_value()) longest = std::max(longest, now - *stage.last_round);
  }
  return longest;
}

void StatusBoard::SetPartitions(Role role, std::vector<PartitionReport> partitions) {
  MutexLock lock(mutex_);
  stages_[role].partitions = std::move(partitions);
  std::vector<PartitionReport> all;
  for (const auto& [stage_role, stage] : stages_) {
    all.insert(all.end(), stage.partitions.begin(), stage.partitions.end());
  }
  metrics_.SetAssignment(std::move(all));
}

}  // namespace crawlsieve::consumer
