#pragma once

#include "consumer/service/options.h"
#include "plugin/base/result.h"
#include "plugin/checkpoint/repository.h"
#include "plugin/log/log_source.h"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace crawlsieve::consumer {

/// What of the admission log no start needs that begins with one of two checkpoints.
struct LogTrim {
  StoredCheckpoint newer;
  StoredCheckpoint older;
  LogBounds bounds;         ///< of the log as it is
  std::int64_t before = 0;  ///< entries below this offset may go

  [[nodiscard]] std::int64_t entries() const {
    return std::max<std::int64_t>(before - bounds.low, 0);
  }
};

/// Who is told how planning goes.
struct LogTrimProgress {
  std::function<void(const StoredCheckpoint&)> on_verify;  ///< its files are read next
  std::function<void(const Error&)> on_refused;            ///< a checkpoint that doesn't count
};

/// Finds the two newest checkpoints that are whole and at different log offsets: every byte of them
/// is read. Makes sure that they are of this log, by the checksum of the entry that each is at, and
/// that the judges' group has committed past the older one. Changes nothing. Errors: kInvalidInput
/// (fewer than two), kMismatch (another log, or one that ends or begins elsewhere), kIo.
[[nodiscard]] Result<LogTrim> PlanLogTrim(const KafkaOptions& kafka,
                                          const CheckpointRepository& repository,
                                          const LogTrimProgress& progress);

/// Deletes what the plan says, for good. The entry that the older checkpoint is at stays: a judge
/// that starts from there compares its checksum. Errors: kIo, kInvalidConfig.
[[nodiscard]] Status TrimLog(const KafkaOptions& kafka, const LogTrim& trim);

}  // namespace crawlsieve::consumer
