#include "consumer/service/judge/batch_counts.h"

#include <algorithm>

namespace crawlsieve::consumer {

void BatchCounts::Add(const Folded& folded, const log::Page& page) {
  ++folded_;
  if (folded.gap.is_filling) ++recovered_;
  if (folded.gap.opened.has_value()) {
    lost_ += static_cast<std::uint64_t>(folded.gap.opened->to - folded.gap.opened->from + 1);
  }
  switch (folded.outcome) {
    case FoldOutcome::kVerdict: {
      const Reason reason = folded.verdict->reason;
      ++verdicts_[static_cast<std::size_t>(reason)];
      if (reason == Reason::kNearDuplicate && folded.verdict->match.has_value()) {
        const auto bits = static_cast<std::size_t>(std::max(0, folded.verdict->match->distance));
        ++distances_[std::min(bits, distances_.size() - 1)];
      }
      if (RuleFor(reason).decision == Decision::kDrop) bytes_saved_ += page.body_bytes();
      return;
    }
    case FoldOutcome::kRedelivered:
      ++redelivered_;
      return;
    case FoldOutcome::kRanAhead:
      ++ran_ahead_;
      return;
    case FoldOutcome::kStaleGeneration:
      ++stale_generation_;
      return;
    case FoldOutcome::kOtherTopic:
      ++other_topic_;
      return;
    case FoldOutcome::kQuestion:
      ++questions_;
      return;
    case FoldOutcome::kParameters:
    case FoldOutcome::kDeadLetter:
    case FoldOutcome::kPosition:
      return;
  }
}

void BatchCounts::AddTo(Metrics& metrics) const {
  for (std::size_t i = 0; i < verdicts_.size(); ++i) {
    if (verdicts_[i] == 0) continue;
    const Rule& rule = RuleFor(static_cast<Reason>(i));
    Counter& counter =
        rule.decision == Decision::kKeep ? metrics.Kept(rule.name) : metrics.Dropped(rule.name);
    counter.Add(verdicts_[i]);
  }
  metrics.AddDistances(distances_);
  metrics.Add(Count::kLogEntriesFolded, folded_);
  metrics.Add(Count::kRedelivered, redelivered_);
  metrics.Add(Count::kRanAhead, ran_ahead_);
  metrics.Add(Count::kStaleGeneration, stale_generation_);
  metrics.Add(Count::kOtherTopic, other_topic_);
  metrics.Add(Count::kQuestions, questions_);
  metrics.Add(Count::kLostRecords, lost_);
  metrics.Add(Count::kRecoveredRecords, recovered_);
  metrics.Add(Count::kSkippedEntries, skipped_);
  metrics.Add(Count::kBytesSaved, bytes_saved_);
}

}  // namespace crawlsieve::consumer
