#include "consumer/service/checkpoint_log.h"

#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "plugin/base/result.h"
#include "plugin/checkpoint/digest.h"
#include "plugin/log/entries.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeout{10'000};

/// The checksum of the log's entry at `offset`, as a checkpoint has it.
Result<std::string> EntryChecksum(LogSource& log, std::int64_t offset) {
  CRAWLSIEVE_RETURN_IF_ERROR(log.Seek(offset));
  const auto deadline = std::chrono::steady_clock::now() + kTimeout;
  while (std::chrono::steady_clock::now() < deadline) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto records, log.Read(1, milliseconds(100)));
    if (records.empty()) continue;
    if (records.front().offset != offset) {
      return MakeError(ErrorCode::kMismatch,
                       fmt::format("the log has no entry at offset {}", offset));
    }
    return Hex(RawChecksum(records.front().value));
  }
  return MakeError(ErrorCode::kIo, fmt::format("the log's entry at offset {} didn't come", offset));
}

}  // namespace

CheckpointLog::CheckpointLog(std::string topic, std::unique_ptr<LogSource> log, LogBounds bounds)
    : topic_(std::move(topic)), log_(std::move(log)), bounds_(bounds) {}

Result<CheckpointLog> CheckpointLog::Open(const KafkaOptions& kafka, const std::string& name) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto log, KafkaLogSource::Make(kafka, LoggingCallbacks(name)));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const LogBounds bounds, log->Bounds(kTimeout));
  return CheckpointLog(LogPartition(kafka).topic, std::move(log), bounds);
}

Status CheckpointLog::CheckIsOfLog(const StoredCheckpoint& checkpoint) {
  const std::int64_t offset = checkpoint.manifest.log_offset;
  if (offset < bounds_.low) return {};
  if (offset < bounds_.high) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const std::string found, EntryChecksum(*log_, offset));
    if (found == checkpoint.manifest.entry_checksum) return {};
  }
  return MakeError(ErrorCode::kMismatch,
                   fmt::format("checkpoint {} is not of log {}, which has another entry at offset "
                               "{} or ends before it. If the log is a new one, give it a "
                               "repository of its own; if it lost entries, move away the manifests "
                               "of checkpoints that are past the loss",
                               checkpoint.name, topic_, offset));
}

}  // namespace crawlsieve::consumer
