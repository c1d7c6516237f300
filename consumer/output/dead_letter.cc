#include "consumer/output/dead_letter.h"

#include <fmt/format.h>

namespace crawlsieve::consumer {

std::vector<Header> DeadLetterHeaderList(const log::Source& source, const DecodeFailure& failure,
                                         const DeadLetterWriter& writer, DeadLetterHeaders style) {
  const bool connect = style == DeadLetterHeaders::kConnect;
  const std::string prefix = connect ? "__connect.errors." : "__crawlsieve.errors.";
  std::vector<Header> headers;
  const auto add = [&](std::string_view name, std::string value) {
    headers.push_back({prefix + std::string(name), std::move(value)});
  };
  add("topic", source.topic());
  add("partition", std::to_string(source.partition()));
  add("offset", std::to_string(source.offset()));
  add("timestamp", std::to_string(source.timestamp_ms()));
  add("stage", "decode");
  add(connect ? "exception.class.name" : "code", failure.code);
  add(connect ? "exception.message" : "message", failure.message);
  add(connect ? "connector.name" : "group", writer.group);
  add("id", fmt::format("{}-{}-{}", source.topic(), source.partition(), source.offset()));
  add("instance", writer.instance);
  add("version", writer.version);
  return headers;
}

}  // namespace crawlsieve::consumer
