#include "cli/topic_sample.h"

#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"
#include "consumer/service/extract/copy_record.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kMostRecords = 10;  ///< of a partition
constexpr milliseconds kBrokerTimeout{10'000};
/// How long to wait for a further record: offsets up to the end may be those of transactions, which
/// no reader sees.
constexpr milliseconds kNextTimeout{1'000};

/// How many records came.
Result<std::int64_t> ReadNewest(Consumer& consumer, const PartitionOffset& begin, std::int64_t end,
                                FormatKind format,
                                const std::function<void(const FileRecord&)>& each) {
  if (auto assigned = consumer.Assign({begin}); !assigned) {
    return tl::unexpected<Error>(assigned.error());
  }
  std::int64_t count = 0;
  const auto deadline = std::chrono::steady_clock::now() + 2 * kBrokerTimeout;
  while (std::chrono::steady_clock::now() < deadline) {
    auto polled = consumer.Poll(count == 0 ? kBrokerTimeout : kNextTimeout);
    if (!polled && polled.error().error_class == ErrorClass::kRetriable) continue;
    if (!polled) return tl::unexpected<Error>(polled.error());
    if (!polled->has_value()) break;
    const ConsumedRecord& record = **polled;
    if (record.offset() >= end) break;
    FileRecord read;
    read.record = CopyRecord(record);
    read.format = format;
    read.origin =
        fmt::format("{} [{}] at offset {}", record.topic(), record.partition(), record.offset());
    each(read);
    ++count;
    if (record.offset() + 1 >= end) break;
  }
  return count;
}

}  // namespace

bool IsTopicName(const std::string& name) {
  constexpr std::size_t kMostBytes = 249;
  return !name.empty() && name.size() <= kMostBytes && name != "." && name != ".." &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-';
         });
}

Status ForEachNewest(const config::Config& config, const std::string& topic, FormatKind format,
                     const std::function<void(const FileRecord&)>& each,
                     std::vector<std::string>& warnings) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto admin, Admin::Make(config.kafka, {}));
  const auto described = admin->DescribeTopic(topic, kBrokerTimeout);
  if (!described) {
    return MakeError(ErrorCode::kIo, fmt::format("there is no file {}, and of such a topic: {}",
                                                 topic, described.error().message));
  }
  if (!described->has_value()) {
    return MakeError(ErrorCode::kIo, fmt::format("there is no file and no topic {}", topic));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto consumer,
                              Consumer::Make(KeptPageReader(config.kafka), config.kafka, {}));
  for (std::int32_t i = 0; i < (*described)->partitions; ++i) {
    const TopicPartition partition{topic, i};
    const auto ends = consumer->QueryWatermarks(partition, kBrokerTimeout);
    if (!ends) return tl::unexpected<Error>(ends.error());
    if (ends->low == ends->high) continue;
    const PartitionOffset begin{partition, std::max(ends->low, ends->high - kMostRecords)};
    CRAWLSIEVE_ASSIGN_OR_RETURN(const std::int64_t count,
                                ReadNewest(*consumer, begin, ends->high, format, each));
    if (count > 0) continue;
    warnings.push_back(fmt::format("{} [{}]: no record came of offsets {} to {}", topic, i,
                                   begin.offset, ends->high - 1));
  }
  return {};
}

}  // namespace crawlsieve::consumer
