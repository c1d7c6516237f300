#include "consumer/service/judge/kafka_judge_group.h"

#include "consumer/service/brokers/deployment.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/log_append.h"
#include "plugin/base/result.h"

#include <string>
#include <utility>

namespace crawlsieve::consumer {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kAdminTimeout{10'000};
constexpr milliseconds kGroupTimeout{3'000};

}  // namespace

std::vector<PartitionOffset> ToOffsets(const TopicPartition& log, const CommittedPlace& place) {
  return {{log, place.offset, place.entry_checksum}};
}

KafkaJudgeGroup::KafkaJudgeGroup(const KafkaOptions& options, BrokerContact& contact,
                                 std::unique_ptr<Consumer> consumer)
    : options_(options),
      contact_(contact),
      log_(LogPartition(options)),
      consumer_(std::move(consumer)) {}

BrokerResult<std::unique_ptr<KafkaJudgeGroup>> KafkaJudgeGroup::Make(const KafkaOptions& options,
                                                                     BrokerContact& contact) {
  ClientRecipe recipe = JudgeConsumer(options);
  // Members get partitions in the order of their ids, which begin with this: the judge that was
  // there first stays, and a standby that joins doesn't take over. The order is asked of the
  // group, since clocks may be wrong.
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto client_id, JudgeClientId(options, kAdminTimeout));
  recipe.defaults["client.id"] = client_id;
  auto consumer =
      Consumer::Make(recipe, options, contact.Listen(LoggingCallbacks("judge"), "consumer"));
  if (!consumer) return FinalError(std::move(consumer.error()));
  std::unique_ptr<KafkaJudgeGroup> group(
      new KafkaJudgeGroup(options, contact, std::move(*consumer)));
  CRAWLSIEVE_RETURN_IF_ERROR(group->Bounds(kAdminTimeout));
  return group;
}

BrokerStatus KafkaJudgeGroup::Join(JudgeMember& member) {
  member_ = &member;
  return consumer_->Subscribe({log_.topic}, *this);
}

BrokerStatus KafkaJudgeGroup::Poll(milliseconds wait) {
  CRAWLSIEVE_RETURN_IF_ERROR(consumer_->Pause({log_}));
  CRAWLSIEVE_RETURN_IF_ERROR(consumer_->Poll(wait));
  return {};
}

BrokerResult<std::optional<CommittedPlace>> KafkaJudgeGroup::Committed(milliseconds timeout) {
  auto committed = consumer_->CommittedPlaces({log_}, timeout);
  if (!committed) {
    contact_.Failed();
    return tl::unexpected(committed.error());
  }
  std::optional<PartitionOffset>& place = committed->front();
  if (!place.has_value()) return std::optional<CommittedPlace>();
  last_committed_ = place->offset;
  return std::optional(CommittedPlace{place->offset, std::move(place->metadata)});
}

BrokerResult<LogBounds> KafkaJudgeGroup::Bounds(milliseconds timeout) {
  const auto watermarks = consumer_->QueryWatermarks(log_, timeout);
  if (!watermarks) {
    contact_.Failed();
    return tl::unexpected(watermarks.error());
  }
  contact_.Answered();
  return LogBounds{watermarks->low, watermarks->high};
}

BrokerResult<std::unique_ptr<LogSource>> KafkaJudgeGroup::OpenReader() {
  auto source =
      KafkaLogSource::Make(options_, contact_.Listen(LoggingCallbacks("judge"), "reader"));
  if (!source) return FinalError(std::move(source.error()));
  return std::unique_ptr<LogSource>(std::move(*source));
}

BrokerStatus KafkaJudgeGroup::Append(const log::Entry& entry) {
  CRAWLSIEVE_RETURN_IF_ERROR(AppendToLog(options_, entry, "judge"));
  return {};
}

void KafkaJudgeGroup::OnIdle() { contact_.AskIfSilent(*consumer_, log_); }

BrokerStatus KafkaJudgeGroup::Commit(const CommittedPlace& place, milliseconds timeout) {
  return consumer_->Commit(ToOffsets(log_, place), timeout);
}

BrokerStatus KafkaJudgeGroup::Close(milliseconds timeout) { return consumer_->Close(timeout); }

// --- The log as the member reads it --------------------------------------------------------------

BrokerStatus KafkaJudgeGroup::Seek(std::int64_t offset) {
  // In this order: a seek wakes librdkafka's fetcher, a resume behind it is found by it only when
  // it looks again a second later. What comes of the wrong place in between is dropped by the
  // seek.
  CRAWLSIEVE_RETURN_IF_ERROR(consumer_->Resume({log_}));
  return Repeat(kAdminTimeout, [&] { return consumer_->Seek({log_, offset}, kAdminTimeout); });
}

BrokerResult<std::span<const LogRecord>> KafkaJudgeGroup::Read(std::size_t most,
                                                               milliseconds wait) {
  return records_.Read(*consumer_, most, wait);
}

std::optional<std::int64_t> KafkaJudgeGroup::KnownEnd() const {
  const auto watermarks = consumer_->CachedWatermarks(log_);
  if (!watermarks) return std::nullopt;
  return watermarks->high;
}

// --- Membership ----------------------------------------------------------------------------------

BrokerResult<std::vector<PartitionOffset>> KafkaJudgeGroup::OnAssigned(
    const std::vector<TopicPartition>& partitions) {
  if (partitions.empty()) return std::vector<PartitionOffset>();
  // Someone else's topics in this group: two deployments that would fence each other for ever.
  CRAWLSIEVE_RETURN_IF_ERROR(CheckJudgeGroup(options_, partitions, kGroupTimeout));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto metadata, consumer_->CurrentGroupMetadata());
  metadata_ = std::move(metadata);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto begin, member_->OnAssigned());
  return std::vector<PartitionOffset>{{log_, begin}};
}

void KafkaJudgeGroup::OnRevoked(const std::vector<TopicPartition>& /*partitions*/) {
  member_->OnRevoked();
}

void KafkaJudgeGroup::OnLost(const std::vector<TopicPartition>& /*partitions*/) {
  member_->OnLost();
}

}  // namespace crawlsieve::consumer
