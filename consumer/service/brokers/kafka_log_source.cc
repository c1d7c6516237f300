#include "consumer/service/brokers/kafka_log_source.h"

#include "plugin/base/result.h"

#include <algorithm>

namespace crawlsieve::consumer {

using std::chrono::milliseconds;

namespace {

constexpr std::size_t kMostAtOnce = 1000;  ///< records that are taken from a client at once
constexpr std::size_t kMostBytesAtOnce = 16 << 20;

}  // namespace

LogDescription LogOf(const KafkaOptions& options) { return {options.log_topic, options.log_skip}; }

TopicPartition LogPartition(const KafkaOptions& options) { return {options.log_topic, 0}; }

BrokerResult<std::span<const LogRecord>> KafkaLogRecords::Read(Consumer& consumer, std::size_t most,
                                                               milliseconds wait) {
  most = std::min(most, kMostAtOnce);
  records_.clear();
  views_.clear();
  for (std::size_t bytes = 0; records_.size() < most && bytes < kMostBytesAtOnce;) {
    auto polled = consumer.Poll(records_.empty() ? wait : milliseconds(0));
    if (!polled && polled.error().error_class != ErrorClass::kRetriable) {
      return tl::unexpected(polled.error());
    }
    if (!polled || !polled->has_value()) break;
    bytes += (*polled)->size_bytes();
    records_.push_back(std::move(**polled));
  }
  for (const ConsumedRecord& record : records_) {
    views_.push_back(
        {record.offset(), record.value().value_or(std::string_view()), record.timestamp()});
  }
  return views_;
}

Result<std::unique_ptr<KafkaLogSource>> KafkaLogSource::Make(const KafkaOptions& options,
                                                             ClientCallbacks callbacks) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      auto consumer, Consumer::Make(JudgeConsumer(options), options, std::move(callbacks)));
  return std::unique_ptr<KafkaLogSource>(
      new KafkaLogSource(LogPartition(options), std::move(consumer)));
}

BrokerResult<LogBounds> KafkaLogSource::Bounds(milliseconds timeout) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto watermarks, consumer_->QueryWatermarks(log_, timeout));
  return LogBounds{watermarks.low, watermarks.high};
}

BrokerStatus KafkaLogSource::Seek(std::int64_t offset) {
  return consumer_->Assign({{log_, offset}});
}

BrokerResult<std::span<const LogRecord>> KafkaLogSource::Read(std::size_t most, milliseconds wait) {
  return records_.Read(*consumer_, most, wait);
}

std::optional<std::int64_t> KafkaLogSource::KnownEnd() const {
  const auto watermarks = consumer_->CachedWatermarks(log_);
  if (!watermarks) return std::nullopt;
  return watermarks->high;
}

}  // namespace crawlsieve::consumer
