#include "cli/verdict_source.h"

#include "consumer/input/byte_stream.h"
#include "consumer/kafka/topic_reader.h"

#include <cstdint>
#include <string>

#include "cli/progress.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kMostLineBytes = 2 << 20;

Status In(const std::string& place, const Error& error) {
  return MakeError(error.code, fmt::format("{}: {}", place, error.message));
}

/// Takes the next line off the stream, without its end; nullopt behind the last one.
Result<std::optional<std::string_view>> NextLine(ByteStream& stream, std::size_t& taken) {
  stream.Consume(std::exchange(taken, 0));
  std::size_t wanted = 1;
  for (;;) {
    const std::string_view text = stream.Peek(wanted);
    const std::size_t end = text.find('\n');
    if (end != std::string_view::npos || text.size() < wanted) {
      if (text.empty()) return std::optional<std::string_view>();
      taken = std::min(end, text.size() - 1) + 1;
      return std::optional(text.substr(0, end));
    }
    if (text.size() > kMostLineBytes) {
      return MakeError(ErrorCode::kInvalidInput, "longer than any verdict");
    }
    wanted = text.size() + 1;
  }
}

Status ReadFile(const std::filesystem::path& path, const VerdictTaker& take) {
  const std::filesystem::path file = path == "-" ? "/dev/stdin" : path;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto stream, ByteStream::Open(file, ByteStream::Unpack::kYes));
  std::size_t taken = 0;
  for (std::uint64_t number = 1;; ++number) {
    const std::string place = fmt::format("{}, line {}", path.native(), number);
    const auto line = NextLine(*stream, taken);
    if (!line) return In(place, line.error());
    if (!stream->status()) return stream->status();
    if (!line->has_value()) break;
    if ((*line)->empty()) continue;
    if (const Status done = take(**line); !done) return In(place, done.error());
  }
  if (stream->damage().empty()) return {};
  return MakeError(ErrorCode::kInvalidInput,
                   fmt::format("{}: {}", path.native(), stream->damage()));
}

}  // namespace

Status ForEachVerdictLine(const std::vector<std::filesystem::path>& files,
                          const VerdictTaker& take) {
  for (const std::filesystem::path& path : files) {
    CRAWLSIEVE_RETURN_IF_ERROR(ReadFile(path, take));
  }
  return {};
}

Status ForEachVerdictRecord(const config::Config& config, const VerdictTaker& take) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto topic,
                              TopicReader::Open(config.kafka, config.kafka.verdict_topic));
  Progress progress("verdicts");
  std::uint64_t done = 0;
  return topic.ForEach([&](const ConsumedRecord& record) -> Status {
    ++done;
    if (progress.IsDue()) progress.Show(done, topic.offsets(), topic.name());
    const std::string place =
        fmt::format("{} [{}] at offset {}", record.topic(), record.partition(), record.offset());
    const auto value = record.value();
    if (!value.has_value()) return In(place, {ErrorCode::kInvalidInput, "not a verdict: no value"});
    const Status taken = take(*value);
    return taken ? taken : In(place, taken.error());
  });
}

}  // namespace crawlsieve::consumer
