#include "consumer/kafka/topic_reader.h"

#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"
#include "consumer/kafka/record_reader.h"

#include <algorithm>
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

TopicReader::TopicReader(const KafkaClientOptions& options, std::string topic)
    : options_(&options), topic_(std::move(topic)) {}
TopicReader::~TopicReader() = default;
TopicReader::TopicReader(TopicReader&&) noexcept = default;

Result<TopicReader> TopicReader::Open(const KafkaClientOptions& options, std::string topic) {
  TopicReader reader(options, std::move(topic));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto admin, Admin::Make(options, {}));
  const auto described = admin->DescribeTopic(reader.topic_, kBrokerTimeout);
  if (!described) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("{}: {}", reader.topic_, described.error().message));
  }
  if (!described->has_value()) {
    return MakeError(ErrorCode::kIo, fmt::format("there is no topic {}", reader.topic_));
  }
  ClientRecipe recipe = KeptPageReader(options);
  recipe.required["enable.partition.eof"] = "true";
  CRAWLSIEVE_ASSIGN_OR_RETURN(reader.consumer_, Consumer::Make(recipe, options, {}));
  for (std::int32_t i = 0; i < (*described)->partitions; ++i) {
    const auto ends = reader.consumer_->QueryWatermarks({reader.topic_, i}, kBrokerTimeout);
    if (!ends) return tl::unexpected<Error>(ends.error());
    reader.ranges_.push_back({i, ends->low, ends->high});
  }
  return reader;
}

std::uint64_t TopicReader::offsets() const {
  std::uint64_t sum = 0;
  for (const PartitionRange& range : ranges_) {
    sum += static_cast<std::uint64_t>(range.end - range.begin);
  }
  return sum;
}

void TopicReader::BeginAt(const std::map<std::int32_t, std::int64_t>& begins) {
  for (PartitionRange& range : ranges_) {
    const auto begin = begins.find(range.partition);
    if (begin == begins.end()) continue;
    range.begin = std::clamp(begin->second, range.begin, range.end);
  }
}

Status TopicReader::ForEach(const std::function<Status(const ConsumedRecord& record)>& see) {
  for (PartitionRange range : ranges_) {
    if (range.begin >= range.end) continue;
    // Retention may have taken some since.
    const auto ends = consumer_->QueryWatermarks({topic_, range.partition}, kBrokerTimeout);
    if (!ends) return tl::unexpected<Error>(ends.error());
    range.begin = std::max(range.begin, ends->low);
    CRAWLSIEVE_RETURN_IF_ERROR(Read(range, [&](const ConsumedRecord& record) -> Result<Next> {
      CRAWLSIEVE_RETURN_IF_ERROR(see(record));
      return Next::kGoOn;
    }));
  }
  return {};
}

Result<std::vector<ConsumedRecord>> TopicReader::ReadPiece(const PartitionRange& range,
                                                           std::size_t bytes) {
  std::vector<ConsumedRecord> piece;
  std::size_t taken = 0;
  CRAWLSIEVE_RETURN_IF_ERROR(Read(range, [&](ConsumedRecord record) -> Result<Next> {
    taken += record.size_bytes();
    piece.push_back(std::move(record));
    return taken < bytes ? Next::kGoOn : Next::kStop;
  }));
  return piece;
}

Status TopicReader::Read(const PartitionRange& range,
                         const std::function<Result<Next>(ConsumedRecord record)>& take) {
  if (range.begin >= range.end) return {};
  const TopicPartition partition{topic_, range.partition};
  if (auto assigned = consumer_->Assign({{partition, range.begin}}); !assigned) {
    return tl::unexpected<Error>(assigned.error());
  }
  auto deadline = std::chrono::steady_clock::now() + kPatience;
  // The last offsets may be those of ends of transactions, behind which no record need come.
  const auto is_at_end = [&] {
    return consumer_->IsAtEnd(partition) &&
           consumer_->Position(partition).value_or(range.begin) >= range.end;
  };
  while (!is_at_end()) {
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
    ConsumedRecord& record = **polled;
    const std::int64_t offset = record.offset();
    if (offset >= range.end) break;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const Next next, take(std::move(record)));
    if (next == Next::kStop || offset + 1 >= range.end) break;
  }
  return {};
}

Result<std::optional<std::string>> TopicReader::At(std::int32_t partition, std::int64_t offset) {
  if (reader_ == nullptr) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(reader_,
                                RecordReader::Make(KeptPageReader(*options_), *options_, {}));
  }
  const auto answer = reader_->Read({topic_, partition}, offset, kBrokerTimeout);
  if (!answer) return tl::unexpected<Error>(answer.error());
  const auto* const record = std::get_if<ConsumedRecord>(&*answer);
  if (record == nullptr || !record->value().has_value()) return std::optional<std::string>();
  return std::optional(std::string(*record->value()));
}

}  // namespace crawlsieve::consumer
