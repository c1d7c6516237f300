#include "consumer/service/brokers/send_purge.h"

#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "consumer/service/brokers/log_append.h"

#include <chrono>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::chrono::milliseconds kTimeout{10'000};

}  // namespace

Status SendPurge(const KafkaOptions& kafka, const log::Purge& purge) {
  // A log must begin with judging parameters: a purge in front of them would spoil it.
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto log,
                              KafkaLogSource::Make(kafka, LoggingCallbacks("purge")));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bounds, log->Bounds(kTimeout));
  if (bounds.high == 0) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("log {} is empty: nothing was sent, as there is nothing to forget",
                                 LogPartition(kafka).topic));
  }
  log::Entry entry;
  *entry.mutable_purge() = purge;
  CRAWLSIEVE_RETURN_IF_ERROR(AppendToLog(kafka, entry, "purge"));
  return {};
}

}  // namespace crawlsieve::consumer
