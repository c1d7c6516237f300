#pragma once

#include "consumer/service/options.h"
#include "plugin/base/result.h"
#include "plugin/checkpoint/repository.h"
#include "plugin/log/log_source.h"

#include <memory>
#include <string>

namespace crawlsieve::consumer {

/// Compares checkpoints with the admission log. Reads the log by itself, so no group notices.
/// Thread-compatible.
class CheckpointLog {
 public:
  /// `name`: of the client, in the log. Errors: kIo.
  [[nodiscard]] static Result<CheckpointLog> Open(const KafkaOptions& kafka,
                                                  const std::string& name);

  /// Of the log as it was when this was opened.
  [[nodiscard]] const LogBounds& bounds() const { return bounds_; }

  /// Makes sure that the log has the entry that the checkpoint is at, by its checksum. One below
  /// the log's first can't be compared and passes. Errors: kMismatch, kIo.
  [[nodiscard]] Status CheckIsOfLog(const StoredCheckpoint& checkpoint);

 private:
  CheckpointLog(std::string topic, std::unique_ptr<LogSource> log, LogBounds bounds);

  std::string topic_;
  std::unique_ptr<LogSource> log_;
  LogBounds bounds_;
};

}  // namespace crawlsieve::consumer
