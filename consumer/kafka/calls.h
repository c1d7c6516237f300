#pragma once

#include "consumer/kafka/error.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>

#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {

// What calls of librdkafka need in several places of this room.

struct DestroyQueue {
  void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
};
using Queue = std::unique_ptr<rd_kafka_queue_t, DestroyQueue>;

/// Time left, rounded up; 0 when the deadline is past.
[[nodiscard]] inline std::chrono::milliseconds Until(
    std::chrono::steady_clock::time_point deadline) {
  using std::chrono::milliseconds;
  return std::max(milliseconds(0),
                  std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now()));
}

/// The outcome of a call that returns a code.
[[nodiscard]] inline BrokerStatus StatusFrom(rd_kafka_resp_err_t code, std::string_view doing) {
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    return {};
  }
  return tl::unexpected(KafkaErrorFromCode(code, doing));
}

}  // namespace crawlsieve::consumer
