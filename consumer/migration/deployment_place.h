#pragma once

#include "consumer/migration/judged_bounds.h"
#include "consumer/service/options.h"
#include "plugin/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace crawlsieve::consumer {

// How far a deployment is, as the brokers tell. Errors: kIo.

/// Where its extract group goes on, of each input partition of which it has committed something.
[[nodiscard]] Result<std::map<InputPartition, std::int64_t>> ExtractedUpTo(
    const KafkaOptions& kafka);

/// The end of its log.
[[nodiscard]] Result<std::int64_t> LogEnd(const KafkaOptions& kafka);

/// Where its judges' group goes on in the log; 0 where it has committed nothing.
[[nodiscard]] Result<std::int64_t> JudgedUpTo(const KafkaOptions& kafka);

/// Whether a deployment has judged all records before some bounds. Until a shadow has, its verdicts
/// mustn't go to readers who have the same of the old deployment. Thread-compatible.
class CatchUp {
 public:
  /// `kafka` is borrowed.
  CatchUp(const KafkaOptions& kafka, std::map<InputPartition, std::int64_t> bounds)
      : kafka_(kafka), bounds_(std::move(bounds)) {}

  /// What is missing, for a person; empty: nothing, and so it stays.
  [[nodiscard]] Result<std::string> WhatIsMissing();

 private:
  const KafkaOptions& kafka_;
  const std::map<InputPartition, std::int64_t> bounds_;
  std::optional<std::int64_t> log_end_;  ///< once all of it is in the log: before this offset
};

}  // namespace crawlsieve::consumer
