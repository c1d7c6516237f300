#pragma once

#include "consumer/input/formats/input_format.h"
#include "consumer/kafka/consumed_record.h"

#include <string>

namespace crawlsieve::consumer {

/// A copy for the input formats. Null headers become empty ones.
[[nodiscard]] inline InputRecord CopyRecord(const ConsumedRecord& record) {
  InputRecord copy;
  if (const auto key = record.key()) {
    copy.key.emplace(*key);
  }
  if (const auto value = record.value()) {
    copy.value.emplace(*value);
  }
  for (const HeaderView& header : record.headers()) {
    copy.headers.push_back({std::string(header.name), std::string(header.value.value_or(""))});
  }
  copy.timestamp = record.timestamp();
  return copy;
}

}  // namespace crawlsieve::consumer
