#include "consumer/migration/log_closing.h"

#include "consumer/kafka/consumer.h"
#include "consumer/kafka/producer.h"
#include "consumer/kafka/topic_reader.h"
#include "consumer/migration/deployment_place.h"
#include "consumer/migration/judge_identity.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "consumer/service/brokers/log_append.h"
#include "plugin/base/hex.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/judge/parameters_entry.h"
#include "plugin/log/entries.h"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeout{10'000};
constexpr std::chrono::seconds kPatience{60};

Result<std::unique_ptr<Consumer>> MakeConsumer(const ClientRecipe& recipe,
                                               const KafkaOptions& kafka) {
  return Consumer::Make(recipe, kafka, LoggingCallbacks("migrate"));
}

/// The place of the judges' group.
Result<PartitionOffset> PlaceOf(const KafkaOptions& kafka) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto consumer, MakeConsumer(JudgeConsumer(kafka), kafka));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto places,
                              consumer->CommittedPlaces({LogPartition(kafka)}, kTimeout));
  if (places.front().has_value()) return *std::move(places.front());
  return MakeError(ErrorCode::kMismatch,
                   fmt::format("group {} has no place in log {}: it never judged, or nothing of it "
                               "ran for longer than the brokers' offsets.retention.minutes",
                               JudgeIdentity(kafka), kafka.log_topic));
}

void AddTo(google::protobuf::RepeatedPtrField<log::PartitionOffset>& list, const std::string& topic,
           std::int32_t partition, std::int64_t offset) {
  log::PartitionOffset& added = *list.Add();
  added.set_topic(topic);
  added.set_partition(partition);
  added.set_offset(offset);
}

}  // namespace

std::map<InputPartition, std::int64_t> BoundsOf(const log::Closing& closing) {
  std::map<InputPartition, std::int64_t> bounds;
  for (const log::PartitionOffset& judged : closing.judged()) {
    bounds[{judged.topic(), judged.partition()}] = judged.offset();
  }
  return bounds;
}

Result<std::optional<log::Closing>> FindClosing(const KafkaOptions& kafka) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const PartitionOffset place, PlaceOf(kafka));
  std::optional<log::Closing> closing;
  if (place.offset == 0) return closing;
  bool is_other = false;
  CRAWLSIEVE_RETURN_IF_ERROR(
      ReadLog(kafka, place.offset - 1, place.offset, [&](const LogItem& item) {
        is_other = !place.metadata.empty() && place.metadata != Hex(RawChecksum(item.value));
        if (item.entry != nullptr && IsClosing(*item.entry)) {
          closing = item.entry->parameters().closing();
        }
      }));
  if (!is_other) return closing;
  return MakeError(ErrorCode::kMismatch,
                   fmt::format("entry {} of log {} is not the one that group {} was done with: "
                               "docs/reliability.md, \"When the log lost entries\"",
                               place.offset - 1, kafka.log_topic, JudgeIdentity(kafka)));
}

Status LogClosing::ReadJudged(const TopicProgress& progress) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const PartitionOffset place, PlaceOf(kafka_));
  const std::int64_t first = judged_;
  const auto total = static_cast<std::uint64_t>(place.offset - first);
  CRAWLSIEVE_RETURN_IF_ERROR(ReadLog(kafka_, first, place.offset, [&](const LogItem& item) {
    progress(static_cast<std::uint64_t>(item.offset - first), total, kafka_.log_topic);
    if (item.is_skipped || item.entry == nullptr || !item.entry->has_page()) return;
    bounds_.SeeJudged(item.entry->page().source());
  }));
  judged_ = place.offset;
  return {};
}

Status LogClosing::ReadExtracted() {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto extracted, ExtractedUpTo(kafka_));
  for (const auto& [partition, offset] : extracted) bounds_.SeeExtracted(partition, offset);
  return {};
}

Status LogClosing::ReadWaiting() {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const std::int64_t end, LogEnd(kafka_));
  return ReadLog(kafka_, judged_, end, [this](const LogItem& item) {
    if (item.is_skipped || item.entry == nullptr || !item.entry->has_page()) return;
    bounds_.SeeWaiting(item.entry->page().source());
  });
}

Result<log::Closing> LogClosing::MakeClosing(const std::string& group) const {
  log::Closing closing;
  closing.set_group(group);
  closing.set_closed_ms(
      std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
  for (const auto& [partition, offset] : bounds_.Bounds()) {
    AddTo(*closing.mutable_judged(), partition.first, partition.second, offset);
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto verdicts, TopicReader::Open(kafka_, kafka_.verdict_topic));
  for (const PartitionRange& range : verdicts.ranges()) {
    AddTo(*closing.mutable_written(), verdicts.name(), range.partition, range.end);
  }
  return closing;
}

Result<log::Closing> LogClosing::Close(const std::string& group, const TopicProgress& progress) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto judge, TakeOver(kafka_));
  // Nobody else closes it from here on.
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto found, FindClosing(kafka_));
  if (found.has_value()) return *std::move(found);
  CRAWLSIEVE_RETURN_IF_ERROR(ReadJudged(progress));
  // In this order: what extraction committed was in the log before.
  CRAWLSIEVE_RETURN_IF_ERROR(ReadExtracted());
  CRAWLSIEVE_RETURN_IF_ERROR(ReadWaiting());
  CRAWLSIEVE_ASSIGN_OR_RETURN(const log::Closing closing, MakeClosing(group));

  const LogDescription description = LogOf(kafka_);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto source,
                              KafkaLogSource::Make(kafka_, LoggingCallbacks("migrate")));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto begins, ReadFirstEntry(description, *source, kTimeout));
  const log::Entry entry =
      ClosingEntry(closing, begins.has_value() ? SchemeOfEntry(*begins) : std::string());
  CRAWLSIEVE_ASSIGN_OR_RETURN(const std::int64_t offset, AppendToLog(kafka_, entry, "migrate"));
  if (offset < 0) {  // written twice: the broker doesn't say where
    return MakeError(ErrorCode::kIo,
                     fmt::format("log {} has its end, but the broker didn't say where: run this "
                                 "again",
                                 kafka_.log_topic));
  }

  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto consumer, MakeConsumer(JudgeConsumer(kafka_), kafka_));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const GroupMetadata member, consumer->CurrentGroupMetadata());
  const std::vector<PartitionOffset> behind = {
      {LogPartition(kafka_), offset + 1, Hex(RawChecksum(entry.SerializeAsString()))}};
  const auto commit = [&]() -> BrokerStatus {
    CRAWLSIEVE_RETURN_IF_ERROR(judge->BeginTransaction());
    CRAWLSIEVE_RETURN_IF_ERROR(
        Repeat(kPatience, [&] { return judge->SendOffsets(behind, member); }));
    return Repeat(kPatience, [&] { return judge->CommitTransaction(); });
  };
  if (auto committed = commit(); !committed) return TakeOverError(kafka_, committed.error());
  return closing;
}

}  // namespace crawlsieve::consumer
