#include "consumer/service/judge_stage.h"

#include "consumer/kafka/consumer.h"
#include "consumer/kafka/producer.h"
#include "consumer/logging.h"
#include "consumer/output/verdict_record.h"
#include "consumer/service/batch_counts.h"
#include "consumer/service/contact.h"
#include "consumer/service/deployment.h"
#include "consumer/service/input_alarms.h"
#include "consumer/service/kafka_log.h"
#include "consumer/service/sessions.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/log/entries.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr milliseconds kAdminTimeout{10'000};
constexpr milliseconds kGroupTimeout{3'000};
constexpr milliseconds kCommitTimeout{60'000};
constexpr milliseconds kFollowTimeout{2'000};
constexpr milliseconds kIdlePoll{100};
constexpr std::size_t kMostAtOnce = 1000;  ///< entries that are taken from the client at once
constexpr std::size_t kMostBytesAtOnce = 16 << 20;

/// That read ahead of the fold, this one included. More than there are cores: rows that aren't in
/// memory come from the disk, which answers several at a time as fast as one.
constexpr std::size_t kReadThreads = 8;

Timestamp Now() { return std::chrono::floor<milliseconds>(std::chrono::system_clock::now()); }

/// Makes the same call again until it succeeds, fails for good, or `timeout` is over.
template <typename Call>
KafkaStatus Repeat(milliseconds timeout, const Call& call) {
  const auto deadline = SteadyClock::now() + timeout;
  while (true) {
    KafkaStatus status = call();
    if (status || status.error().error_class != KafkaErrorClass::kRetriable ||
        SteadyClock::now() >= deadline) {
      return status;
    }
  }
}

/// Tells metrics and log what becomes of the restart snapshots.
class SnapshotNews {
 public:
  SnapshotNews(const RestartReport& report, Metrics& metrics) : report_(report), metrics_(metrics) {
    metrics_.Add(Count::kSnapshotsRefused, report_.refused.size());
  }

  void Tell() {
    if (report_.written != written_) {
      metrics_.Add(Count::kSnapshotsWritten, report_.written - written_);
      written_ = report_.written;
      last_ = Now();
      Log(LogLevel::kInfo, "judge.snapshot",
          {{"offset", report_.last->origin.log_offset},
           {"documents", report_.last->entries},
           {"bytes", report_.last->bytes}});
    }
    if (report_.given_up != given_up_) {
      metrics_.Add(Count::kSnapshotsGivenUp, report_.given_up - given_up_);
      given_up_ = report_.given_up;
      Log(LogLevel::kWarn, "judge.snapshot_given_up",
          {{"error", report_.last_error ? report_.last_error->message : "an aborted transaction"},
           {"meaning", "the next one is written later; until then a restart takes longer"}});
    }
  }

  /// When the newest one that this process has written was done.
  [[nodiscard]] std::optional<Timestamp> last() const { return last_; }

 private:
  const RestartReport& report_;
  Metrics& metrics_;
  std::uint64_t written_ = 0;
  std::uint64_t given_up_ = 0;
  std::optional<Timestamp> last_;
};

/// Works with one set of Kafka clients, until they fail or it is told to stop.
class JudgeSession final : public RebalanceListener {
 public:
  /// `gap` is where the session before found an entry missing; this one puts its own there.
  JudgeSession(const JudgeStage::Options& options, Detector& detector, Board& board,
               Metrics& metrics, SnapshotNews& snapshots, std::optional<std::int64_t>& gap)
      : options_(options),
        detector_(detector),
        gap_(gap),
        board_(board),
        metrics_(metrics),
        snapshots_(snapshots),
        log_{options.kafka.log_topic, 0},
        contact_(Role::kJudge, board),
        is_exactly_once_(options.kafka.delivery == Delivery::kExactlyOnce),
        told_work_(detector.lookup_work()),
        told_confirm_work_(detector.confirm_work()) {}

  /// Nothing of an unfinished batch stays behind.
  ~JudgeSession() override {
    detector_.Discard();
    metrics_.SetRestoring(false);
    metrics_.SetStandby(false);
    board_.SetPartitions(Role::kJudge, {});
  }

  SessionResult Run(const std::stop_token& stop) {
    ClientRecipe recipe = JudgeConsumer(options_.kafka);
    // Members get partitions in the order of their ids, which begin with this: the judge that was
    // there first stays, and a standby that joins doesn't take over. The order is asked of the
    // group, since clocks may be wrong.
    auto client_id = JudgeClientId(options_.kafka, kAdminTimeout);
    if (!client_id) return Failed(client_id);
    recipe.defaults["client.id"] = *client_id;
    auto consumer =
        Consumer::Make(recipe, options_.kafka, contact_.Listen(LoggingCallbacks("judge")));
    if (!consumer) return tl::unexpected(FinalFailure(consumer.error()));
    consumer_ = std::move(*consumer);
    if (auto asked = consumer_->QueryWatermarks(log_, kAdminTimeout); !asked) return Failed(asked);
    contact_.Answered();
    SetState(State::kWarming);
    while (!stop.stop_requested() && !failure_.has_value()) {
      if (SessionResult worked = Work(); !worked) return worked;
    }
    if (failure_.has_value()) return tl::unexpected(*failure_);
    if (auto committed = CommitBatch(); !committed) return committed;
    if (auto closed = consumer_->Close(options_.shutdown_timeout / 2); !closed) {
      Log(LogLevel::kWarn, "judge.close_failed", {{"error", closed.error().message}});
    }
    return {};
  }

  KafkaResult<std::vector<PartitionOffset>> OnAssigned(
      const std::vector<TopicPartition>& partitions) override {
    if (partitions.empty()) return std::vector<PartitionOffset>();
    // Someone else's topics in this group: two deployments that would fence each other for ever.
    if (auto ours = CheckJudgeGroup(options_.kafka, partitions, kGroupTimeout); !ours) {
      return tl::unexpected(ours.error());
    }
    auto group = consumer_->CurrentGroupMetadata();
    if (!group) return tl::unexpected(group.error());
    group_ = std::move(*group);
    SetState(State::kRestoring);
    Log(LogLevel::kInfo, "judge.assigned", {{"log", log_.topic}});
    // Where exactly to go on is known after the restore, which seeks.
    return std::vector<PartitionOffset>{{log_, published_}};
  }

  void OnRevoked(const std::vector<TopicPartition>& /*partitions*/) override {
    if (auto committed = CommitBatch(); !committed) failure_ = committed.error();
    StepBack();
  }

  void OnLost(const std::vector<TopicPartition>& /*partitions*/) override { StepBack(); }

 private:
  enum class State {
    kWarming,    ///< folds what was published; joins the group when that is done
    kStandby,    ///< another member judges; folds what that one publishes
    kRestoring,  ///< assigned: fences, then folds up to the committed offset
    kLive,       ///< folds, publishes, commits
  };

  /// What is being folded and not yet committed.
  struct Batch {
    std::uint32_t entries = 0;
    LogPosition position;
    SteadyClock::time_point begin;
    BatchCounts counts;
    InputAlarms alarms;
    std::vector<Timestamp> sources;  ///< times of the judged input records
  };

  /// A reader of the log that is no member of the group.
  Result<std::unique_ptr<Consumer>> MakeReader() {
    return Consumer::Make(JudgeConsumer(options_.kafka), options_.kafka,
                          contact_.Listen(LoggingCallbacks("judge")));
  }

  SessionFailure Failure(const KafkaError& error) const { return FailureFrom(error, progressed_); }
  template <typename T>
  SessionResult Failed(const KafkaResult<T>& result) const {
    return tl::unexpected(Failure(result.error()));
  }

  void SetState(State state) {
    state_ = state;
    metrics_.SetRestoring(state == State::kWarming || state == State::kRestoring);
    metrics_.SetStandby(state == State::kStandby);
  }

  SessionResult Work() {
    switch (state_) {
      case State::kWarming:
      case State::kStandby:
        return Follow();
      case State::kRestoring:
        return Restore();
      case State::kLive:
        return Step();
    }
    return {};
  }

  void StepBack() {
    if (state_ != State::kRestoring && state_ != State::kLive) return;
    Log(LogLevel::kInfo, "judge.revoked", {{"log", log_.topic}});
    detector_.Discard();
    batch_ = Batch();
    replay_.reset();
    producer_.reset();  // an open transaction is aborted by whoever takes the id over
    SetState(State::kStandby);
  }

  // --- Following and restoring
  // ---------------------------------------------------------------------------------

  /// One bounded piece of what a judge does that isn't active: folds what the active one has
  /// published for good, and no more. It joins the group only when it has caught up, so that the
  /// group never waits for a judge that has yet to fold a long log.
  SessionResult Follow() {
    const bool is_behind = next_ < published_;
    auto polled = consumer_->Poll(is_behind ? milliseconds(0) : kIdlePoll);
    if (!polled && polled.error().error_class != KafkaErrorClass::kRetriable) return Failed(polled);
    if (state_ != State::kWarming && state_ != State::kStandby) return {};
    if (!is_behind) {
      // An outage is waited out; what was published before it stays true.
      auto asked = AskPublished(kFollowTimeout);
      if (!asked && !asked.error().may_pass) return asked;
      if (!asked) contact_.Failed();
    }
    if (auto replayed = Replay(); !replayed) return replayed;
    if (state_ == State::kStandby || next_ < published_) return {};
    if (auto joined = consumer_->Subscribe({log_.topic}, *this); !joined) return Failed(joined);
    SetState(State::kStandby);
    Log(LogLevel::kInfo, "judge.standby", {{"offset", published_}});
    return {};
  }

  /// One bounded piece of the restore; the group is polled between pieces.
  SessionResult Restore() {
    if (auto paused = consumer_->Pause({log_}); !paused) return Failed(paused);
    auto polled = consumer_->Poll(milliseconds(0));
    if (!polled && polled.error().error_class != KafkaErrorClass::kRetriable) return Failed(polled);
    if (state_ != State::kRestoring) return {};
    if (producer_ == nullptr) {
      if (auto fenced = Fence(); !fenced) return fenced;
    }
    if (auto replayed = Replay(); !replayed) return replayed;
    return next_ < published_ ? SessionResult() : GoLive();
  }

  /// Ends what the judge before this one may still do, and finds out up to where it has published.
  SessionResult Fence() {
    auto producer =
        Producer::Make(is_exactly_once_ ? TransactionalProducer(options_.kafka)
                                        : IdempotentProducer(options_.kafka),
                       options_.kafka, contact_.Listen(LoggingCallbacks("judge")),
                       [this](const DeliveryReport& report) {
                         if (report.error.has_value() && !delivery_failure_.has_value()) {
                           delivery_failure_ = report.error;
                         }
                       });
    if (!producer) return tl::unexpected(FinalFailure(producer.error()));
    if (is_exactly_once_) {
      auto fenced =
          Repeat(kCommitTimeout, [&] { return (*producer)->InitTransactions(kAdminTimeout); });
      if (!fenced) return Failed(fenced);
    }
    auto found = Repeat(kAdminTimeout, [&] {
      return (*producer)->FindLeaders(options_.kafka.verdict_topic, kAdminTimeout);
    });
    if (!found) return Failed(found);
    if (auto asked = AskPublished(kAdminTimeout); !asked) return asked;
    producer_ = std::move(*producer);
    delivery_failure_.reset();
    Log(LogLevel::kInfo, "judge.restoring", {{"from", next_}, {"to", published_}});
    return {};
  }

  /// Up to where the log has been judged, and whether it is the log of this state.
  SessionResult AskPublished(milliseconds timeout) {
    auto committed = consumer_->CommittedPlaces({log_}, timeout);
    if (!committed) return Failed(committed);
    auto watermarks = consumer_->QueryWatermarks(log_, timeout);
    if (!watermarks) return Failed(watermarks);
    contact_.Answered();
    std::optional<std::int64_t> offset;
    if (const std::optional<PartitionOffset>& place = committed->front()) {
      offset = place->offset;
      committed_entry_ = {place->offset - 1, place->metadata};
    }
    auto published = FirstOffset(offset, *watermarks);
    if (!published) return tl::unexpected(FinalFailure(published.error()));
    published_ = *published;
    log_is_empty_ = watermarks->high == 0;
    return {};
  }

  /// A reader of its own, from the last folded entry on: that one is read again, to see that this
  /// is still the same log.
  SessionResult OpenReplay() {
    next_ = std::max<std::int64_t>(0, detector_.position().offset);
    if (next_ >= published_) return {};
    auto replay = MakeReader();
    if (!replay) return tl::unexpected(FinalFailure(replay.error()));
    if (auto assigned = (*replay)->Assign({{log_, next_}}); !assigned) return Failed(assigned);
    replay_ = std::move(*replay);
    return {};
  }

  /// The offset from which verdicts are to be published, or why state and log don't go together.
  Result<std::int64_t> FirstOffset(std::optional<std::int64_t> committed,
                                   const Watermarks& watermarks) const {
    const std::int64_t folded = detector_.position().offset;
    if (folded >= watermarks.high) {
      return MakeError(
          ErrorCode::kMismatch,
          fmt::format(
              "the state covers log {} up to offset {}, but the log ends at {}: it was "
              "recreated or truncated. What to do: docs/reliability.md, \"When the log lost "
              "entries\"",
              log_.topic, folded, watermarks.high));
    }
    if (committed.value_or(0) > watermarks.high) {
      return MakeError(
          ErrorCode::kMismatch,
          fmt::format(
              "group {}.judge has committed offset {} of log {}, which ends at {}: the log "
              "was recreated or truncated. What to do: docs/reliability.md, \"When the log lost "
              "entries\"",
              options_.kafka.group, *committed, log_.topic, watermarks.high));
    }
    if (std::max<std::int64_t>(folded, 0) < watermarks.low) {
      return MakeError(
          ErrorCode::kMismatch,
          fmt::format("log {} begins at offset {}, but the state covers it only up to {}: entries "
                      "between them are gone. Restore a newer state directory",
                      log_.topic, watermarks.low, folded));
    }
    if (!is_exactly_once_) return std::max(committed.value_or(0), folded + 1);
    if (!committed.has_value() && folded >= 0) {
      return MakeError(
          ErrorCode::kMismatch,
          fmt::format(
              "the state covers log {} up to offset {}, but group {}.judge has no committed "
              "offset (it expired, or the group is another one): which verdicts were "
              "published can't be known. Set the group's offset with kafka-consumer-groups, "
              "or start with an empty state directory to publish all verdicts again",
              log_.topic, folded, options_.kafka.group));
    }
    if (folded >= committed.value_or(0)) {
      return MakeError(
          ErrorCode::kMismatch,
          fmt::format("the state covers log {} up to offset {}, past the committed offset {} of "
                      "group {}.judge: the group's offset was set back, or the state belongs to "
                      "another group. Start with an empty state directory",
                      log_.topic, folded, committed.value_or(0), options_.kafka.group));
    }
    return committed.value_or(0);
  }

  /// Folds a piece of what was published before, without publishing it again.
  SessionResult Replay() {
    if (replay_ == nullptr) {
      if (auto opened = OpenReplay(); !opened) return opened;
      if (replay_ == nullptr) return {};  // there is nothing to read
    }
    const auto left = static_cast<std::size_t>(std::max<std::int64_t>(0, published_ - next_));
    if (auto taken = Take(*replay_, kIdlePoll, left); !taken) return taken;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const ConsumedRecord& record = records_[i];
      const std::int64_t offset = record.offset();
      if (auto expected = Expect(offset); !expected) return expected;
      if (offset == detector_.position().offset && batch_.entries == 0) {
        if (ChecksumOf(record) != detector_.position().entry_checksum) {
          return tl::unexpected(FinalFailure(
              {ErrorCode::kMismatch,
               fmt::format("entry {} of log {} is not the one that the state folded there: the log "
                           "was recreated, or the state belongs to another. Start with an empty "
                           "state directory",
                           offset, log_.topic)}));
        }
        continue;
      }
      if (auto known = CheckCommitted(record); !known) return known;
      if (auto folded = Fold(record, entries_[i]); !folded) return tl::unexpected(folded.error());
    }
    records_.clear();
    if (batch_.entries == 0) return {};
    if (auto stored = CommitState(); !stored) return stored;
    progressed_ = true;
    TellIndex();
    TellLag(*replay_);
    return {};
  }

  /// What is committed with the group's offset is the checksum of the entry before it. Another one
  /// there is an entry that nobody has judged: the log lost its end, and went on.
  SessionResult CheckCommitted(const ConsumedRecord& record) const {
    const auto& [offset, checksum] = committed_entry_;
    if (record.offset() != offset || checksum.empty() || checksum == HexOf(record)) return {};
    return tl::unexpected(FinalFailure(
        {ErrorCode::kMismatch,
         fmt::format("entry {} of log {} is not the one that group {}.judge was done with there: "
                     "the log lost entries and went on. What it holds now from somewhere before "
                     "that offset has no verdict. docs/reliability.md, \"When the log lost "
                     "entries\"",
                     offset, log_.topic, options_.kafka.group)}));
  }

  /// Only idempotent producers write to the log, which leave no gap in its offsets. So a record
  /// that doesn't follow the one before means that an entry was not delivered, or that something
  /// else writes to the log. To fold on would be to forget pages.
  SessionResult Expect(std::int64_t offset) {
    if (offset == next_) {
      ++next_;
      return {};
    }
    // Other clients may see what these have skipped; what they don't either isn't there.
    const bool is_known = std::exchange(gap_, next_) == next_;
    return tl::unexpected(SessionFailure{
        {ErrorCode::kCorruption,
         fmt::format("log {} goes on with offset {} where {} was expected: entries are missing, or "
                     "something else writes to this topic",
                     log_.topic, offset, next_)},
        !is_known,
        progressed_});
  }

  SessionResult GoLive() {
    replay_.reset();
    // Before the log's own first entry is folded nothing may be added to it: it may be of another
    // scheme. Judge() compares the parameters again when it meets them.
    const bool is_read = log_is_empty_ || detector_.parameters().has_value();
    if (is_read && !HasOurParameters()) {
      if (auto appended = AppendParameters(); !appended) return appended;
    }
    // In this order: a seek wakes librdkafka's fetcher, a resume behind it is found by it only when
    // it looks again a second later. What comes of the wrong place in between is dropped by the
    // seek.
    if (auto resumed = consumer_->Resume({log_}); !resumed) return Failed(resumed);
    auto found = Repeat(kAdminTimeout, [&] {
      return consumer_->Seek({log_, published_}, kAdminTimeout);
    });
    if (!found) return Failed(found);
    next_ = published_;
    SetState(State::kLive);
    TellIndex();
    if (auto told = TellOpenGaps(LogLevel::kWarn); !told) return told;
    Log(LogLevel::kInfo, "judge.live",
        {{"offset", published_}, {"documents", detector_.index_stats().documents}});
    return {};
  }

  /// Whether what is in force is what this process would have, by the newest rules it has.
  bool HasOurParameters() const {
    return detector_.parameters() == options_.parameters &&
           detector_.fold_version() >= kFoldVersion;
  }

  /// Puts this process's judging parameters at the end of the log. They take effect for the entries
  /// behind them, here as in every replay.
  SessionResult AppendParameters() {
    parameters_appended_ = true;
    std::optional<KafkaError> failure;
    auto producer = Producer::Make(IdempotentProducer(options_.kafka), options_.kafka,
                                   LoggingCallbacks("judge"), [&](const DeliveryReport& report) {
                                     if (report.error.has_value()) failure = report.error;
                                   });
    if (!producer) return tl::unexpected(FinalFailure(producer.error()));
    const std::string entry =
        ParametersEntry(options_.parameters, options_.scheme).SerializeAsString();
    RecordView record;
    record.topic = log_.topic;
    record.partition = 0;
    record.value = entry;
    if (auto produced = (*producer)->Produce(record, 0); !produced) return Failed(produced);
    if (auto flushed = (*producer)->Flush(kAdminTimeout); !flushed) return Failed(flushed);
    if (failure.has_value()) return tl::unexpected(Failure(*failure));
    Log(LogLevel::kInfo, "judge.parameters",
        {{"max_distance", options_.parameters.max_distance},
         {"min_features", options_.parameters.min_features},
         {"scheme", options_.scheme}});
    return {};
  }

  // --- Live --------------------------------------------------------------------------------------

  SessionResult Step() {
    if (producer_ != nullptr) producer_->Poll(milliseconds(0));
    if (delivery_failure_.has_value()) return tl::unexpected(Failure(*delivery_failure_));
    if (auto taken = Take(*consumer_, TimeLeft(), options_.kafka.commit_entries - batch_.entries);
        !taken) {
      return taken;
    }
    // What was taken when a rebalance came is another judge's now, or read again after the restore.
    for (std::size_t i = 0; i < records_.size() && state_ == State::kLive; ++i) {
      if (auto judged = Judge(records_[i], entries_[i]); !judged) return judged;
    }
    records_.clear();
    if (batch_.entries == 0) contact_.AskIfSilent(*consumer_, log_);
    const bool is_full = batch_.entries >= options_.kafka.commit_entries;
    if (batch_.entries > 0 && (is_full || TimeLeft() == milliseconds(0))) return CommitBatch();
    return {};
  }

  /// Until the open batch is to be committed.
  milliseconds TimeLeft() const {
    if (batch_.entries == 0) return kIdlePoll;
    const auto end = batch_.begin + options_.kafka.commit_interval;
    const auto left = std::chrono::duration_cast<milliseconds>(end - SteadyClock::now());
    return std::clamp(left, milliseconds(0), kIdlePoll);
  }

  static std::string ChecksumOf(const ConsumedRecord& record) {
    return ToBytes(RawChecksum(record.value().value_or(std::string_view())));
  }

  static std::string HexOf(const ConsumedRecord& record) {
    return Hex(RawChecksum(record.value().value_or(std::string_view())));
  }

  static std::string HexOfBytes(std::string_view bytes) {
    std::string text;
    for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
  }

  /// Takes the records that have come, `most` of them and kMostAtOnce at most, into `records_` and
  /// `entries_`, and reads ahead for them. Waits up to `wait` for the first.
  SessionResult Take(Consumer& consumer, milliseconds wait, std::size_t most) {
    most = std::min(most, kMostAtOnce);
    records_.clear();
    for (std::size_t bytes = 0; records_.size() < most && bytes < kMostBytesAtOnce;) {
      auto polled = consumer.Poll(records_.empty() ? wait : milliseconds(0));
      if (!polled && polled.error().error_class != KafkaErrorClass::kRetriable) {
        return Failed(polled);
      }
      if (!polled || !polled->has_value()) break;
      bytes += (*polled)->size_bytes();
      records_.push_back(std::move(**polled));
    }
    if (entries_.size() < records_.size()) entries_.resize(records_.size());
    for (std::size_t i = 0; i < records_.size(); ++i) {
      // What isn't an entry stays empty, which the fold refuses when it comes to it.
      (void)ParseEntry(records_[i].value().value_or(std::string_view()), entries_[i]);
    }
    detector_.ReadAheadFor(std::span(entries_).first(records_.size()), kReadThreads);
    return {};
  }

  /// Folds a record into the open batch; nullopt where kafka.log.skip says to pass it over.
  tl::expected<std::optional<Folded>, SessionFailure> Fold(const ConsumedRecord& record,
                                                           const log::Entry& entry) {
    const std::string_view value = record.value().value_or(std::string_view());
    std::optional<Folded> result;
    if (IsSkippedEntry(options_.kafka.log_skip, record.offset(), value)) {
      TellSkipped(record.offset(), entry);
    } else {
      auto folded = entry.body_case() != log::Entry::BODY_NOT_SET
                        ? detector_.Fold(entry)
                        : Result<Folded>(MakeError(ErrorCode::kInvalidInput,
                                                   "what is not an entry of crawlsieve"));
      if (!folded) {
        Error error = folded.error();
        error.message += HowToSkip(log_.topic, record.offset(), value);
        return tl::unexpected(FinalFailure(std::move(error)));
      }
      result = std::move(*folded);
    }
    if (batch_.entries++ == 0) batch_.begin = SteadyClock::now();
    last_timestamp_ = record.timestamp();
    batch_.position = {record.offset(), ChecksumOf(record)};
    return result;
  }

  void TellSkipped(std::int64_t offset, const log::Entry& entry) const {
    const log::Source& source = entry.page().source();
    Log(LogLevel::kError, "judge.entry_skipped",
        {{"log", log_.topic},
         {"entry", offset},
         {"topic", entry.has_page() ? source.topic() : "unknown"},
         {"partition", entry.has_page() ? source.partition() : -1},
         {"offset", entry.has_page() ? source.offset() : -1},
         {"meaning",
          "kafka.log.skip names this entry; the record that it may stand for gets no "
          "verdict from it"}});
  }

  SessionResult Judge(const ConsumedRecord& record, const log::Entry& entry) {
    const auto begin = SteadyClock::now();
    if (auto expected = Expect(record.offset()); !expected) return expected;
    if (batch_.entries == 0 && is_exactly_once_) {
      if (auto begun = producer_->BeginTransaction(); !begun) return Failed(begun);
    }
    auto fold = Fold(record, entry);
    if (!fold) return tl::unexpected(fold.error());
    if (!fold->has_value()) {
      batch_.counts.AddSkipped();
      return {};
    }
    const std::optional<Folded>& folded = *fold;
    batch_.counts.Add(*folded, entry.page());
    batch_.alarms.Add(*folded, entry.page().source());
    if (folded->verdict.has_value()) {
      if (auto published = Publish(entry.page(), *folded->verdict); !published) {
        return Failed(published);
      }
      batch_.sources.emplace_back(milliseconds(entry.page().source().timestamp_ms()));
    }
    metrics_.Observe(Latency::kJudge, SteadyClock::now() - begin);
    // A judge with other settings was active and left its parameters behind this one's.
    if (folded->outcome == FoldOutcome::kParameters && !parameters_appended_ &&
        !HasOurParameters()) {
      return AppendParameters();
    }
    return {};
  }

  KafkaStatus Publish(const log::Page& page, const Verdict& verdict) {
    const log::Source& source = page.source();
    const Rule& rule = RuleFor(verdict.reason);
    const std::string text = VerdictRecord(page, verdict, {options_.instance, Now()});
    const std::string partition = std::to_string(source.partition());
    const std::string offset = std::to_string(source.offset());
    RecordView record;
    record.topic = options_.kafka.verdict_topic;
    record.key = page.has_key() ? page.key() : page.url();
    record.value = text;
    for (const log::Header& header : page.headers()) {
      record.headers.push_back({header.name(), header.value()});
    }
    record.headers.push_back({"content-type", "application/json"});
    record.headers.push_back({"crawlsieve-source-topic", source.topic()});
    record.headers.push_back({"crawlsieve-source-partition", partition});
    record.headers.push_back({"crawlsieve-source-offset", offset});
    record.headers.push_back(
        {"crawlsieve-verdict", rule.decision == Decision::kKeep ? "keep" : "drop"});
    record.headers.push_back({"crawlsieve-reason", rule.name});
    while (true) {
      auto produced = producer_->Produce(record, 0);
      if (produced || produced.error().error_class != KafkaErrorClass::kBusy) return produced;
      producer_->Poll(milliseconds(100));
      if (delivery_failure_.has_value()) return tl::unexpected(*delivery_failure_);
    }
  }

  /// Publishes the batch for good, then adds it to the state: never the other way round.
  SessionResult CommitBatch() {
    if (state_ != State::kLive || batch_.entries == 0) return {};
    const std::vector<PartitionOffset> offsets = {
        {log_, batch_.position.offset + 1, HexOfBytes(batch_.position.entry_checksum)}};
    if (is_exactly_once_) {
      auto sent = Repeat(kCommitTimeout, [&] { return producer_->SendOffsets(offsets, group_); });
      if (!sent) return Failed(sent);
      auto committed = Repeat(kCommitTimeout, [&] { return producer_->CommitTransaction(); });
      if (!committed) {
        metrics_.Add(Count::kTransactionsAborted);
        return Failed(committed);
      }
      metrics_.Add(Count::kTransactionsCommitted);
    } else {
      auto flushed = Repeat(kCommitTimeout, [&] { return producer_->Flush(kAdminTimeout); });
      if (!flushed) return Failed(flushed);
      if (delivery_failure_.has_value()) return tl::unexpected(Failure(*delivery_failure_));
    }
    const BatchCounts counts = batch_.counts;
    const std::vector<Timestamp> sources = std::move(batch_.sources);
    const InputAlarms alarms = std::move(batch_.alarms);
    if (auto stored = CommitState(); !stored) return stored;
    progressed_ = true;
    contact_.Answered();
    counts.AddTo(metrics_);
    alarms.Tell(stale_generation_told_, other_topic_told_);
    if (alarms.has_gaps_changed()) {
      if (auto told = TellOpenGaps(LogLevel::kInfo); !told) return told;
    }
    const Timestamp now = Now();
    for (const Timestamp source : sources) metrics_.Observe(Latency::kEndToEnd, now - source);
    TellIndex();
    TellLag(*consumer_);
    if (!is_exactly_once_) {
      // Where to go on is known by the state, or after a crash, when that has been set back, by
      // this.
      auto committed = consumer_->Commit(offsets, kAdminTimeout);
      if (!committed && committed.error().error_class != KafkaErrorClass::kRetriable) {
        return Failed(committed);
      }
    }
    return {};
  }

  /// Says which input records the log has no entry for, and shows their number.
  SessionResult TellOpenGaps(LogLevel level) {
    auto gaps = detector_.OpenGaps();
    if (!gaps) return tl::unexpected(FinalFailure(gaps.error()));
    std::vector<GapReport> reports;
    for (const InputGap& gap : *gaps) {
      reports.push_back({gap.topic, gap.partition,
                         static_cast<std::uint64_t>(gap.offsets.to - gap.offsets.from + 1)});
      Log(level, "judge.open_gap",
          {{"topic", gap.topic},
           {"partition", gap.partition},
           {"from", gap.offsets.from},
           {"to", gap.offsets.to}});
    }
    metrics_.SetOpenGaps(reports);
    return {};
  }

  void TellIndex() {
    snapshots_.Tell();
    const IndexStats stats = detector_.index_stats();
    metrics_.SetIndex({.entries = stats.documents,
                       .fingerprints = stats.fingerprints,
                       .bytes = stats.bytes,
                       .shards = options_.index_shards,
                       .last_snapshot = snapshots_.last()});
    const LookupWork& work = detector_.lookup_work();
    metrics_.Add(Count::kIndexProbes, work.probes - told_work_.probes);
    metrics_.Add(Count::kIndexCandidates, work.candidates - told_work_.candidates);
    told_work_ = work;
    const ConfirmWork& confirmed = detector_.confirm_work();
    metrics_.Add(Count::kCandidatesCompared, confirmed.compared - told_confirm_work_.compared);
    metrics_.Add(Count::kCandidatesCut, confirmed.cut - told_confirm_work_.cut);
    told_confirm_work_ = confirmed;
  }

  /// `reader` is the one that reads the log just now.
  void TellLag(const Consumer& reader) {
    PartitionReport report{log_.topic, log_.partition, next_, std::nullopt, std::nullopt};
    if (const auto watermarks = reader.CachedWatermarks(log_)) {
      report.lag = std::max<std::int64_t>(0, watermarks->high - next_);
      report.lag_seconds =
          *report.lag > 0 ? std::chrono::duration<double>(Now() - last_timestamp_).count() : 0.0;
    }
    board_.SetPartitions(Role::kJudge, {report});
  }

  SessionResult CommitState() {
    if (batch_.entries == 0) return {};
    auto stored = detector_.Commit(batch_.position);
    if (!stored) return tl::unexpected(FinalFailure(stored.error()));
    batch_ = Batch();
    return {};
  }

  const JudgeStage::Options& options_;
  Detector& detector_;
  std::optional<std::int64_t>& gap_;
  Board& board_;
  Metrics& metrics_;
  SnapshotNews& snapshots_;
  const TopicPartition log_;
  BrokerContact contact_;  // before the clients, which tell it
  const bool is_exactly_once_;

  State state_ = State::kWarming;
  std::int64_t published_ = 0;  ///< the log has been judged up to here, as far as is known
  std::int64_t next_ = 0;       ///< offset of the record to be read next
  bool log_is_empty_ = false;
  Batch batch_;
  Timestamp last_timestamp_;  ///< of the entry folded last, as the log's record has it
  LookupWork told_work_;      ///< what the metrics know of
  ConfirmWork told_confirm_work_;
  bool parameters_appended_ = false;
  std::set<TopicPartition> stale_generation_told_;
  std::set<TopicPartition> other_topic_told_;
  /// The last entry that the group was done with: its offset, and its checksum in hexadecimal
  /// digits, empty where that isn't known.
  std::pair<std::int64_t, std::string> committed_entry_{-1, ""};
  bool progressed_ = false;
  std::optional<KafkaError> delivery_failure_;
  std::optional<SessionFailure> failure_;  ///< met inside a rebalance
  GroupMetadata group_;
  std::unique_ptr<Consumer> consumer_;
  std::unique_ptr<Consumer> replay_;  ///< reads what is folded without being published
  std::unique_ptr<Producer> producer_;
  std::vector<log::Entry> entries_;      ///< what records_ hold; reused, so it may be longer
  std::vector<ConsumedRecord> records_;  ///< taken, and judged or folded next; gone before clients
};

}  // namespace

JudgeStage::JudgeStage(Options options, Detector& detector, Board& board, Metrics& metrics)
    : options_(std::move(options)), detector_(detector), board_(board), metrics_(metrics) {}

Status JudgeStage::Run(const std::stop_token& stop) {
  std::optional<std::int64_t> gap;
  SnapshotNews snapshots(detector_.restart_report(), metrics_);
  const Status ended = RunSessions("judge", stop, BackOff(), [&] {
    JudgeSession session(options_, detector_, board_, metrics_, snapshots, gap);
    return session.Run(stop);
  });
  // The group has been left: a standby need not wait for this. After an error, too, there is no
  // need for the next start to fold again what could be written now.
  detector_.Discard();
  const Status written = detector_.Flush();
  snapshots.Tell();
  return ended ? written : ended;
}

}  // namespace crawlsieve::consumer
