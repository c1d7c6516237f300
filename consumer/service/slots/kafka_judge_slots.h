#pragma once

#include "consumer/kafka/consumer.h"
#include "consumer/observability/metrics.h"
#include "consumer/service/brokers/contact.h"
#include "consumer/service/options.h"
#include "consumer/service/slots/changes_reader.h"
#include "consumer/service/slots/changes_recall.h"
#include "plugin/judge/judge_ends.h"
#include "plugin/slots/slot_replies.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace crawlsieve::consumer {

/// The topics of candidates and changes, as the judge's machine has them. Borrows everything it is
/// given. Thread-compatible.
class KafkaJudgeSlots final : public JudgeSlots {
 public:
  KafkaJudgeSlots(const KafkaOptions& options, SlotReplies& replies, BrokerContact& contact,
                  Metrics& metrics)
      : options_(options), replies_(replies), contact_(contact), metrics_(metrics) {}

  BrokerStatus Open() override;
  void Close() override { candidates_.reset(); }
  /// A record that can't be used is counted and named in the log, at intervals; the judge goes on
  /// waiting for one that can.
  BrokerResult<bool> Poll(std::chrono::milliseconds wait) override;
  [[nodiscard]] bool lacks_depth() const override { return replies_.lacks_depth(); }
  BrokerResult<std::int64_t> Recall(std::int64_t offset) override;
  BrokerResult<bool> Confirm(const LogPosition& position) override;

 private:
  [[nodiscard]] bool Take(const ConsumedRecord& record);

  const KafkaOptions& options_;
  SlotReplies& replies_;
  BrokerContact& contact_;
  Metrics& metrics_;
  std::unique_ptr<Consumer> candidates_;
  std::chrono::steady_clock::time_point refused_logged_;

  std::unique_ptr<ChangesReader> changes_;
  std::optional<ChangesRecall> recall_;
};

}  // namespace crawlsieve::consumer
