#pragma once

#include "consumer/migration/judged_bounds.h"
#include "consumer/service/options.h"
#include "plugin/base/result.h"
#include "plugin/log/log_reader.h"

#include <cstdint>
#include <functional>
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

/// Gives `see` the entries of its log in [first, end), less those that retention has taken.
[[nodiscard]] Status ReadLog(const KafkaOptions& kafka, std::int64_t first, std::int64_t end,
                             const std::function<void(const LogItem& item)>& see);

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
  /// The place in the log, from the judges' on, behind which no entry is of a record before its
  /// bound.
  [[nodiscard]] Result<std::int64_t> FindNeeded() const;

  const KafkaOptions& kafka_;
  const std::map<InputPartition, std::int64_t> bounds_;
  /// Where judges must have come to, once all of it is in the log. Extraction may have put more
  /// behind it, and goes on to.
  std::optional<std::int64_t> needed_;
};

}  // namespace crawlsieve::consumer
