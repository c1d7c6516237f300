#include "consumer/service/brokers/kafka_log_source.h"

#include <algorithm>

namespace crawlsieve::consumer {

using std::chrono::milliseconds;

namespace {

constexpr std::size_t kMostAtOnce = 1000;  ///< records that are taken from a client at once
constexpr std::size_t kMostBytesAtOnce = 16 << 20;

LogFault FaultOf(KafkaErrorClass error_class) {
  switch (error_class) {
    case KafkaErrorClass::kRetriable:
    case KafkaErrorClass::kBusy:
      return LogFault::kRetriable;
    case KafkaErrorClass::kAbortable:
      return LogFault::kAborted;
    case KafkaErrorClass::kFenced:
      return LogFault::kFenced;
    case KafkaErrorClass::kRefused:
      return LogFault::kFinal;
    case KafkaErrorClass::kFatal:
      return LogFault::kUnknown;
  }
  return LogFault::kUnknown;
}

}  // namespace

LogFailure ToLogFailure(const KafkaError& error) {
  return {ToError(error), FaultOf(error.error_class)};
}

LogStatus ToLogStatus(const KafkaStatus& status) {
  if (status) return {};
  return tl::unexpected(ToLogFailure(status.error()));
}

LogDescription LogOf(const KafkaOptions& options) { return {options.log_topic, options.log_skip}; }

TopicPartition LogPartition(const KafkaOptions& options) { return {options.log_topic, 0}; }

LogResult<std::span<const LogRecord>> KafkaLogRecords::Read(Consumer& consumer, std::size_t most,
                                                            milliseconds wait) {
  most = std::min(most, kMostAtOnce);
  records_.clear();
  views_.clear();
  for (std::size_t bytes = 0; records_.size() < most && bytes < kMostBytesAtOnce;) {
    auto polled = consumer.Poll(records_.empty() ? wait : milliseconds(0));
    if (!polled && polled.error().error_class != KafkaErrorClass::kRetriable) {
      return tl::unexpected(ToLogFailure(polled.error()));
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
  auto consumer = Consumer::Make(JudgeConsumer(options), options, std::move(callbacks));
  if (!consumer) return tl::unexpected(consumer.error());
  return std::unique_ptr<KafkaLogSource>(
      new KafkaLogSource(LogPartition(options), std::move(*consumer)));
}

LogResult<LogBounds> KafkaLogSource::Bounds(milliseconds timeout) {
  const auto watermarks = consumer_->QueryWatermarks(log_, timeout);
  if (!watermarks) return tl::unexpected(ToLogFailure(watermarks.error()));
  return LogBounds{watermarks->low, watermarks->high};
}

LogStatus KafkaLogSource::Seek(std::int64_t offset) {
  return ToLogStatus(consumer_->Assign({{log_, offset}}));
}

LogResult<std::span<const LogRecord>> KafkaLogSource::Read(std::size_t most, milliseconds wait) {
  return records_.Read(*consumer_, most, wait);
}

std::optional<std::int64_t> KafkaLogSource::KnownEnd() const {
  const auto watermarks = consumer_->CachedWatermarks(log_);
  if (!watermarks) return std::nullopt;
  return watermarks->high;
}

}  // namespace crawlsieve::consumer
