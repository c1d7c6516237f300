#include "consumer/service/log_trim.h"

#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"
#include "consumer/observability/logging.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "consumer/service/checkpoint_log.h"
#include "plugin/base/result.h"
#include "plugin/checkpoint/restore.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeout{10'000};
constexpr milliseconds kDeletionTimeout{60'000};

/// Of different log offsets, the newest first; two at most.
Result<std::vector<StoredCheckpoint>> WholeOnes(const CheckpointRepository& repository,
                                                const LogTrimProgress& progress) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const CheckpointList list, repository.List());
  for (const Error& error : list.refused) progress.on_refused(error);
  std::vector<StoredCheckpoint> whole;
  for (auto at = list.checkpoints.rbegin(); at != list.checkpoints.rend(); ++at) {
    const StoredCheckpoint& checkpoint = *at;
    if (whole.size() == 2) break;
    if (!whole.empty() && whole.back().manifest.log_offset == checkpoint.manifest.log_offset) {
      continue;
    }
    progress.on_verify(checkpoint);
    const Status intact = VerifyCheckpoint(repository, checkpoint);
    if (intact) {
      whole.push_back(checkpoint);
    } else {
      progress.on_refused(intact.error());
    }
  }
  return whole;
}

/// How far verdicts are published.
Result<std::int64_t> CommittedOffset(const KafkaOptions& kafka) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      auto consumer, Consumer::Make(JudgeConsumer(kafka), kafka, LoggingCallbacks("log trim")));
  std::optional<std::int64_t> offset;
  CRAWLSIEVE_RETURN_IF_ERROR(Repeat(kTimeout, [&]() -> BrokerStatus {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto places,
                                consumer->Committed({LogPartition(kafka)}, kTimeout));
    offset = places.front();
    return {};
  }));
  if (offset.has_value()) return *offset;
  return MakeError(ErrorCode::kMismatch,
                   fmt::format("group {}.judge has committed nothing of log {}: nothing was "
                               "deleted",
                               kafka.group, LogPartition(kafka).topic));
}

}  // namespace

Result<LogTrim> PlanLogTrim(const KafkaOptions& kafka, const CheckpointRepository& repository,
                            const LogTrimProgress& progress) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto whole, WholeOnes(repository, progress));
  if (whole.size() < 2) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("{} has {} whole checkpoints at different log offsets; the log is "
                                 "trimmed below the older of two: make another one first",
                                 repository.directory().string(), whole.size()));
  }
  LogTrim trim{.newer = whole[0], .older = whole[1], .bounds = {}, .before = 0};
  const std::string topic = LogPartition(kafka).topic;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto log, CheckpointLog::Open(kafka, "log trim"));
  trim.bounds = log.bounds();
  if (trim.newer.manifest.log_offset < trim.bounds.low) {
    return MakeError(
        ErrorCode::kMismatch,
        fmt::format("log {} begins at offset {}, behind every checkpoint: none of them "
                    "can be started from",
                    topic, trim.bounds.low));
  }
  CRAWLSIEVE_RETURN_IF_ERROR(log.CheckIsOfLog(trim.newer));
  CRAWLSIEVE_RETURN_IF_ERROR(log.CheckIsOfLog(trim.older));
  trim.before = trim.older.manifest.log_offset;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const std::int64_t committed, CommittedOffset(kafka));
  if (committed <= trim.before) {
    return MakeError(
        ErrorCode::kMismatch,
        fmt::format("group {}.judge has committed offset {} only, and checkpoint {} is "
                    "at {}: nothing was deleted",
                    kafka.group, committed, trim.older.name, trim.before));
  }
  return trim;
}

Status TrimLog(const KafkaOptions& kafka, const LogTrim& trim) {
  if (trim.entries() == 0) return {};
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto admin, Admin::Make(kafka, LoggingCallbacks("log trim")));
  const TopicPartition log = LogPartition(kafka);
  CRAWLSIEVE_RETURN_IF_ERROR(
      admin->DeleteRecords(log.topic, log.partition, trim.before, kDeletionTimeout));
  return {};
}

}  // namespace crawlsieve::consumer
