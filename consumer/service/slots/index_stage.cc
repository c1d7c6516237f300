#include "consumer/service/slots/index_stage.h"

#include "consumer/kafka/producer.h"
#include "consumer/observability/logging.h"
#include "consumer/service/brokers/contact.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "consumer/service/brokers/sessions.h"
#include "consumer/service/slots/changes_reader.h"
#include "consumer/service/slots/log_window.h"
#include "consumer/service/slots/slot_feed.h"
#include "consumer/service/slots/slot_group.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/slots/slot_file.h"
#include "plugin/state/lock_file.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kAdminTimeout{10'000};
constexpr milliseconds kWithoutSlots{100};  ///< a wait for the group
constexpr milliseconds kCatchUp{200};       ///< a wait for changes that came before
constexpr milliseconds kIdle{5};            ///< a wait for the log, or for changes
constexpr milliseconds kReports{1'000};
constexpr milliseconds kProducePatience{1'000};
constexpr std::size_t kChangesAtOnce = 64;
/// Entries that a slot answers in a round, before changes are looked for again.
constexpr std::size_t kAnswersAtOnce = 512;

/// One set of Kafka clients, and the slots between them. Thread-compatible.
class Session {
 public:
  Session(const IndexStage::Options& options, HeldSlots& slots,
          std::optional<std::int64_t>& seen_gap, BrokerContact& contact, StatusBoard& board,
          Metrics& metrics)
      : options_(options),
        layout_(IndexStage::LayoutOf(options.kafka.slots, options.scheme)),
        log_(LogOf(options.kafka)),
        seen_gap_(seen_gap),
        contact_(contact),
        board_(board),
        metrics_(metrics),
        slots_(slots) {}

  ~Session() { board_.SetPartitions(Role::kIndex, {}); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] BrokerStatus Open();
  [[nodiscard]] BrokerStatus Step();
  [[nodiscard]] BrokerStatus Close(milliseconds timeout);
  /// Whether any entry was answered.
  [[nodiscard]] bool has_progressed() const { return has_progressed_; }

 private:
  void TakeAssignment();
  [[nodiscard]] std::uint64_t LeadOf(std::uint32_t slot) const;
  [[nodiscard]] BrokerStatus PollSlots();
  /// How many records have come.
  [[nodiscard]] BrokerResult<std::size_t> ApplyChanges();
  /// Whether there was anything to do.
  [[nodiscard]] BrokerResult<bool> AnswerSome();
  [[nodiscard]] BrokerResult<bool> AnswerFor(std::uint32_t slot, HeldSlot& held);
  [[nodiscard]] BrokerStatus Send(std::uint32_t slot, const CandidatesRecord& record);
  void ReportFileFailed(std::uint32_t slot, const Error& error);
  void Report();
  [[nodiscard]] std::string WhatIsMissing() const;

  /// Of the slots' own places, which stay while files are written; nullopt: none is loaded.
  [[nodiscard]] std::optional<std::int64_t> FirstToAnswer() const;

  const IndexStage::Options& options_;
  const SlotLayout layout_;
  const LogDescription log_;
  std::optional<std::int64_t>& seen_gap_;
  BrokerContact& contact_;
  StatusBoard& board_;
  Metrics& metrics_;
  HeldSlots& slots_;

  std::unique_ptr<SlotGroup> group_;
  std::unique_ptr<ChangesReader> changes_;
  std::unique_ptr<KafkaLogSource> source_;
  std::optional<LogWindow> window_;
  std::optional<SlotFeed> feed_;
  std::unique_ptr<Producer> producer_;

  std::optional<std::set<std::uint32_t>> taken_;  ///< of the assignments
  bool is_idle_ = false;                          ///< the last round had nothing to do
  bool is_window_full_ = false;                   ///< slots have answered as far ahead as they may
  bool has_progressed_ = false;
  steady_clock::time_point reported_;
  std::vector<LogItem> items_;
};

BrokerStatus Session::Open() {
  const KafkaOptions& kafka = options_.kafka;
  auto changes = ChangesReader::Make(kafka, contact_.Listen(LoggingCallbacks("index"), "changes"));
  if (!changes) return FinalError(std::move(changes.error()));
  changes_ = std::move(*changes);
  auto source = KafkaLogSource::Make(kafka, contact_.Listen(LoggingCallbacks("index"), "log"));
  if (!source) return FinalError(std::move(source.error()));
  source_ = std::move(*source);
  window_.emplace(log_, *source_, seen_gap_);
  feed_.emplace(slots_, *changes_, *source_);
  auto producer = Producer::Make(AnswerProducer(kafka), kafka,
                                 contact_.Listen(LoggingCallbacks("index"), "producer"),
                                 [](const DeliveryReport& report) {
                                   if (!report.error.has_value()) return;
                                   Log(LogLevel::kWarn, "index.answer_lost",
                                       {{"slot", report.partition},
                                        {"error", report.error->message},
                                        {"meaning", "the judge asks once more"}});
                                 });
  if (!producer) return FinalError(std::move(producer.error()));
  producer_ = std::move(*producer);
  CRAWLSIEVE_RETURN_IF_ERROR(Repeat(kAdminTimeout, [&] {
    return producer_->FindLeaders(kafka.slots.candidates_topic, kAdminTimeout);
  }));
  contact_.Answered();
  CRAWLSIEVE_ASSIGN_OR_RETURN(group_, SlotGroup::Make(kafka, options_.member, contact_));
  Report();
  return {};
}

BrokerStatus Session::Step() {
  CRAWLSIEVE_RETURN_IF_ERROR(
      group_->Poll(feed_->LeastPlace().has_value() ? milliseconds(0) : kWithoutSlots));
  TakeAssignment();
  CRAWLSIEVE_RETURN_IF_ERROR(PollSlots());
  bool is_busy = false;
  if (feed_->LeastPlace().has_value()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const std::size_t applied, ApplyChanges());
    is_busy = applied > 0;
    if (feed_->is_caught_up() && applied < kChangesAtOnce) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const bool has_answered, AnswerSome());
      is_busy |= has_answered;
    }
  }
  producer_->Poll(milliseconds(0));
  is_idle_ = !is_busy;
  if (is_idle_) contact_.AskIfSilent(group_->consumer(), LogPartition(options_.kafka));
  if (steady_clock::now() - reported_ >= kReports) Report();
  return {};
}

BrokerStatus Session::Close(milliseconds timeout) { return group_->Close(timeout); }

void Session::TakeAssignment() {
  if (group_->slots() == taken_) return;
  taken_ = group_->slots();
  std::erase_if(slots_, [&](const auto& held) {
    const auto& [slot, one] = held;
    if (taken_->contains(slot)) return false;
    // It may come back.
    if (const auto written = one->WriteNow(); !written) ReportFileFailed(slot, written.error());
    return true;
  });
  std::string names;
  for (const std::uint32_t slot : *taken_) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", slot);
    if (slots_.contains(slot)) continue;
    SlotMachine::Options machine;
    machine.layout = layout_;
    machine.slot = slot;
    machine.make_index = options_.make_index;
    slots_[slot] = std::make_unique<HeldSlot>(
        std::move(machine), SlotFile::DirectoryOf(options_.directory, layout_, slot),
        options_.file_entries, LeadOf(slot));
  }
  metrics_.Add(Count::kRebalances);
  Log(LogLevel::kInfo, "index.assigned",
      {{"slots", names.empty() ? "none" : names}, {"layout", layout_.Name()}});
  Report();
}

/// So that slots, and those of other groups, don't write all at the same entry.
std::uint64_t Session::LeadOf(std::uint32_t slot) const {
  if (options_.file_entries == 0) return 0;
  const std::string name = fmt::format("{} {}", slot, options_.kafka.slots.replica_group);
  return RawChecksum(name).low % options_.file_entries;
}

BrokerStatus Session::PollSlots() {
  CRAWLSIEVE_RETURN_IF_ERROR(feed_->Poll([&](std::uint32_t slot, const HeldSlot& held) {
    const SlotMachine& machine = held.machine();
    Log(LogLevel::kInfo, "index.loaded",
        {{"slot", slot},
         {"log_offset", machine.state().place.position.offset},
         {"documents", machine.index().Stats().documents}});
  }));
  for (auto& [slot, held] : slots_) {
    const auto written = held->TakeWritten();
    if (!written.has_value()) continue;
    if (*written) {
      metrics_.Add(Count::kSnapshotsWritten);
    } else {
      ReportFileFailed(slot, written->error());
    }
  }
  feed_->WriteIfDue();
  return {};
}

void Session::ReportFileFailed(std::uint32_t slot, const Error& error) {
  metrics_.Add(Count::kSnapshotsGivenUp);
  Log(LogLevel::kWarn, "index.file_failed",
      {{"slot", slot},
       {"error", error.message},
       {"meaning", "the next one is written later; until then a restart takes longer"}});
}

std::optional<std::int64_t> Session::FirstToAnswer() const {
  std::optional<std::int64_t> first;
  for (const auto& [slot, held] : slots_) {
    if (!held->is_loaded()) continue;
    const std::int64_t next = held->machine().state().place.position.offset + 1;
    first = std::min(first.value_or(next), next);
  }
  return first;
}

BrokerResult<std::size_t> Session::ApplyChanges() {
  // At first there is nothing else to wait for. Later there is the log, unless enough of it was
  // answered.
  milliseconds wait(0);
  if (!feed_->is_caught_up()) {
    wait = kCatchUp;
  } else if (is_idle_ && is_window_full_) {
    wait = kIdle;
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const std::size_t applied, feed_->Apply(kChangesAtOnce, wait));
  if (applied > 0 || feed_->is_caught_up()) contact_.Answered();
  if (feed_->TakeLogWasRead()) window_->Forget();
  return applied;
}

BrokerResult<bool> Session::AnswerSome() {
  const auto first = FirstToAnswer();
  if (!first.has_value()) return false;
  CRAWLSIEVE_RETURN_IF_ERROR(window_->KeepFrom(*first));
  const std::int64_t last = feed_->GreatestPlace() + kSlotWindow;
  CRAWLSIEVE_ASSIGN_OR_RETURN(bool is_busy,
                              window_->Fetch(last, is_idle_ ? kIdle : milliseconds(0)));
  is_window_full_ = window_->end() > last;
  for (auto& [slot, held] : slots_) {
    if (!held->is_loaded()) continue;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const bool has_answered, AnswerFor(slot, *held));
    is_busy |= has_answered;
  }
  return is_busy;
}

BrokerResult<bool> Session::AnswerFor(std::uint32_t slot, HeldSlot& held) {
  std::size_t answered = 0;
  while (answered < kAnswersAtOnce && held.may_answer()) {
    const std::int64_t from = held.machine().next();
    window_->ItemsFrom(from, kAnswersAtOnce - answered, items_);
    if (items_.empty()) break;
    auto record = held.Answer(items_);
    if (!record) return FinalError(std::move(record.error()));
    if (!record->answers.empty()) {
      CRAWLSIEVE_RETURN_IF_ERROR(Send(slot, *record));
    }
    const std::int64_t next = held.machine().next();
    if (next == from) break;
    // After what was asked for it goes on far ahead.
    answered += static_cast<std::size_t>(
        std::clamp<std::int64_t>(next - from, 1, static_cast<std::int64_t>(items_.size())));
  }
  return answered > 0;
}

BrokerStatus Session::Send(std::uint32_t slot, const CandidatesRecord& candidates) {
  const std::string bytes = candidates.Encode();
  RecordView record;
  record.topic = options_.kafka.slots.candidates_topic;
  record.partition = static_cast<std::int32_t>(slot);
  record.value = bytes;
  const auto deadline = steady_clock::now() + kProducePatience;
  while (true) {
    auto produced = producer_->Produce(record, 0);
    if (produced) break;
    if (produced.error().error_class != ErrorClass::kBusy) return produced;
    // The brokers are away. The judge asks once more.
    if (steady_clock::now() >= deadline) return {};
    producer_->Poll(milliseconds(100));
  }
  has_progressed_ = true;
  metrics_.Add(Count::kSlotAnswers, candidates.answers.size());
  return {};
}

std::string Session::WhatIsMissing() const {
  if (!taken_.has_value()) return "waiting for the group to share out the slots of the index";
  for (const auto& [slot, held] : slots_) {
    if (!held->is_loaded()) return fmt::format("slot {} of the index is being loaded", slot);
    if (const auto& other = held->machine().other_layout()) {
      return fmt::format(
          "the judge has an index of {}, this process one of {}: give both the same index.slots "
          "and "
          "index.stripe_bits",
          other->Name(), layout_.Name());
    }
  }
  for (const auto& [slot, why] : feed_->given_up()) {
    if (taken_->contains(slot))
      return fmt::format("slot {} of the index is given up: {}", slot, why);
  }
  if (!slots_.empty() && !feed_->is_caught_up()) {
    return "slots of the index take up changes";
  }
  return {};
}

void Session::Report() {
  reported_ = steady_clock::now();
  std::vector<SlotReport> reports;
  std::vector<PartitionReport> partitions;
  IndexReport all;
  for (const auto& [slot, held] : slots_) {
    partitions.push_back({options_.kafka.slots.candidates_topic, static_cast<std::int32_t>(slot),
                          std::nullopt, std::nullopt, std::nullopt});
    if (!held->is_loaded()) continue;
    const SlotMachine& machine = held->machine();
    const IndexStats stats = machine.index().Stats();
    all.entries += stats.documents;
    all.fingerprints += stats.fingerprints;
    all.bytes += stats.bytes;
    const std::int64_t end = window_->log_end().value_or(machine.next());
    reports.push_back({slot, machine.state().place.position.offset,
                       std::max<std::int64_t>(0, end - machine.next()), stats.documents,
                       stats.bytes});
  }
  all.shards = options_.index_shards;
  if (options_.reports_index) metrics_.SetIndex(all);
  std::string waiting = WhatIsMissing();
  metrics_.SetSlots(std::move(reports), std::move(waiting));
  board_.SetPartitions(Role::kIndex, std::move(partitions));
}

}  // namespace

IndexStage::IndexStage(Options options, StatusBoard& board, Metrics& metrics)
    : options_(std::move(options)), board_(board), metrics_(metrics) {}

std::filesystem::path IndexStage::DirectoryIn(const std::filesystem::path& state) {
  return state / "slots";
}

SlotLayout IndexStage::LayoutOf(const SlotOptions& slots, const std::string& scheme) {
  return {slots.count, slots.stripe_bits, scheme};
}

Status IndexStage::Run(const std::stop_token& stop) {
  std::error_code error;
  std::filesystem::create_directories(options_.directory, error);
  if (error) return MakeError(ErrorCode::kIo, options_.directory.string() + ": " + error.message());
  CRAWLSIEVE_ASSIGN_OR_RETURN(const LockFile lock,
                              LockFile::Acquire(options_.directory / LockFile::kName));
  std::optional<std::int64_t> seen_gap;
  const auto run = [&]() -> SessionEnd {
    BrokerContact contact(Role::kIndex, board_);
    Session session(options_, slots_, seen_gap, contact, board_, metrics_);
    BrokerStatus worked = session.Open();
    while (worked && !stop.stop_requested()) {
      contact.Round();
      worked = session.Step();
    }
    if (!worked) return {std::move(worked), session.has_progressed()};
    if (auto closed = session.Close(options_.shutdown_timeout / 2); !closed) {
      Log(LogLevel::kWarn, "index.close_failed", {{"error", closed.error().message}});
    }
    return {};
  };
  const Status ended = RunSessions("index", stop, BackOff(), metrics_, run);
  // Others hold the slots now, or this process begins again.
  const Status written = WriteFiles();
  return ended ? written : ended;
}

Status IndexStage::WriteFiles() {
  Status all;
  for (auto& [slot, held] : slots_) {
    if (Status written = held->WriteNow(); !written) all = std::move(written);
  }
  slots_.clear();
  metrics_.SetSlots({}, "");
  return all;
}

}  // namespace crawlsieve::consumer
