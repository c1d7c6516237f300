#include "consumer/kafka/consumed_record.h"

#include "consumer/record_limits.h"

#include <chrono>

#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

std::optional<std::string_view> ViewOf(const void* data, std::size_t size) {
  if (data == nullptr) {
    return std::nullopt;
  }
  return std::string_view(static_cast<const char*>(data), size);
}

std::size_t SizeOf(const std::optional<std::string_view>& bytes) {
  return bytes ? bytes->size() : 0;
}

}  // namespace

void ConsumedRecord::Destroy::operator()(rd_kafka_message_s* message) const {
  rd_kafka_message_destroy(message);
}

std::string_view ConsumedRecord::topic() const& { return rd_kafka_topic_name(message_->rkt); }

std::int32_t ConsumedRecord::partition() const { return message_->partition; }

std::int64_t ConsumedRecord::offset() const { return message_->offset; }

Timestamp ConsumedRecord::timestamp() const {
  rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  const std::int64_t time = rd_kafka_message_timestamp(message_.get(), &type);
  return Timestamp(std::chrono::milliseconds(type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE ? 0 : time));
}

std::optional<std::string_view> ConsumedRecord::key() const& {
  return ViewOf(message_->key, message_->key_len);
}

std::optional<std::string_view> ConsumedRecord::value() const& {
  return ViewOf(message_->payload, message_->len);
}

std::vector<HeaderView> ConsumedRecord::headers() const& {
  std::vector<HeaderView> headers;
  rd_kafka_headers_t* list = nullptr;
  if (rd_kafka_message_headers(message_.get(), &list) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return headers;  // there are none
  }
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0;
       rd_kafka_header_get_all(list, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
    headers.push_back({name, ViewOf(value, size)});
  }
  return headers;
}

std::size_t ConsumedRecord::size_bytes() const {
  std::size_t bytes = message_->key_len + message_->len;
  for (const HeaderView& header : headers()) {
    bytes += header.name.size() + SizeOf(header.value) + kHeaderOverheadBytes;
  }
  return bytes;
}

}  // namespace crawlsieve::consumer
