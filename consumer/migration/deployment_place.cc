#include "consumer/migration/deployment_place.h"

#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::chrono::milliseconds kTimeout{10'000};
constexpr std::chrono::milliseconds kPoll{200};
/// Nothing comes of the log for so long: the broker is as good as gone.
constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kEntries = 1000;  ///< read at a time

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

Status ReadLog(const KafkaOptions& kafka, std::int64_t first, std::int64_t end,
               const std::function<void(const LogItem& item)>& see) {
  if (first >= end) return {};
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto source,
                              KafkaLogSource::Make(kafka, LoggingCallbacks("migrate")));
  const LogDescription log = LogOf(kafka);
  std::optional<std::int64_t> seen_gap;
  LogReader reader(log, *source, seen_gap);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const LogBounds bounds, source->Bounds(kTimeout));
  first = std::max(first, bounds.low);
  if (first >= end) return {};
  CRAWLSIEVE_RETURN_IF_ERROR(reader.Begin(first));
  auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (reader.next() < end) {
    const std::int64_t before = reader.next();
    CRAWLSIEVE_RETURN_IF_ERROR(
        reader.Fetch(std::min(kEntries, static_cast<std::size_t>(end - before)), kPoll));
    while (true) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto item, reader.Take());
      if (!item.has_value()) break;
      see(*item);
    }
    const auto now = std::chrono::steady_clock::now();
    if (reader.next() > before) deadline = now + kPatience;
    if (now < deadline) continue;
    return MakeError(ErrorCode::kIo, fmt::format("log {}: no entry came for {} s at offset {}",
                                                 log.topic, kPatience.count(), before));
  }
  return {};
}

Result<std::string> CatchUp::WhatIsMissing() {
  if (!needed_.has_value()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto extracted, ExtractedUpTo(kafka_));
    for (const auto& [partition, bound] : bounds_) {
      const auto at = extracted.find(partition);
      const std::int64_t offset = at == extracted.end() ? 0 : at->second;
      if (offset >= bound) continue;
      return fmt::format("group {}.extract is at offset {} of {} [{}], and has to come to {}",
                         kafka_.group, offset, partition.first, partition.second, bound);
    }
    CRAWLSIEVE_ASSIGN_OR_RETURN(needed_, FindNeeded());
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const std::int64_t place, JudgedUpTo(kafka_));
  if (place >= *needed_) return std::string();
  return fmt::format("group {}.judge is at offset {} of log {}, and has to come to {}",
                     kafka_.group, place, kafka_.log_topic, *needed_);
}

Result<std::int64_t> CatchUp::FindNeeded() const {
  // What extraction has committed is in the log by now.
  CRAWLSIEVE_ASSIGN_OR_RETURN(const std::int64_t end, LogEnd(kafka_));
  CRAWLSIEVE_ASSIGN_OR_RETURN(std::int64_t needed, JudgedUpTo(kafka_));
  CRAWLSIEVE_RETURN_IF_ERROR(ReadLog(kafka_, needed, end, [&](const LogItem& item) {
    if (item.is_skipped || item.entry == nullptr || !item.entry->has_page()) return;
    const log::Source& source = item.entry->page().source();
    const auto bound = bounds_.find({source.topic(), source.partition()});
    if (bound != bounds_.end() && source.offset() < bound->second) needed = item.offset + 1;
  }));
  return needed;
}

}  // namespace crawlsieve::consumer
