#include "consumer/service/extract/input_position.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::string_view kTimePrefix = "time=";

Timestamp TimeIn(std::string_view metadata) {
  std::int64_t ms = 0;
  if (metadata.starts_with(kTimePrefix)) {
    metadata.remove_prefix(kTimePrefix.size());
    const auto read = std::from_chars(metadata.data(), metadata.data() + metadata.size(), ms);
    if (read.ec != std::errc()) ms = 0;
  }
  return Timestamp(std::chrono::milliseconds(ms));
}

tl::unexpected<BrokerError> Refused(std::string message) {
  return MakeBrokerError(ErrorClass::kRefused, std::move(message));
}

/// Instructions for a topic that was recreated.
std::string WhatToDo(const KafkaOptions& options, const TopicPartition& partition) {
  return fmt::format(
      "If the topic was recreated: stop all processes, raise kafka.input.generation (now {}) for "
      "all of them, and set the group back: kafka-consumer-groups.sh --bootstrap-server {} --group "
      "{}.extract --topic {} --reset-offsets --to-earliest --execute. docs/reliability.md, "
      "\"Alarms\"",
      options.input_generation, options.bootstrap_servers, options.group, partition.topic);
}

}  // namespace

BrokerResult<InputBegin> BeginAt(const KafkaOptions& options, const TopicPartition& partition,
                                 const std::optional<PartitionOffset>& committed,
                                 const Watermarks& watermarks) {
  InputBegin begin;
  begin.is_unclaimed = !committed.has_value();
  const std::int64_t next = committed.has_value() ? committed->offset : 0;
  if (next > watermarks.high) {
    return Refused(fmt::format(
        "group {}.extract has committed offset {} of topic {} [{}], which ends at {}: the topic "
        "was recreated, or lost records. New records at these offsets would get no verdict. "
        "{}",
        options.group, next, partition.topic, partition.partition, watermarks.high,
        WhatToDo(options, partition)));
  }
  if (next < watermarks.low) begin.unread = OffsetRange{next, watermarks.low - 1};
  begin.first = std::max(next, watermarks.low);
  begin.previous = begin.first - 1;
  begin.read_from = begin.is_unclaimed ? kOffsetBeginning : begin.first;
  if (committed.has_value() && next - 1 >= watermarks.low) {
    begin.last_read = TimeIn(committed->metadata);
    if (begin.last_read != Timestamp()) begin.read_from = next - 1;
  }
  return begin;
}

BrokerStatus CheckLastRead(const KafkaOptions& options, const TopicPartition& partition,
                           const InputBegin& begin, std::int64_t offset, Timestamp timestamp) {
  if (offset != begin.first - 1 || begin.last_read == Timestamp() || timestamp == Timestamp() ||
      timestamp == begin.last_read) {
    return {};
  }
  return Refused(fmt::format(
      "record {} of topic {} [{}] has time {}, and group {}.extract processed one with time {}: "
      "the topic was recreated. Its records up to there would get no verdict. {}",
      offset, partition.topic, partition.partition, FormatRfc3339(timestamp), options.group,
      FormatRfc3339(begin.last_read), WhatToDo(options, partition)));
}

std::optional<log::Entry> PositionEntry(const KafkaOptions& options,
                                        const TopicPartition& partition, const InputBegin& begin,
                                        const std::string& scheme) {
  if (begin.is_unclaimed || begin.first <= 0) return std::nullopt;
  log::Entry entry;
  log::Page& page = *entry.mutable_page();
  page.set_scheme(scheme);
  page.set_outcome(log::OUTCOME_DEAD_LETTER);
  log::Source& source = *page.mutable_source();
  source.set_topic(partition.topic);
  source.set_generation(options.input_generation);
  source.set_partition(partition.partition);
  source.set_offset(begin.first - 1);
  source.set_previous_offset(begin.first - 2);
  source.set_timestamp_ms(begin.last_read.time_since_epoch().count());
  source.set_is_position(true);
  return entry;
}

void CommittedTimes::Rewind(std::int64_t offset) {
  while (!times_.empty() && times_.back().first >= offset) times_.pop_back();
}

std::string CommittedTimes::MetadataFor(std::int64_t offset) {
  while (!times_.empty() && times_.front().first < offset - 1) times_.pop_front();
  if (times_.empty() || times_.front().first != offset - 1) return {};
  const Timestamp time = times_.front().second;
  if (time == Timestamp()) return {};
  return fmt::format("{}{}", kTimePrefix, time.time_since_epoch().count());
}

}  // namespace crawlsieve::consumer
