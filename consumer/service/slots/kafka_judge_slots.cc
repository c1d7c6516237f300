#include "consumer/service/slots/kafka_judge_slots.h"

#include "consumer/observability/logging.h"
#include "consumer/service/brokers/kafka_log.h"
#include "plugin/base/result.h"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace crawlsieve::consumer {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kAdminTimeout{10'000};
constexpr milliseconds kRefusedLines{10'000};
constexpr std::size_t kMostAtOnce = 256;

}  // namespace

BrokerStatus KafkaJudgeSlots::Open() {
  recall_.reset();
  changes_.reset();
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

BrokerResult<std::int64_t> KafkaJudgeSlots::Recall(std::int64_t offset) {
  if (changes_ == nullptr) {
    auto made =
        ChangesReader::Make(options_, contact_.Listen(LoggingCallbacks("judge"), "changes"));
    if (!made) return FinalError(std::move(made.error()));
    changes_ = std::move(*made);
    recall_.emplace(*changes_, replies_, options_.slots.changes_topic);
  }
  return recall_->Recall(offset);
}

BrokerResult<bool> KafkaJudgeSlots::Confirm(const LogPosition& position) {
  auto confirmed = replies_.Confirm(position);
  if (!confirmed) return FinalError(std::move(confirmed.error()));
  return *confirmed;
}

}  // namespace crawlsieve::consumer
