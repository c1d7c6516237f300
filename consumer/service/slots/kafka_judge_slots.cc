#include "consumer/service/slots/kafka_judge_slots.h"

#include "consumer/observability/logging.h"
#include "consumer/service/brokers/kafka_log.h"
#include "plugin/base/result.h"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kAdminTimeout{10'000};
constexpr milliseconds kRecallWait{50};
/// Records of changes are visible as soon as the offset that was committed with them, or nearly.
constexpr milliseconds kRecallPatience{10'000};
constexpr milliseconds kRecallPause{1'000};
constexpr milliseconds kRefusedLines{10'000};
constexpr std::size_t kMostAtOnce = 256;
constexpr std::size_t kMostRecalled = 16;

}  // namespace

BrokerStatus KafkaJudgeSlots::Open() {
  changes_.reset();
  recalled_from_ = recalled_until_ = -1;
  auto consumer = Consumer::Make(JudgeConsumer(options_), options_,
                                 contact_.Listen(LoggingCallbacks("judge"), "candidates"));
  if (!consumer) return FinalError(std::move(consumer.error()));
  std::vector<PartitionOffset> ends;
  for (std::uint32_t slot = 0; slot < options_.slots.count; ++slot) {
    const TopicPartition partition{options_.slots.candidates_topic,
                                   static_cast<std::int32_t>(slot)};
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto end, (*consumer)->QueryEnd(partition, kAdminTimeout));
    ends.push_back({partition, end});
  }
  CRAWLSIEVE_RETURN_IF_ERROR((*consumer)->Assign(ends));
  contact_.Answered();
  candidates_ = std::move(*consumer);
  return {};
}

BrokerResult<bool> KafkaJudgeSlots::Poll(milliseconds wait) {
  bool is_new = false;
  for (std::size_t taken = 0; taken < kMostAtOnce; ++taken) {
    auto polled = candidates_->Poll(is_new ? milliseconds(0) : wait);
    if (!polled && polled.error().error_class != ErrorClass::kRetriable) {
      return tl::unexpected(std::move(polled.error()));
    }
    if (!polled || !polled->has_value()) break;
    is_new |= Take(**polled);
    wait = milliseconds(0);
  }
  return is_new;
}

bool KafkaJudgeSlots::Take(const ConsumedRecord& record) {
  const auto taken = replies_.Take(record.value().value_or(std::string_view()));
  if (taken) return *taken == SlotReplies::Taken::kNew;
  metrics_.Add(Count::kSlotRecordsRefused);
  const auto now = steady_clock::now();
  if (now - refused_logged_ < kRefusedLines) return false;
  refused_logged_ = now;
  Log(LogLevel::kError, "judge.slot_record_refused",
      {{"topic", options_.slots.candidates_topic},
       {"slot", record.partition()},
       {"offset", record.offset()},
       {"error", taken.error().message}});
  return false;
}

BrokerStatus KafkaJudgeSlots::BeginRecall(std::int64_t offset) {
  if (changes_ == nullptr) {
    auto made =
        ChangesReader::Make(options_, contact_.Listen(LoggingCallbacks("judge"), "changes"));
    if (!made) return FinalError(std::move(made.error()));
    changes_ = std::move(*made);
  }
  CRAWLSIEVE_RETURN_IF_ERROR(changes_->Seek(offset));
  recalled_from_ = recalled_until_ = offset;
  return {};
}

BrokerResult<std::int64_t> KafkaJudgeSlots::Recall(std::int64_t offset) {
  if (recalled_from_ <= offset && offset < recalled_until_) return recalled_until_;
  if (changes_ == nullptr || offset != recalled_until_) {
    CRAWLSIEVE_RETURN_IF_ERROR(BeginRecall(offset));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto records, changes_->Read(kMostRecalled, kRecallWait));
  const auto now = steady_clock::now();
  // A standby asks only while it is behind.
  if (!records.empty() || now - recall_called_ >= kRecallPause) recalling_since_ = now;
  recall_called_ = now;
  for (const ChangesRecord& record : records) {
    if (record.after.position.offset < recalled_until_) continue;
    if (record.before.position.offset >= recalled_until_) return NothingOf(recalled_until_);
    if (auto recalled = replies_.Recall(record); !recalled) {
      return FinalError(std::move(recalled.error()));
    }
    recalled_until_ = record.after.position.offset + 1;
  }
  if (now - recalling_since_ >= kRecallPatience) return NothingOf(offset);
  return recalled_until_;
}

tl::unexpected<BrokerError> KafkaJudgeSlots::NothingOf(std::int64_t offset) const {
  return MakeBrokerError(
      ErrorClass::kRefused, ErrorCode::kMismatch,
      fmt::format("entry {} of the log has a verdict, and topic {} has no record of it: the judge "
                  "that gave it had no slots, or the record was deleted. Start once with "
                  "index.slots: 0, until this state is past that entry, and stop, or restore a "
                  "checkpoint that is past it (docs/slots.md)",
                  offset, options_.slots.changes_topic));
}

}  // namespace crawlsieve::consumer
