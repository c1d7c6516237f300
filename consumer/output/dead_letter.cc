#include "consumer/output/dead_letter.h"

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::string_view kOwnPrefix = "__crawlsieve.errors.";
constexpr std::string_view kConnectPrefix = "__connect.errors.";
constexpr std::string_view kOmittedName = "__crawlsieve.errors.omitted";
constexpr std::string_view kOmittedConnectName = "__connect.errors.omitted";
// What header `omitted` takes.
constexpr std::size_t kOmittedBytes = 64;

}  // namespace

std::vector<Header> DeadLetterHeaderList(const log::Source& source, const DecodeFailure& failure,
                                         const DeadLetterWriter& writer, DeadLetterHeaders style) {
  const bool connect = style == DeadLetterHeaders::kConnect;
  const std::string prefix(connect ? kConnectPrefix : kOwnPrefix);
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
  if (!failure.field.empty()) add("field", failure.field);
  add(connect ? "connector.name" : "group", writer.group);
  add("id", fmt::format("{}-{}-{}", source.topic(), source.partition(), source.offset()));
  add("instance", writer.instance);
  add("version", writer.version);
  return headers;
}

void CompleteDeadLetter(const std::vector<Header>& added, DeadLetterHeaders style,
                        std::size_t limit, RecordView& letter) {
  const std::size_t own = letter.headers.size();
  for (const Header& header : added) letter.headers.push_back({header.name, header.value});
  if (letter.WireBytes() + kOmittedBytes <= limit) return;
  std::string_view omitted = "value";
  letter.value.reset();
  if (letter.WireBytes() + kOmittedBytes > limit) {
    omitted = "value,key,headers";
    letter.key.reset();
    letter.headers.erase(letter.headers.begin(),
                         letter.headers.begin() + static_cast<std::ptrdiff_t>(own));
  }
  letter.headers.push_back(
      {style == DeadLetterHeaders::kConnect ? kOmittedConnectName : kOmittedName, omitted});
}

}  // namespace crawlsieve::consumer
