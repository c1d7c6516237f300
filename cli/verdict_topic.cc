#include "cli/verdict_topic.h"

#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"
#include "consumer/kafka/record_reader.h"

#include <chrono>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBrokerTimeout{10'000};
constexpr milliseconds kPoll{200};
/// No record and no error for so long: the broker is as good as gone.
constexpr std::chrono::seconds kPatience{60};

}  // namespace

VerdictTopic::VerdictTopic(const KafkaOptions& kafka) : kafka_(&kafka) {}
VerdictTopic::~VerdictTopic() = default;
VerdictTopic::VerdictTopic(VerdictTopic&&) noexcept = default;

const std::string& VerdictTopic::name() const { return kafka_->verdict_topic; }

Result<VerdictTopic> VerdictTopic::Open(const KafkaOptions& kafka) {
  VerdictTopic topic(kafka);
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto admin, Admin::Make(kafka, {}));
  const auto described = admin->DescribeTopic(topic.name(), kBrokerTimeout);
  if (!described) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("{}: {}", topic.name(), described.error().message));
  }
  if (!described->has_value()) {
    return MakeError(ErrorCode::kIo, fmt::format("there is no topic {}", topic.name()));
  }
  ClientRecipe recipe = KeptPageReader(kafka);
  recipe.required["enable.partition.eof"] = "true";
  CRAWLSIEVE_ASSIGN_OR_RETURN(topic.consumer_, Consumer::Make(recipe, kafka, {}));
  for (std::int32_t i = 0; i < (*described)->partitions; ++i) {
    const auto ends = topic.consumer_->QueryWatermarks({topic.name(), i}, kBrokerTimeout);
    if (!ends) return tl::unexpected<Error>(ends.error());
    topic.ranges_.push_back({i, ends->low, ends->high});
  }
  return topic;
}

std::uint64_t VerdictTopic::offsets() const {
  std::uint64_t sum = 0;
  for (const VerdictRange& range : ranges_) {
    sum += static_cast<std::uint64_t>(range.end - range.begin);
  }
  return sum;
}

Status VerdictTopic::ForEach(const std::function<Status(const ConsumedRecord& record)>& see) {
  for (const VerdictRange& range : ranges_) {
    if (range.begin < range.end) CRAWLSIEVE_RETURN_IF_ERROR(ForEachOf(range, see));
  }
  return {};
}

Status VerdictTopic::ForEachOf(const VerdictRange& range,
                               const std::function<Status(const ConsumedRecord& record)>& see) {
  const TopicPartition partition{name(), range.partition};
  if (auto assigned = consumer_->Assign({{partition, range.begin}}); !assigned) {
    return tl::unexpected<Error>(assigned.error());
  }
  auto deadline = std::chrono::steady_clock::now() + kPatience;
  // The last offsets may be those of ends of transactions, behind which no record need come.
  while (!consumer_->IsAtEnd(partition)) {
    auto polled = consumer_->Poll(kPoll);
    const auto now = std::chrono::steady_clock::now();
    const bool is_over = now >= deadline;
    if (!polled && (polled.error().error_class != ErrorClass::kRetriable || is_over)) {
      return tl::unexpected<Error>(polled.error());
    }
    if (!polled || !polled->has_value()) {
      if (!is_over) continue;
      return MakeError(ErrorCode::kIo,
                       fmt::format("{} [{}]: no record came for {} s, offset {} is the end",
                                   partition.topic, range.partition, kPatience.count(), range.end));
    }
    deadline = now + kPatience;
    const ConsumedRecord& record = **polled;
    if (record.offset() >= range.end) break;
    CRAWLSIEVE_RETURN_IF_ERROR(see(record));
    if (record.offset() + 1 >= range.end) break;
  }
  return {};
}

Result<std::optional<std::string>> VerdictTopic::At(std::int32_t partition, std::int64_t offset) {
  if (reader_ == nullptr) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(reader_, RecordReader::Make(KeptPageReader(*kafka_), *kafka_, {}));
  }
  const auto answer = reader_->Read({name(), partition}, offset, kBrokerTimeout);
  if (!answer) return tl::unexpected<Error>(answer.error());
  const auto* const record = std::get_if<ConsumedRecord>(&*answer);
  if (record == nullptr || !record->value().has_value()) return std::optional<std::string>();
  return std::optional(std::string(*record->value()));
}

}  // namespace crawlsieve::consumer
