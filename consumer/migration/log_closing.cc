#include "consumer/migration/log_closing.h"

#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"
#include "consumer/kafka/producer.h"
#include "consumer/kafka/topic_reader.h"
#include "consumer/migration/judge_identity.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "consumer/service/brokers/log_append.h"
#include "plugin/base/hex.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/judge/fold_version.h"
#include "plugin/judge/parameters_entry.h"
#include "plugin/log/entries.h"
#include "plugin/log/log_reader.h"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeout{10'000};
constexpr milliseconds kPoll{200};
/// Nothing comes of the log for so long: the broker is as good as gone.
constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kEntries = 1000;  ///< read at a time

Result<std::unique_ptr<Consumer>> MakeConsumer(const ClientRecipe& recipe,
                                               const KafkaOptions& kafka) {
  return Consumer::Make(recipe, kafka, LoggingCallbacks("migrate"));
}

/// Gives `see` the entries of [first, end).
Status ReadEntries(const KafkaOptions& kafka, std::int64_t first, std::int64_t end,
                   const std::function<void(const LogItem& item)>& see) {
  if (first >= end) return {};
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto source,
                              KafkaLogSource::Make(kafka, LoggingCallbacks("migrate")));
  const LogDescription log = LogOf(kafka);
  std::optional<std::int64_t> seen_gap;
  LogReader reader(log, *source, seen_gap);
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

void AddTo(google::protobuf::RepeatedPtrField<log::PartitionOffset>& list, const std::string& topic,
           std::int32_t partition, std::int64_t offset) {
  log::PartitionOffset& added = *list.Add();
  added.set_topic(topic);
  added.set_partition(partition);
  added.set_offset(offset);
}

}  // namespace

Result<std::optional<log::Closing>> FindClosing(const KafkaOptions& kafka) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto consumer, MakeConsumer(JudgeConsumer(kafka), kafka));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto places,
                              consumer->CommittedPlaces({LogPartition(kafka)}, kTimeout));
  std::optional<log::Closing> closing;
  if (!places.front().has_value() || places.front()->offset == 0) return closing;
  const PartitionOffset& place = *places.front();
  bool is_other = false;
  const auto see = [&](const LogItem& item) {
    is_other = !place.metadata.empty() && place.metadata != Hex(RawChecksum(item.value));
    if (item.entry == nullptr || !item.entry->has_parameters()) return;
    const log::Parameters& parameters = item.entry->parameters();
    if (parameters.fold_version() == kFoldVersionOfClosing) closing = parameters.closing();
  };
  CRAWLSIEVE_RETURN_IF_ERROR(ReadEntries(kafka, place.offset - 1, place.offset, see));
  if (!is_other) return closing;
  return MakeError(ErrorCode::kMismatch,
                   fmt::format("entry {} of log {} is not the one that group {} was done with: "
                               "docs/reliability.md, \"When the log lost entries\"",
                               place.offset - 1, kafka.log_topic, JudgeIdentity(kafka)));
}

Status LogClosing::ReadVerdicts(const TopicProgress& progress) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto topic, TopicReader::Open(kafka_, kafka_.verdict_topic));
  topic.BeginAt(read_);
  const std::uint64_t total = topic.offsets();
  std::uint64_t done = 0;
  CRAWLSIEVE_RETURN_IF_ERROR(topic.ForEach([&](const ConsumedRecord& record) -> Status {
    progress(++done, total, topic.name());
    const auto verdict = ReadVerdict(record.value().value_or(std::string_view()));
    if (verdict) judged_.SeeVerdict(verdict->source, verdict->sequence);
    return {};
  }));
  for (const PartitionRange& range : topic.ranges()) read_[range.partition] = range.end;
  return {};
}

Status LogClosing::ReadExtracted() {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto admin, Admin::Make(kafka_, LoggingCallbacks("migrate")));
  std::vector<TopicPartition> partitions;
  for (const std::string& topic : kafka_.input_topics) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto described, admin->DescribeTopic(topic, kTimeout));
    for (std::int32_t i = 0; described.has_value() && i < described->partitions; ++i) {
      partitions.push_back({topic, i});
    }
  }
  if (partitions.empty()) return {};
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto consumer,
                              MakeConsumer(ExtractConsumer(kafka_, {}), kafka_));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto offsets, consumer->Committed(partitions, kTimeout));
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    if (!offsets[i].has_value()) continue;
    judged_.SeeExtracted({partitions[i].topic, partitions[i].partition}, *offsets[i]);
  }
  return {};
}

Result<std::string> LogClosing::ReadWaiting(std::optional<std::int64_t> first) {
  const LogDescription log = LogOf(kafka_);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto source,
                              KafkaLogSource::Make(kafka_, LoggingCallbacks("migrate")));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bounds, source->Bounds(kTimeout));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto begins, ReadFirstEntry(log, *source, kTimeout));
  if (!begins.has_value()) {
    return MakeError(
        ErrorCode::kMismatch,
        fmt::format("log {} has no entry: there is nothing to switch from", log.topic));
  }
  CRAWLSIEVE_RETURN_IF_ERROR(
      ReadEntries(kafka_, first.value_or(bounds.low), bounds.high, [this](const LogItem& item) {
        if (item.is_skipped || item.entry == nullptr || !item.entry->has_page()) return;
        const log::Source& page = item.entry->page().source();
        if (page.is_position()) return;
        judged_.SeeWaiting({page.topic(), page.partition(), page.offset()});
      }));
  return SchemeOfEntry(*begins);
}

log::Closing LogClosing::MakeClosing(const std::string& group) const {
  log::Closing closing;
  closing.set_group(group);
  closing.set_closed_ms(
      std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
  for (const auto& [partition, offset] : judged_.Bounds()) {
    AddTo(*closing.mutable_judged(), partition.first, partition.second, offset);
  }
  for (const auto& [partition, offset] : read_) {
    AddTo(*closing.mutable_written(), kafka_.verdict_topic, partition, offset);
  }
  return closing;
}

Result<log::Closing> LogClosing::Close(const std::string& group, const TopicProgress& progress) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto judge, TakeOver(kafka_));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto consumer, MakeConsumer(JudgeConsumer(kafka_), kafka_));
  const TopicPartition log = LogPartition(kafka_);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto places, consumer->CommittedPlaces({log}, kTimeout));
  CRAWLSIEVE_RETURN_IF_ERROR(ReadVerdicts(progress));
  // In this order: what extraction committed was in the log before.
  CRAWLSIEVE_RETURN_IF_ERROR(ReadExtracted());
  std::optional<std::int64_t> first;
  if (places.front().has_value()) first = places.front()->offset;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const std::string scheme, ReadWaiting(first));

  const log::Closing closing = MakeClosing(group);
  const log::Entry entry = ClosingEntry(closing, scheme);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const std::int64_t offset, AppendToLog(kafka_, entry, "migrate"));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const GroupMetadata member, consumer->CurrentGroupMetadata());
  const std::vector<PartitionOffset> behind = {
      {log, offset + 1, Hex(RawChecksum(entry.SerializeAsString()))}};
  const auto commit = [&]() -> BrokerStatus {
    CRAWLSIEVE_RETURN_IF_ERROR(judge->BeginTransaction());
    CRAWLSIEVE_RETURN_IF_ERROR(
        Repeat(kPatience, [&] { return judge->SendOffsets(behind, member); }));
    return Repeat(kPatience, [&] { return judge->CommitTransaction(); });
  };
  if (auto committed = commit(); !committed) return NotTaken(kafka_, committed.error());
  return closing;
}

}  // namespace crawlsieve::consumer
