#pragma once

#include "consumer/service/slots/changes_source.h"
#include "plugin/base/broker_error.h"
#include "plugin/slots/slot_replies.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace crawlsieve::consumer {

/// Tells the replies which candidates were recorded with verdicts: see JudgeSlots::Recall. Borrows
/// everything it is given. Thread-compatible.
class ChangesRecall {
 public:
  using Clock = std::chrono::steady_clock;

  /// `topic`: its name in messages.
  ChangesRecall(ChangesSource& changes, SlotReplies& replies, std::string topic,
                std::function<Clock::time_point()> now = Clock::now)
      : changes_(changes), replies_(replies), topic_(std::move(topic)), now_(std::move(now)) {}

  /// As JudgeSlots::Recall. That there is no record of an entry is said only once a broker has said
  /// that nothing more is there: an outage is waited out.
  [[nodiscard]] BrokerResult<std::int64_t> Recall(std::int64_t offset);

 private:
  [[nodiscard]] BrokerStatus Begin(std::int64_t offset);
  [[nodiscard]] tl::unexpected<BrokerError> NothingOf(std::int64_t offset) const;

  ChangesSource& changes_;
  SlotReplies& replies_;
  const std::string topic_;
  const std::function<Clock::time_point()> now_;
  std::int64_t from_ = -1;   ///< the fold was told of the entries from here
  std::int64_t until_ = -1;  ///< to before here
  Clock::time_point since_;  ///< without getting on
  Clock::time_point called_;
  bool is_last_look_ = false;
};

}  // namespace crawlsieve::consumer
