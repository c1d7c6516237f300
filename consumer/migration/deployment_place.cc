#include "consumer/migration/deployment_place.h"

#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::chrono::milliseconds kTimeout{10'000};

}  // namespace

Result<std::map<InputPartition, std::int64_t>> ExtractedUpTo(const KafkaOptions& kafka) {
  std::map<InputPartition, std::int64_t> extracted;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto admin, Admin::Make(kafka, LoggingCallbacks("migrate")));
  std::vector<TopicPartition> partitions;
  for (const std::string& topic : kafka.input_topics) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto described, admin->DescribeTopic(topic, kTimeout));
    for (std::int32_t i = 0; described.has_value() && i < described->partitions; ++i) {
      partitions.push_back({topic, i});
    }
  }
  if (partitions.empty()) return extracted;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto consumer, Consumer::Make(ExtractConsumer(kafka, {}), kafka,
                                                                  LoggingCallbacks("migrate")));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto offsets, consumer->Committed(partitions, kTimeout));
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    if (!offsets[i].has_value()) continue;
    extracted[{partitions[i].topic, partitions[i].partition}] = *offsets[i];
  }
  return extracted;
}

Result<std::int64_t> LogEnd(const KafkaOptions& kafka) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto source,
                              KafkaLogSource::Make(kafka, LoggingCallbacks("migrate")));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const LogBounds bounds, source->Bounds(kTimeout));
  return bounds.high;
}

Result<std::int64_t> JudgedUpTo(const KafkaOptions& kafka) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto consumer, Consumer::Make(JudgeConsumer(kafka), kafka,
                                                                  LoggingCallbacks("migrate")));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto offsets,
                              consumer->Committed({LogPartition(kafka)}, kTimeout));
  return offsets.front().value_or(0);
}

Result<std::string> CatchUp::WhatIsMissing() {
  if (!log_end_.has_value()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto extracted, ExtractedUpTo(kafka_));
    for (const auto& [partition, bound] : bounds_) {
      const auto at = extracted.find(partition);
      const std::int64_t offset = at == extracted.end() ? 0 : at->second;
      if (offset >= bound) continue;
      return fmt::format("group {}.extract is at offset {} of {} [{}], and has to come to {}",
                         kafka_.group, offset, partition.first, partition.second, bound);
    }
    // What extraction has committed is in the log by now.
    CRAWLSIEVE_ASSIGN_OR_RETURN(log_end_, LogEnd(kafka_));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const std::int64_t place, JudgedUpTo(kafka_));
  if (place >= *log_end_) return std::string();
  return fmt::format("group {}.judge is at offset {} of log {}, and has to come to {}",
                     kafka_.group, place, kafka_.log_topic, *log_end_);
}

}  // namespace crawlsieve::consumer
