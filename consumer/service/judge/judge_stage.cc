#include "consumer/service/judge/judge_stage.h"

#include "consumer/observability/logging.h"
#include "consumer/service/brokers/contact.h"
#include "consumer/service/brokers/sessions.h"
#include "consumer/service/judge/judge_reporter.h"
#include "consumer/service/judge/kafka_judge_group.h"
#include "consumer/service/judge/kafka_verdict_sink.h"
#include "consumer/service/slots/kafka_judge_slots.h"
#include "plugin/judge/judge_machine.h"
#include "plugin/slots/slot_fold.h"

#include <memory>
#include <optional>
#include <utility>

namespace crawlsieve::consumer {
namespace {

JudgeMachine::Options MachineOptions(const JudgeStage::Options& options) {
  JudgeMachine::Options machine;
  machine.log = LogOf(options.kafka);
  machine.group = options.kafka.group + ".judge";
  machine.parameters = options.parameters;
  machine.scheme = options.scheme;
  machine.is_exactly_once = options.kafka.delivery == Delivery::kExactlyOnce;
  machine.commit_entries = options.kafka.commit_entries;
  machine.commit_interval = options.kafka.commit_interval;
  return machine;
}

}  // namespace

JudgeStage::JudgeStage(Options options, Detector& detector, SlotReplies* replies,
                       Checkpointer* checkpoints, StatusBoard& board, Metrics& metrics,
                       StatusRecorder& recorder)
    : options_(std::move(options)),
      detector_(detector),
      replies_(replies),
      checkpoints_(checkpoints),
      board_(board),
      metrics_(metrics),
      recorder_(recorder) {}

Status JudgeStage::Run(const std::stop_token& stop) {
  std::optional<std::int64_t> seen_gap;
  SnapshotReporter snapshots(detector_.restart_report(), metrics_);
  // One set of Kafka clients and one machine after the other.
  const auto session = [&]() -> SessionEnd {
    BrokerContact contact(Role::kJudge, board_);
    auto group = KafkaJudgeGroup::Make(options_.kafka, contact);
    if (!group) return {tl::unexpected(std::move(group.error()))};
    JudgeReporter reporter({.log = LogPartition(options_.kafka),
                            .parameters = options_.parameters,
                            .scheme = options_.scheme,
                            .index_shards = options_.index_shards,
                            .committed = [&group] { return (*group)->last_committed(); },
                            .replies = replies_},
                           detector_, board_, metrics_, recorder_, snapshots);
    KafkaVerdictSink sink(options_.kafka, options_.kept_bytes, options_.instance, **group, contact,
                          metrics_);
    std::optional<KafkaJudgeSlots> slots;
    std::unique_ptr<DetectorFold> fold;
    if (replies_ != nullptr) {
      slots.emplace(options_.kafka, *replies_, contact, metrics_);
      fold = std::make_unique<SlotFold>(detector_, replies_->layout());
    } else {
      fold = std::make_unique<DetectorFold>(detector_);
    }
    JudgeMachine machine(MachineOptions(options_),
                         {*fold, **group, sink, reporter, slots.has_value() ? &*slots : nullptr},
                         seen_gap);
    BrokerStatus worked;
    while (worked && !stop.stop_requested()) {
      contact.Round();
      worked = machine.Step();
      if (checkpoints_ != nullptr) checkpoints_->Step();
    }
    if (worked) worked = machine.Finish();
    if (!worked) return {std::move(worked), machine.has_progressed()};
    if (auto closed = (*group)->Close(options_.shutdown_timeout / 2); !closed) {
      Log(LogLevel::kWarn, "judge.close_failed", {{"error", closed.error().message}});
    }
    return {};
  };
  const Status ended = RunSessions("judge", stop, BackOff(), metrics_, session);
  // The group has been left: a standby need not wait for this. After an error, too, there is no
  // need for the next start to fold again what could be written now.
  detector_.Discard();
  const Status written = detector_.Flush();
  snapshots.Report();
  return ended ? written : ended;
}

}  // namespace crawlsieve::consumer
