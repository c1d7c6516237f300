#include "consumer/service/extract/extract_stage.h"

#include "consumer/kafka/consumer.h"
#include "consumer/observability/logging.h"
#include "consumer/output/dead_letter.h"
#include "consumer/pipeline/offset_tracker.h"
#include "consumer/pipeline/ordered_workers.h"
#include "consumer/service/brokers/contact.h"
#include "consumer/service/brokers/deployment.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "consumer/service/brokers/sessions.h"
#include "consumer/service/brokers/status_board.h"
#include "consumer/service/extract/entry_writer.h"
#include "consumer/service/extract/input_position.h"
#include "consumer/service/extract/log_gate.h"
#include "consumer/service/extract/page_worker.h"
#include "consumer/version.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr milliseconds kAdminTimeout{10'000};
constexpr milliseconds kGroupTimeout{3'000};
constexpr milliseconds kIdlePoll{50};
constexpr milliseconds kBusyPoll{1};
// The limits of a page end it in a second or two.
constexpr milliseconds kProbePatience{60'000};
// Between two questions for a body that can't be had.
constexpr milliseconds kFirstWait{250};
constexpr milliseconds kLongestWait{30'000};

double AgeInSeconds(Timestamp time) {
  return std::chrono::duration<double>(std::chrono::system_clock::now() - time).count();
}

/// Works with one set of Kafka clients, until they fail or it is told to stop.
class ExtractSession final : public RebalanceListener {
 public:
  ExtractSession(const ExtractStage::Options& options, PageNotes& notes, StatusBoard& board,
                 Metrics& metrics)
      : options_(options),
        notes_(notes),
        probe_(options.probe_command, kProbePatience),
        board_(board),
        metrics_(metrics),
        log_(LogPartition(options.kafka)),
        scheme_(SchemeOf(options.processor)),
        gate_(options.kafka, scheme_),
        contact_(Role::kExtract, board),
        writer_{options.instance, std::string(kVersion), options.kafka.group + ".extract"},
        repeats_(options.stage.repeat_cache_bytes),
        workers_(options.stage.threads, [this] { return MakeWorker(); }) {}

  ~ExtractSession() override {
    stop_fetching_.request_stop();
    board_.SetPartitions(Role::kExtract, {});
    metrics_.SetPartitionsWaiting(0, 0);
  }

  BrokerStatus Run(const std::stop_token& stop) {
    if (auto opened = Open(); !opened) return FinalError(opened.error());
    stop_ = stop;
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto ready,
                                gate_.Wait(stop, *consumer_, entries_->producer(), contact_));
    if (!ready) return {};
    CRAWLSIEVE_RETURN_IF_ERROR(CheckExtractGroup(options_.kafka, kGroupTimeout));
    CRAWLSIEVE_RETURN_IF_ERROR(consumer_->Subscribe(TopicsRead(options_.kafka), *this));
    while (!stop.stop_requested()) {
      contact_.Round();
      CRAWLSIEVE_RETURN_IF_ERROR(Step());
    }
    return Finish();
  }

  [[nodiscard]] bool has_progressed() const { return progressed_; }

  BrokerResult<std::vector<PartitionOffset>> OnAssigned(
      const std::vector<TopicPartition>& partitions) override {
    metrics_.Add(Count::kRebalances);
    // The log may be another one than at the last assignment.
    CRAWLSIEVE_RETURN_IF_ERROR(gate_.Check(kAdminTimeout));
    CRAWLSIEVE_RETURN_IF_ERROR(CheckExtractGroup(options_.kafka, kGroupTimeout));
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto committed,
                                consumer_->CommittedPlaces(partitions, kAdminTimeout));
    std::vector<PartitionOffset> starts;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(auto watermarks,
                                  consumer_->QueryWatermarks(partitions[i], kAdminTimeout));
      CRAWLSIEVE_ASSIGN_OR_RETURN(auto begin,
                                  BeginAt(options_.kafka, partitions[i], committed[i], watermarks));
      Log(LogLevel::kInfo, "extract.assigned",
          {{"topic", partitions[i].topic},
           {"partition", partitions[i].partition},
           {"offset", begin.is_unclaimed ? -1 : begin.first}});
      if (begin.unread.has_value()) LogUnread(partitions[i], *begin.unread);
      starts.push_back({partitions[i], begin.read_from});
      assigned_.insert_or_assign(
          partitions[i],
          Assigned{++last_epoch_, 0, OffsetTracker(), CommittedTimes(), begin, {}, false, -1, {}});
    }
    paused_ = false;
    return starts;
  }

  void OnRevoked(const std::vector<TopicPartition>& partitions) override {
    // What is acknowledged is committed; the new owner repeats the rest, and the fold knows it.
    entries_->Flush(kAdminTimeout);
    const BrokerStatus committed = consumer_->Commit(CommittableOffsets(), kAdminTimeout);
    if (!committed) {
      Log(LogLevel::kWarn, "extract.commit_failed", {{"error", committed.error().message}});
    }
    OnLost(partitions);
  }

  void OnLost(const std::vector<TopicPartition>& partitions) override {
    for (const TopicPartition& partition : partitions) {
      Log(LogLevel::kInfo, "extract.revoked",
          {{"topic", partition.topic}, {"partition", partition.partition}});
      assigned_.erase(partition);
    }
    ReportWaits();
  }

 private:
  /// A partition waits for a body that can't be had now, and was set back to its record.
  struct Wait {
    enum class Phase {
      kPaused,  ///< until `until`
      kAsking,  ///< the record is being read again, and nothing behind it
      kAsked,   ///< it was taken
    };
    std::int64_t offset = 0;
    StoreOutage::Kind kind = StoreOutage::Kind::kStoreDown;
    milliseconds pause{0};
    SteadyClock::time_point until;
    Phase phase = Phase::kPaused;
  };

  struct Assigned {
    Epoch epoch;
    Pass pass;  ///< raised when the partition is set back
    OffsetTracker tracker;
    CommittedTimes times;
    InputBegin begin;
    Timestamp last_timestamp;  ///< of the record taken last
    bool is_position_told;     ///< to the judge: PositionEntry
    std::int64_t counted_to;   ///< the last offset that is in the metrics
    std::optional<Wait> wait;

    /// Whether records of the partition are wanted, as far as waiting goes.
    [[nodiscard]] bool may_read() const {
      return !wait.has_value() || wait->phase == Wait::Phase::kAsking;
    }
  };

  OrderedWorkers<PageTask, ProcessedPage>::Worker MakeWorker() {
    const Probe* probe = options_.probe_command.empty() ? nullptr : &probe_;
    auto worker = std::make_shared<PageWorker>(options_.kafka, options_.processor, probe,
                                               options_.bodies, stop_fetching_.get_token(),
                                               worker_count_++, notes_, repeats_, metrics_);
    return [worker](PageTask&& task) { return worker->Process(std::move(task)); };
  }

  Status Open() {
    ClientRecipe recipe = ExtractConsumer(options_.kafka, options_.static_member);
    recipe.defaults["client.id"] = ExtractClientId(options_.kafka);
    CRAWLSIEVE_ASSIGN_OR_RETURN(
        auto consumer, Consumer::Make(recipe, options_.kafka,
                                      contact_.Listen(LoggingCallbacks("extract"), "consumer")));
    CRAWLSIEVE_ASSIGN_OR_RETURN(
        auto entries,
        EntryWriter::Make(options_.kafka, log_,
                          contact_.Listen(LoggingCallbacks("extract"), "producer"),
                          [this](const EntryWriter::Origin& origin, std::string_view topic) {
                            OnWritten(origin, topic);
                          }));
    consumer_ = std::move(consumer);
    entries_ = std::move(entries);
    return {};
  }

  /// Names records that no verdict can be given for.
  void LogUnread(const TopicPartition& partition, const OffsetRange& unread) {
    metrics_.Add(Count::kUnreadRecords, static_cast<std::uint64_t>(unread.to - unread.from + 1));
    Log(LogLevel::kError, "extract.deleted_unread",
        {{"topic", partition.topic},
         {"partition", partition.partition},
         {"from", unread.from},
         {"to", unread.to},
         {"meaning",
          "the topic no longer has these records, and the group had not committed "
          "them; those that the log has no entry for get no verdict"}});
  }

  /// Takes a record if there is room, appends what the workers are done with, commits if it is
  /// time.
  BrokerStatus Step() {
    CRAWLSIEVE_RETURN_IF_ERROR(entries_->Poll());
    CRAWLSIEVE_RETURN_IF_ERROR(TellPositions());

    const bool has_room = in_flight_bytes_ < options_.stage.max_in_flight_bytes &&
                          workers_.in_flight() < options_.stage.max_in_flight_records;
    CRAWLSIEVE_RETURN_IF_ERROR(SetPaused(!has_room));
    if (has_room) CRAWLSIEVE_RETURN_IF_ERROR(AskAgainWhereDue());
    const bool is_busy = workers_.in_flight() > 0 || entries_->outstanding() > 0;
    auto polled = consumer_->Poll(!has_room ? milliseconds(0) : is_busy ? kBusyPoll : kIdlePoll);
    if (!polled && polled.error().error_class != ErrorClass::kRetriable) {
      return tl::unexpected(polled.error());
    }
    if (polled.has_value() && polled->has_value()) {
      CRAWLSIEVE_RETURN_IF_ERROR(Take(std::move(**polled)));
    }

    // Without room the oldest page is all there is to wait for.
    auto done = workers_.TakeNext(has_room ? milliseconds(0) : kIdlePoll);
    for (; done.has_value(); done = workers_.TakeNext(milliseconds(0))) {
      CRAWLSIEVE_RETURN_IF_ERROR(Append(std::move(*done)));
    }
    contact_.AskIfSilent(*consumer_, log_);
    return CommitIfDue();
  }

  BrokerStatus Take(ConsumedRecord record) {
    TopicPartition partition{std::string(record.topic()), record.partition()};
    const auto assigned = assigned_.find(partition);
    if (assigned == assigned_.end() || assigned->second.tracker.IsTaken(record.offset()) ||
        !assigned->second.may_read()) {
      return {};
    }
    const InputBegin& begin = assigned->second.begin;
    // Read again, to see that it is still the record that the group was done with.
    if (record.offset() < begin.first) {
      return CheckLastRead(options_.kafka, partition, begin, record.offset(), record.timestamp());
    }
    const std::size_t bytes = record.size_bytes();
    if (record.offset() > assigned->second.counted_to) {
      metrics_.Add(Count::kRecordsConsumed);
      metrics_.Add(Count::kBytesConsumed, bytes);
      assigned->second.counted_to = record.offset();
    }
    assigned->second.last_timestamp = record.timestamp();
    assigned->second.times.Take(record.offset(), record.timestamp());
    in_flight_bytes_ += bytes;
    const std::int64_t taken = assigned->second.tracker.Take(record.offset(), 1);
    const bool is_first = taken < 0;
    workers_.Submit(PageTask{std::move(record), std::move(partition), assigned->second.epoch,
                             assigned->second.pass, taken, is_first ? begin.previous : taken,
                             is_first && begin.is_unclaimed, bytes});
    if (!assigned->second.wait.has_value()) return {};
    assigned->second.wait->phase = Wait::Phase::kAsked;
    return consumer_->Pause({assigned->first});
  }

  /// Of partitions that were assigned since.
  BrokerStatus TellPositions() {
    for (auto& [partition, assigned] : assigned_) {
      if (assigned.is_position_told) continue;
      const auto entry = PositionEntry(options_.kafka, partition, assigned.begin, scheme_);
      if (entry.has_value()) {
        CRAWLSIEVE_RETURN_IF_ERROR(
            WriteEntry(*entry, {partition, assigned.epoch, entry->page().source().offset()}));
      }
      assigned.is_position_told = true;
    }
    return {};
  }

  /// Sets the partition back to a record whose body can't be had now.
  BrokerStatus BeginWait(const TopicPartition& partition, Assigned& assigned,
                         const ProcessedPage& done) {
    const std::int64_t offset = done.record.offset();
    ++assigned.pass;
    assigned.tracker.Rewind(offset, done.taken_before);
    assigned.times.Rewind(offset);
    if (stop_.stop_requested()) return {};
    const bool is_again = assigned.wait.has_value() && assigned.wait->offset == offset;
    if (!is_again) {
      assigned.wait = Wait{offset, done.outage->kind, kFirstWait, {}, Wait::Phase::kPaused};
      metrics_.Add(Count::kBodyWaits);
    } else {
      assigned.wait->kind = done.outage->kind;
      assigned.wait->pause = std::min(2 * assigned.wait->pause, kLongestWait);
      assigned.wait->phase = Wait::Phase::kPaused;
    }
    assigned.wait->until = SteadyClock::now() + assigned.wait->pause;
    const bool is_down = done.outage->kind == StoreOutage::Kind::kStoreDown;
    // A file that grows is nothing unusual, unless it lasts.
    const bool is_news = is_down ? !is_again : assigned.wait->pause >= kLongestWait;
    if (is_news) {
      Log(is_down ? LogLevel::kWarn : LogLevel::kInfo, "extract.waits_for_body",
          {{"topic", partition.topic},
           {"partition", partition.partition},
           {"offset", offset},
           {"because", is_down ? "the store is down" : "the file still grows"},
           {"error", done.outage->message}});
    }
    ReportWaits();
    return consumer_->Pause({partition});
  }

  /// Has the records that partitions wait at read again, where the pause is over.
  BrokerStatus AskAgainWhereDue() {
    const auto now = SteadyClock::now();
    for (auto& [partition, assigned] : assigned_) {
      if (!assigned.wait.has_value() || assigned.wait->phase != Wait::Phase::kPaused ||
          now < assigned.wait->until) {
        continue;
      }
      // In this order: a partition that is resumed goes on at its old place.
      CRAWLSIEVE_RETURN_IF_ERROR(consumer_->Resume({partition}));
      BrokerStatus sought = consumer_->Seek({partition, assigned.wait->offset, {}}, kGroupTimeout);
      if (sought) {
        assigned.wait->phase = Wait::Phase::kAsking;
        continue;
      }
      if (sought.error().error_class != ErrorClass::kRetriable) return sought;
      CRAWLSIEVE_RETURN_IF_ERROR(consumer_->Pause({partition}));
      assigned.wait->until = SteadyClock::now() + assigned.wait->pause;
    }
    return {};
  }

  /// The body that the partition waited for was had.
  BrokerStatus EndWait(const TopicPartition& partition, Assigned& assigned) {
    if (assigned.wait->kind == StoreOutage::Kind::kStoreDown) {
      Log(LogLevel::kInfo, "extract.has_body",
          {{"topic", partition.topic},
           {"partition", partition.partition},
           {"offset", assigned.wait->offset}});
    }
    assigned.wait.reset();
    ReportWaits();
    return paused_ ? BrokerStatus() : consumer_->Resume({partition});
  }

  void ReportWaits() {
    std::uint64_t without_store = 0;
    std::uint64_t for_growing_files = 0;
    for (const auto& [partition, assigned] : assigned_) {
      if (!assigned.wait.has_value()) continue;
      const bool is_down = assigned.wait->kind == StoreOutage::Kind::kStoreDown;
      ++(is_down ? without_store : for_growing_files);
    }
    metrics_.SetPartitionsWaiting(without_store, for_growing_files);
  }

  /// Pauses or resumes everything assigned that doesn't wait; polling goes on either way.
  BrokerStatus SetPaused(bool paused) {
    if (paused == paused_) return {};
    std::vector<TopicPartition> partitions;
    for (const auto& [partition, assigned] : assigned_) {
      if (assigned.may_read()) partitions.push_back(partition);
    }
    auto changed = paused ? consumer_->Pause(partitions) : consumer_->Resume(partitions);
    if (changed) paused_ = paused;
    return changed;
  }

  /// With format auto: says once in the log which formats the records have.
  void LogFormat(FormatKind format) {
    const bool is_auto = options_.kafka.input_format == FormatKind::kAuto;
    if (!is_auto || format == FormatKind::kAuto || !formats_.insert(format).second) return;
    Log(LogLevel::kInfo, "extract.format", {{"format", FormatName(format)}});
  }

  BrokerStatus Append(ProcessedPage done) {
    in_flight_bytes_ -= done.bytes;
    const auto assigned = assigned_.find(done.partition);
    if (assigned == assigned_.end() || assigned->second.epoch != done.epoch ||
        assigned->second.pass != done.pass) {
      return {};
    }
    if (done.outage.has_value()) return BeginWait(assigned->first, assigned->second, done);
    if (assigned->second.wait.has_value()) {
      CRAWLSIEVE_RETURN_IF_ERROR(EndWait(assigned->first, assigned->second));
    }
    const EntryWriter::Origin origin{done.partition, done.epoch, done.record.offset()};

    const int omitted = done.processed.entry.page().omitted_size();
    if (omitted > 0) metrics_.Add(Count::kFieldsOmitted, static_cast<std::uint64_t>(omitted));
    if (done.processed.failure.has_value()) {
      const DecodeFailure& failure = *done.processed.failure;
      metrics_.DeadLetters(failure.code).Add();
      assigned->second.tracker.Expect(origin.offset);
      const std::vector<Header> added =
          DeadLetterHeaderList(done.processed.entry.page().source(), failure, writer_,
                               options_.kafka.dead_letter_headers);
      RecordView letter;
      const std::string topic = done.partition.topic + options_.kafka.dead_letter_suffix;
      letter.topic = topic;
      letter.key = done.record.key();
      letter.value = done.record.value();
      letter.headers = done.record.headers();
      CompleteDeadLetter(added, options_.kafka.dead_letter_headers,
                         options_.dead_letter_bytes.at(done.partition.topic), letter);
      CRAWLSIEVE_RETURN_IF_ERROR(Write(letter, origin));
    }
    LogFormat(done.processed.format);
    return WriteEntry(done.processed.entry, origin);
  }

  BrokerStatus WriteEntry(const log::Entry& entry, const EntryWriter::Origin& origin) {
    const std::string value = entry.SerializeAsString();
    RecordView record;
    record.topic = log_.topic;
    record.partition = log_.partition;
    record.value = value;
    return Write(record, origin);
  }

  BrokerStatus Write(const RecordView& record, const EntryWriter::Origin& origin) {
    return entries_->Write(record, origin, stop_, options_.shutdown_timeout / 2);
  }

  void OnWritten(const EntryWriter::Origin& origin, std::string_view topic) {
    contact_.Answered();
    if (topic == log_.topic) metrics_.Add(Count::kLogEntriesAppended);
    const auto assigned = assigned_.find(origin.partition);
    if (assigned == assigned_.end() || assigned->second.epoch != origin.epoch) return;
    if (origin.offset < assigned->second.begin.first) return;  // a position is no progress
    progressed_ = true;
    assigned->second.tracker.Acknowledge(origin.offset);
  }

  std::vector<PartitionOffset> CommittableOffsets() {
    std::vector<PartitionOffset> offsets;
    for (auto& [partition, assigned] : assigned_) {
      const auto offset = assigned.tracker.Committable();
      if (!offset.has_value()) continue;
      offsets.push_back({partition, *offset, assigned.times.MetadataFor(*offset)});
    }
    return offsets;
  }

  BrokerStatus CommitIfDue() {
    const auto now = SteadyClock::now();
    if (now < next_commit_) return {};
    next_commit_ = now + options_.kafka.commit_interval;
    ReportLag();
    std::vector<PartitionOffset> offsets = CommittableOffsets();
    if (offsets == last_committed_) return {};
    auto sent = consumer_->CommitAsync(offsets, [this](const BrokerStatus& committed) {
      if (committed) return contact_.Answered();
      // The next commit covers this one's records.
      metrics_.Errors("extract").Add();
      last_committed_.clear();
      Log(LogLevel::kWarn, "extract.commit_failed", {{"error", committed.error().message}});
    });
    if (sent) last_committed_ = std::move(offsets);
    return sent;
  }

  void ReportLag() {
    std::vector<PartitionReport> reports;
    for (const auto& [partition, assigned] : assigned_) {
      PartitionReport report{partition.topic, partition.partition, consumer_->Position(partition),
                             std::nullopt, std::nullopt};
      if (assigned.wait.has_value()) report.offset = assigned.wait->offset;
      const auto watermarks = consumer_->CachedWatermarks(partition);
      if (watermarks.has_value() && report.offset.has_value()) {
        report.lag = std::max<std::int64_t>(0, watermarks->high - *report.offset);
        report.lag_seconds = *report.lag > 0 ? AgeInSeconds(assigned.last_timestamp) : 0.0;
      }
      reports.push_back(std::move(report));
    }
    board_.SetPartitions(Role::kExtract, std::move(reports));
  }

  /// Lets what was taken come to its end, commits and leaves.
  BrokerStatus Finish() {
    const auto deadline = SteadyClock::now() + options_.shutdown_timeout / 2;
    while (workers_.in_flight() > 0 && SteadyClock::now() < deadline) {
      auto done = workers_.TakeNext(kIdlePoll);
      if (!done.has_value()) continue;
      CRAWLSIEVE_RETURN_IF_ERROR(Append(std::move(*done)));
    }
    // OnRevoked, called by Close, flushes and commits.
    if (auto closed = consumer_->Close(options_.shutdown_timeout / 2); !closed) {
      Log(LogLevel::kWarn, "extract.close_failed", {{"error", closed.error().message}});
    }
    return {};
  }

  const ExtractStage::Options& options_;
  PageNotes& notes_;
  const Probe probe_;
  std::size_t worker_count_ = 0;
  StatusBoard& board_;
  Metrics& metrics_;
  const TopicPartition log_;
  const std::string scheme_;
  const LogGate gate_;
  BrokerContact contact_;  // before the clients, which tell it
  const DeadLetterWriter writer_;

  std::map<TopicPartition, Assigned> assigned_;
  Epoch last_epoch_ = 0;
  std::vector<PartitionOffset> last_committed_;
  std::size_t in_flight_bytes_ = 0;
  std::set<FormatKind> formats_;  ///< that were told
  bool paused_ = false;
  bool progressed_ = false;
  std::stop_token stop_;
  std::stop_source stop_fetching_;  ///< when the session ends
  SteadyClock::time_point next_commit_{};
  // In this order: workers hold records of the consumer, which must outlive them.
  std::unique_ptr<EntryWriter> entries_;
  std::unique_ptr<Consumer> consumer_;
  RepeatCache repeats_;  ///< outlives the workers
  OrderedWorkers<PageTask, ProcessedPage> workers_;
};

}  // namespace

ExtractStage::ExtractStage(Options options, PageNotes& notes, StatusBoard& board, Metrics& metrics)
    : options_(std::move(options)), notes_(notes), board_(board), metrics_(metrics) {}

Status ExtractStage::Run(const std::stop_token& stop) {
  return RunSessions("extract", stop, BackOff(), metrics_, [&] {
    ExtractSession session(options_, notes_, board_, metrics_);
    BrokerStatus status = session.Run(stop);
    return SessionEnd{std::move(status), session.has_progressed()};
  });
}

}  // namespace crawlsieve::consumer
