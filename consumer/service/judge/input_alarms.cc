#include "consumer/service/judge/input_alarms.h"

#include "consumer/observability/logging.h"

#include <algorithm>

namespace crawlsieve::consumer {
namespace {

/// One refusal names a partition. Later ones are dropped.
template <typename Refusal>
void AddFirst(std::vector<Refusal>& refusals, Refusal refusal) {
  const auto is_same = [&](const Refusal& known) { return known.partition == refusal.partition; };
  if (std::ranges::none_of(refusals, is_same)) refusals.push_back(std::move(refusal));
}

}  // namespace

void InputAlarms::Add(const Folded& folded, const log::Source& source) {
  const GapChange& change = folded.gap;
  const bool is_refused =
      folded.outcome == FoldOutcome::kStaleGeneration || folded.outcome == FoldOutcome::kOtherTopic;
  if (!is_refused && !change.is_filling && !change.opened && !change.given_up) return;
  TopicPartition partition{source.topic(), source.partition()};
  has_gaps_changed_ = has_gaps_changed_ || !is_refused;
  if (change.opened) gaps_.push_back({partition, *change.opened, false});
  if (change.given_up) gaps_.push_back({partition, *change.given_up, true});
  if (is_refused) {
    AddFirst(folded.outcome == FoldOutcome::kOtherTopic ? other_ : stale_,
             Refusal{std::move(partition), source.offset(), source.generation()});
  }
}

void InputAlarms::Report(std::set<TopicPartition>& stale_told,
                         std::set<TopicPartition>& other_told) const {
  for (const Gap& gap : gaps_) {
    Log(LogLevel::kError, "judge.input_gap",
        {{"topic", gap.partition.topic},
         {"partition", gap.partition.partition},
         {"from", gap.offsets.from},
         {"to", gap.offsets.to},
         {"meaning", gap.is_given_up
                         ? "a partition has more gaps than are remembered: these records get no "
                           "verdict, even if they are delivered again"
                         : "the admission log has no entry for these records; they get a verdict "
                           "when they are delivered again. docs/reliability.md, \"Alarms\""}});
  }
  for (const Refusal& refusal : other_) {
    if (!other_told.insert(refusal.partition).second) continue;
    Log(LogLevel::kError, "judge.other_topic",
        {{"topic", refusal.partition.topic},
         {"partition", refusal.partition.partition},
         {"offset", refusal.offset},
         {"generation", refusal.generation},
         {"meaning",
          "the input topic was recreated: its records up to the mark get no verdict. Raise "
          "kafka.input.generation. docs/reliability.md, \"Alarms\""}});
  }
  for (const Refusal& refusal : stale_) {
    if (!stale_told.insert(refusal.partition).second) continue;
    Log(LogLevel::kError, "judge.stale_generation",
        {{"topic", refusal.partition.topic},
         {"partition", refusal.partition.partition},
         {"offset", refusal.offset},
         {"generation", refusal.generation},
         {"meaning",
          "an extract process runs with a lower kafka.input.generation than an earlier one; "
          "its pages get no verdicts"}});
  }
}

}  // namespace crawlsieve::consumer
