#pragma once

#include "consumer/kafka/record.h"
#include "plugin/judge/detector.h"

#include <set>
#include <vector>

namespace crawlsieve::consumer {

/// Alarms of a batch of folded entries: input records that get no verdict. They are logged only
/// after the batch is committed. Thread-compatible.
class InputAlarms {
 public:
  void Add(const Folded& folded, const log::Source& source);

  [[nodiscard]] bool has_gaps_changed() const { return has_gaps_changed_; }

  /// Writes the log lines: `judge.input_gap` for each gap that was opened or given up,
  /// `judge.other_topic` and `judge.stale_generation` once for each partition that isn't in the
  /// given sets yet.
  void Report(std::set<TopicPartition>& stale_told, std::set<TopicPartition>& other_told) const;

 private:
  struct Gap {
    TopicPartition partition;
    OffsetRange offsets;
    bool is_given_up;
  };
  struct Refusal {
    TopicPartition partition;
    std::int64_t offset;
    std::uint32_t generation;
  };

  std::vector<Gap> gaps_;
  std::vector<Refusal> stale_;
  std::vector<Refusal> other_;
  bool has_gaps_changed_ = false;
};

}  // namespace crawlsieve::consumer
