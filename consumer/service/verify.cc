#include "consumer/service/verify.h"

#include "consumer/kafka/consumer.h"
#include "consumer/service/kafka_log.h"
#include "plugin/log/entries.h"
#include "plugin/log/entry.pb.h"
#include "plugin/state_hash.h"

#include <chrono>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{30'000};
constexpr std::int64_t kEntriesPerCommit = 1000;

Status Refold(Consumer& reader, const KafkaOptions& kafka, const TopicPartition& log,
              std::int64_t last, Detector& detector,
              const std::function<void(std::int64_t)>& progress) {
  log::Entry entry;
  auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (std::int64_t next = 0; next <= last;) {
    auto record = reader.Poll(milliseconds(100));
    if (!record && record.error().error_class != KafkaErrorClass::kRetriable) {
      return tl::unexpected(ToError(record.error()));
    }
    if (!record || !record->has_value()) {
      if (std::chrono::steady_clock::now() < deadline) continue;
      return MakeError(ErrorCode::kIo,
                       fmt::format("log {}: nothing came from offset {} on", log.topic, next));
    }
    deadline = std::chrono::steady_clock::now() + kPatience;
    if ((*record)->offset() != next) {
      return MakeError(ErrorCode::kCorruption,
                       fmt::format("log {} goes on with offset {} where {} was expected", log.topic,
                                   (*record)->offset(), next));
    }
    const std::string_view value = (*record)->value().value_or(std::string_view());
    if (!IsSkippedEntry(kafka.log_skip, next, value)) {
      if (!ParseEntry(value, entry)) {
        return MakeError(ErrorCode::kInvalidInput, "the admission log holds what is not an entry" +
                                                       HowToSkip(log.topic, next, value));
      }
      if (auto folded = detector.Fold(entry); !folded) {
        Error error = folded.error();
        error.message += HowToSkip(log.topic, next, value);
        return tl::unexpected(std::move(error));
      }
    }
    if (next == last || next % kEntriesPerCommit == 0) {
      auto stored = detector.Commit({next, ToBytes(RawChecksum(value))});
      if (!stored) return stored;
      progress(next + 1);
    }
    ++next;
  }
  return {};
}

}  // namespace

Result<StateComparison> CompareWithRefold(const KafkaOptions& kafka, Store& state, Store& scratch,
                                          const IndexFactory& make_index, const std::string& scheme,
                                          const std::function<void(std::int64_t)>& progress) {
  StateComparison comparison;
  {
    auto detector = Detector::Open(state, make_index, scheme);
    if (!detector) return tl::unexpected(detector.error());
    comparison.offset = (*detector)->position().offset;
  }
  auto reader = Consumer::Make(JudgeConsumer(kafka), kafka, LoggingCallbacks("verify"));
  if (!reader) return tl::unexpected(reader.error());
  const TopicPartition log{kafka.log_topic, 0};
  if (auto assigned = (*reader)->Assign({{log, 0}}); !assigned) {
    return tl::unexpected(ToError(assigned.error()));
  }
  auto detector = Detector::Open(scratch, make_index, scheme);
  if (!detector) return tl::unexpected(detector.error());
  auto folded = Refold(**reader, kafka, log, comparison.offset, **detector, progress);
  if (!folded) return tl::unexpected(folded.error());

  const auto hash = StateHash(state);
  if (!hash) return tl::unexpected(hash.error());
  const auto refold_hash = StateHash(scratch);
  if (!refold_hash) return tl::unexpected(refold_hash.error());
  comparison.state = *hash;
  comparison.refold = *refold_hash;
  return comparison;
}

}  // namespace crawlsieve::consumer
