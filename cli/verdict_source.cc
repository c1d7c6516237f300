#include "cli/verdict_source.h"

#include "consumer/input/byte_stream.h"
#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/progress.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostLineBytes = 2 << 20;
constexpr milliseconds kBrokerTimeout{10'000};
/// No record and no error for so long: the broker is as good as gone.
constexpr std::chrono::seconds kPatience{60};

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

/// Reads the records of a partition that lie before `end`.
Status ReadPartition(Consumer& consumer, const TopicPartition& partition, const Watermarks& ends,
                     const VerdictTaker& take, Progress& progress) {
  if (auto assigned = consumer.Assign({{partition, ends.low}}); !assigned) {
    return tl::unexpected<Error>(assigned.error());
  }
  auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!consumer.IsAtEnd(partition)) {
    auto polled = consumer.Poll(milliseconds(200));
    const auto now = std::chrono::steady_clock::now();
    const bool is_over = now >= deadline;
    if (!polled && (polled.error().error_class != ErrorClass::kRetriable || is_over)) {
      return tl::unexpected<Error>(polled.error());
    }
    if (!polled || !polled->has_value()) {
      if (!is_over) continue;
      return MakeError(
          ErrorCode::kIo,
          fmt::format("{} [{}]: no record came for {} s, offset {} is the end", partition.topic,
                      partition.partition, kPatience.count(), ends.high));
    }
    deadline = now + kPatience;
    const ConsumedRecord& record = **polled;
    if (record.offset() >= ends.high) break;
    if (progress.IsDue()) {
      progress.Show(static_cast<std::uint64_t>(record.offset() - ends.low),
                    static_cast<std::uint64_t>(ends.high - ends.low),
                    fmt::format("partition {}", partition.partition));
    }
    const std::string place =
        fmt::format("{} [{}] at offset {}", record.topic(), record.partition(), record.offset());
    const auto value = record.value();
    if (!value.has_value()) return In(place, {ErrorCode::kInvalidInput, "not a verdict: no value"});
    if (const Status done = take(*value); !done) return In(place, done.error());
    if (record.offset() + 1 >= ends.high) break;
  }
  return {};
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
  const std::string& topic = config.kafka.verdict_topic;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto admin, Admin::Make(config.kafka, {}));
  const auto described = admin->DescribeTopic(topic, kBrokerTimeout);
  if (!described) {
    return MakeError(ErrorCode::kIo, fmt::format("{}: {}", topic, described.error().message));
  }
  if (!described->has_value()) {
    return MakeError(ErrorCode::kIo, fmt::format("there is no topic {}", topic));
  }
  ClientRecipe recipe = KeptPageReader(config.kafka);
  recipe.required["enable.partition.eof"] = "true";
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto consumer, Consumer::Make(recipe, config.kafka, {}));
  Progress progress("verdicts");
  for (std::int32_t i = 0; i < (*described)->partitions; ++i) {
    const TopicPartition partition{topic, i};
    const auto ends = consumer->QueryWatermarks(partition, kBrokerTimeout);
    if (!ends) return tl::unexpected<Error>(ends.error());
    if (ends->low == ends->high) continue;
    CRAWLSIEVE_RETURN_IF_ERROR(ReadPartition(*consumer, partition, *ends, take, progress));
  }
  return {};
}

}  // namespace crawlsieve::consumer
