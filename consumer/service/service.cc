#include "consumer/service/service.h"

#include "consumer/claims/body_fetcher.h"
#include "consumer/commit.h"
#include "consumer/kafka/admin.h"
#include "consumer/kafka/topics.h"
#include "consumer/observability/http.h"
#include "consumer/observability/logging.h"
#include "consumer/observability/metrics.h"
#include "consumer/observability/systemd_notifier.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/own_scheme.h"
#include "consumer/service/brokers/sessions.h"
#include "consumer/service/brokers/status_board.h"
#include "consumer/service/brokers/topic_check.h"
#include "consumer/service/checkpoint_log.h"
#include "consumer/service/extract/extract_stage.h"
#include "consumer/service/judge/checkpointer.h"
#include "consumer/service/judge/judge_stage.h"
#include "consumer/service/judge/restore_state.h"
#include "consumer/service/judge/state_pages.h"
#include "consumer/service/reporter.h"
#include "consumer/service/slots/index_stage.h"
#include "consumer/service/slots/slot_topics.h"
#include "consumer/service/status_collector.h"
#include "consumer/status/status_page.h"
#include "consumer/version.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"
#include "plugin/slots/slot_replies.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAdminTimeout{10'000};

std::string InstanceName(const ServiceOptions& options) {
  if (!options.instance.empty()) return options.instance;
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("{}-{}", host[0] != '\0' ? host.data() : "localhost", ::getpid());
}

Timestamp Now() { return std::chrono::floor<milliseconds>(std::chrono::system_clock::now()); }

bool HasRole(const ServiceOptions& options, Role role) {
  return std::find(options.roles.begin(), options.roles.end(), role) != options.roles.end();
}

/// Largest record that topics take.
struct TopicBytes {
  std::map<std::string, std::uint64_t> dead_letters;  ///< by input topic
  std::uint64_t kept = 0;                             ///< the topic of kept pages
};

/// Errors that a person can fix while the process waits.
BrokerStatus Missing(std::string message) {
  return MakeBrokerError(ErrorClass::kFatal, ErrorCode::kInvalidConfig, std::move(message));
}

BrokerStatus Refused(std::string message) {
  return MakeBrokerError(ErrorClass::kRefused, std::move(message));
}

BrokerStatus CheckInputTopic(Admin& admin, const KafkaOptions& options, const std::string& topic) {
  auto described = admin.DescribeTopic(topic, kAdminTimeout);
  if (!described) return tl::unexpected(Passing(described.error()));
  if (!described->has_value()) return Missing(MissingInputProblem(topic));
  std::string problem = InputTopicProblem(topic, **described, options);
  return problem.empty() ? BrokerStatus() : Refused(std::move(problem));
}

/// Ensures that every topic exists and can be used. Errors say what to do.
BrokerStatus EnsureTopics(const ServiceSetup& setup, TopicBytes& topic_bytes) {
  auto admin = Admin::Make(setup.kafka, LoggingCallbacks("start"));
  if (!admin) return FinalError(admin.error());
  const auto check = [](const Status& status) -> BrokerStatus {
    if (status) return {};
    // A missing broker may come back. A topic with wrong settings stays wrong.
    return SessionError(status.error(), status.error().code == ErrorCode::kIo);
  };
  // Only the judge creates the log.
  const bool is_judge = HasRole(setup.service, Role::kJudge);
  auto ready = check(EnsureLogTopic(**admin, setup.kafka,
                                    is_judge ? MissingTopic::kCreate : MissingTopic::kRefuse,
                                    kAdminTimeout));
  if (!ready) return ready;
  const auto ensure = [&](const std::string& topic) {
    const bool is_of_sites = topic == setup.kafka.site_topic;
    return EnsureTopic(**admin, setup.kafka, topic, 1, kAdminTimeout,
                       is_of_sites ? TopicKeeps::kLastOfKey : TopicKeeps::kAll);
  };
  const auto too_small = [&](const std::string& topic, std::uint64_t bytes) {
    return RecordSizeProblem(topic, bytes, setup.kafka.bootstrap_servers);
  };
  std::vector<std::string> durable = {setup.kafka.log_topic};
  if (is_judge) {
    std::vector<std::string> outputs = {setup.kafka.verdict_topic};
    if (!setup.kafka.kept_topic.empty()) outputs.push_back(setup.kafka.kept_topic);
    if (!setup.kafka.score_topic.empty()) outputs.push_back(setup.kafka.score_topic);
    for (const RenderedTopic& rendered : setup.kafka.rendered_topics) {
      outputs.push_back(rendered.topic);
    }
    if (TakesScores(setup.kafka) && setup.judge.sites.max == 0) {
      Log(LogLevel::kWarn, "start.scores_without_sites",
          {{"meaning",
            "judge.sites.max is 0: links are scored as those of an unknown site, and no URL is "
            "suppressed or rewritten"}});
    }
    if (!setup.kafka.site_topic.empty()) outputs.push_back(setup.kafka.site_topic);
    for (const std::string& topic : outputs) {
      const auto made = ensure(topic);
      if (!made) return check(tl::unexpected(made.error()));
      auto problem = too_small(topic, *made);
      if (!problem.empty()) return Refused(std::move(problem));
      if (topic == setup.kafka.kept_topic) {
        topic_bytes.kept = std::min(*made, MaxWrittenBytes(setup.kafka));
      }
      durable.push_back(topic);
    }
  }
  const auto durability = CheckDurability(**admin, setup.kafka, durable, kAdminTimeout);
  if (!durability) return check(tl::unexpected(durability.error()));
  if (*durability == Durability::kTrial) {
    Log(LogLevel::kWarn, "start.trial",
        {{"meaning",
          "trial: one broker keeps one copy of everything, and its loss can't be repaired"}});
  }
  if (setup.kafka.slots.is_used()) {
    if (auto slots = check(EnsureSlotTopics(**admin, setup.kafka, kAdminTimeout)); !slots) {
      return slots;
    }
  }
  if (!setup.metrics.topic.empty()) {
    const auto made = ensure(setup.metrics.topic);
    if (!made) return check(tl::unexpected(made.error()));
  }
  if (!HasRole(setup.service, Role::kExtract)) return {};
  for (const std::string& topic : TopicsRead(setup.kafka)) {
    auto checked = CheckInputTopic(**admin, setup.kafka, topic);
    if (!checked) return checked;
    const std::string dead_letters = topic + setup.kafka.dead_letter_suffix;
    const auto made = ensure(dead_letters);
    if (!made) return check(tl::unexpected(made.error()));
    auto problem = too_small(dead_letters, *made);
    if (!problem.empty()) return Refused(std::move(problem));
    topic_bytes.dead_letters[topic] = std::min(*made, MaxWrittenBytes(setup.kafka));
  }
  return {};
}

/// Logs the source of the index.
void ReportIndex(const Detector& detector, std::chrono::nanoseconds duration) {
  const RestartReport& report = detector.restart_report();
  std::string refused;
  for (const Error& error : report.refused) {
    refused += fmt::format("{}{}", refused.empty() ? "" : "; ", error.message);
  }
  Log(refused.empty() ? LogLevel::kInfo : LogLevel::kWarn, "judge.index",
      {{"documents", detector.index_stats().documents},
       {"from", report.loaded.has_value() ? fmt::format("snapshot at offset {}", *report.loaded)
                                          : "the rows of the state"},
       {"seconds", std::chrono::duration<double>(duration).count()},
       {"refused", refused.empty() ? "none" : refused}});
}

/// The judge's state: the store, and the detector over it.
struct JudgeState {
  std::unique_ptr<Store> store;
  std::unique_ptr<SlotReplies> replies;  ///< where the index is in slots
  std::unique_ptr<Detector> detector;

  static Result<JudgeState> Open(const ServiceSetup& setup) {
    StoreOptions options;
    options.directory = setup.service.state_directory;
    options.block_cache_bytes = setup.service.state_cache_bytes;
    options.write_buffer_bytes = setup.service.state_buffer_bytes;
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto store, Store::Open(options));
    const auto begin = std::chrono::steady_clock::now();
    const std::string scheme = SchemeOf(setup.processor);
    RestartOptions restart{setup.service.state_directory, setup.service.snapshot_entries};
    std::unique_ptr<SlotReplies> replies;
    RemoteIndex remote;
    IndexFactory make_index = setup.make_index;
    if (setup.kafka.slots.is_used()) {
      if (setup.make_window_index) make_index = setup.make_window_index;
      replies = std::make_unique<SlotReplies>(IndexStage::LayoutOf(setup.kafka.slots, scheme),
                                              kSlotWindow);
      remote = {replies.get(), static_cast<std::uint64_t>(kSlotWindow)};
      restart.every_entries = 0;
    }
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto detector, Detector::Open(*store, std::move(make_index), scheme,
                                                              std::move(restart), remote));
    ReportIndex(*detector, std::chrono::steady_clock::now() - begin);
    return JudgeState{std::move(store), std::move(replies), std::move(detector)};
  }
};

/// The notes of the extract stage. If they can't be kept, the stage runs without: only the judge
/// needs the state directory.
PageNotes OpenNotes(const ServiceSetup& setup) {
  if (setup.probe_command.empty()) return {};
  auto notes = PageNotes::Open(setup.service.state_directory, setup.extract_stage.threads);
  if (!notes) {
    Log(LogLevel::kWarn, "extract.no_notes",
        {{"error", notes.error().message},
         {"meaning", "no crash probe: a page that kills the process isn't found"}});
    return {};
  }
  if (!notes->suspects().empty()) {
    Log(LogLevel::kWarn, "extract.suspects",
        {{"pages", notes->suspects().size()},
         {"meaning",
          "crash probe: a process ended while parsing them; a child parses them first"}});
  }
  return std::move(*notes);
}

/// Runs stages on threads of their own until one ends or all are to stop.
class StageThreads {
 public:
  explicit StageThreads(std::stop_token stop)
      : outer_stop_(std::move(stop), [this] { stop_.request_stop(); }) {}

  using Stage = std::function<Status(const std::stop_token&)>;

  void Start(std::string name, Stage stage) {
    threads_.emplace_back([this, name = std::move(name), stage = std::move(stage)] {
      const Status ended = stage(stop_.get_token());
      if (!ended) {
        Log(LogLevel::kError, "stage.failed", {{"stage", name}, {"error", ended.error().message}});
        std::lock_guard lock(mutex_);
        if (!error_.has_value()) error_ = ended.error();
      }
      // A process without one of its stages can't work. It ends, and its supervisor restarts it.
      stop_.request_stop();
    });
  }

  /// The first error, once all have ended.
  Status Join() {
    for (std::jthread& thread : threads_) thread.join();
    std::lock_guard lock(mutex_);
    return error_.has_value() ? Status(tl::unexpected(*error_)) : Status();
  }

  [[nodiscard]] bool HasFailed() {
    std::lock_guard lock(mutex_);
    return error_.has_value();
  }

 private:
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> outer_stop_;
  std::mutex mutex_;
  std::optional<Error> error_;
  std::vector<std::jthread> threads_;
};

/// How far a start has come. Thread-safe.
class StartProgress {
 public:
  void SetWaiting(std::string reason) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    waiting_ = std::move(reason);
  }
  void SetScheme(std::string scheme) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    scheme_ = std::move(scheme);
  }

  /// What the start is waiting for; empty when it is done.
  [[nodiscard]] std::string waiting() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return waiting_;
  }
  [[nodiscard]] std::string scheme() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return scheme_.empty() ? "not known yet" : scheme_;
  }

 private:
  mutable Mutex mutex_;
  std::string waiting_ GUARDED_BY(mutex_) = "connecting to Kafka";
  std::string scheme_ GUARDED_BY(mutex_);
};

Health HealthOf(const StartProgress& start, const Metrics& metrics, StageThreads& stages) {
  if (stages.HasFailed()) return Health{false, false, "a stage has failed"};
  if (std::string waiting = start.waiting(); !waiting.empty()) {
    return Health{true, false, "starting: " + std::move(waiting)};
  }
  if (!metrics.connected()) return Health{true, false, "not connected to Kafka"};
  if (std::string waiting = metrics.slots_waiting(); !waiting.empty()) {
    return Health{true, false, std::move(waiting)};
  }
  if (const auto silent = metrics.silent_slots(); !silent.empty()) {
    return Health{
        true, false,
        fmt::format("the judge waits for slots {} of the index", fmt::join(silent, ", "))};
  }
  if (metrics.restoring()) return Health{true, false, "restoring state from the admission log"};
  if (metrics.standby()) return Health{true, true, "standby"};
  if (const std::uint64_t waiting = metrics.partitions_without_store(); waiting > 0) {
    return Health{true, false,
                  fmt::format("{} input partitions wait for a store of bodies that does not answer",
                              waiting)};
  }
  const std::uint64_t missing = metrics.open_gap_offsets();
  return Health{true, true,
                missing == 0 ? "" : fmt::format("{} input records have no log entry", missing)};
}

StatusCollector::Facts FactsOf(const ServiceSetup& setup) {
  StatusCollector::Facts facts;
  facts.brokers = setup.kafka.bootstrap_servers;
  facts.inputs = TopicsRead(setup.kafka);
  facts.log_topic = setup.kafka.log_topic;
  facts.verdict_topic = setup.kafka.verdict_topic;
  facts.index_expected_entries = setup.index_expected_entries;
  facts.index_planned_bytes = setup.index_planned_bytes;
  if (HasRole(setup.service, Role::kJudge)) facts.state_directory = setup.service.state_directory;
  return facts;
}

HttpContent MakeHttpContent(const StartProgress& start, const Metrics& metrics,
                            const StatusCollector& collector, StageThreads& stages,
                            StatePages& pages) {
  HttpContent content;
  content.version = std::string(kVersion);
  content.commit = Commit();
  content.health = [&start, &metrics, &stages] { return HealthOf(start, metrics, stages); };
  content.metrics = [&metrics] { return metrics.PrometheusText(); };
  const auto report = [&start, &metrics, &collector, &stages] {
    return collector.Report(HealthOf(start, metrics, stages), start.scheme());
  };
  content.status_page = [report] { return StatusPage(report()); };
  content.status_json = [report] { return ToJson(report()); };
  content.answer = [&pages](const HttpQuestion& question) { return pages.Answer(question); };
  content.question_paths = StatePages::Paths();
  return content;
}

constexpr milliseconds kNotifyInterval{100};

/// Keeps systemd informed until `done` is requested. Returns at once where there is no systemd.
void NotifySystemd(const ServiceSetup& setup, const StartProgress& start, const Metrics& metrics,
                   const StatusBoard& board, StageThreads& stages, const std::stop_token& stop,
                   const std::stop_token& done) {
  // The process ends itself when a stop takes longer than this.
  constexpr milliseconds kGrace{10'000};
  SystemdNotifier notifier(
      SystemdNotifier::Options::FromEnvironment(setup.service.shutdown_timeout + kGrace));
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (notifier.active() && !done.stop_requested()) {
    const Health health = HealthOf(start, metrics, stages);
    const bool is_stopping = stop.stop_requested() || stages.HasFailed();
    const std::string working = health.reason.empty() ? "working" : health.reason;
    notifier.Send({.ready = health.ready,
                   .stopping = is_stopping,
                   .status = stop.stop_requested() ? "stopping" : working,
                   .silence = board.Silence()});
    wake.wait_for(lock, done, kNotifyInterval, [] { return false; });
  }
}

/// Waits for as long as outages, missing permissions and missing topics last: people fix them
/// elsewhere, and a restart would meet them again.
constexpr BackOff kPatient{milliseconds(250), milliseconds(5'000), std::numeric_limits<int>::max()};

/// Everything that Kafka is needed for before the stages start: topics, and the key of the
/// fingerprints. Empty if `stop` was requested meanwhile.
Result<std::optional<ServiceSetup>> Prepare(const ServiceSetup& configured,
                                            const std::stop_token& stop, StartProgress& start,
                                            Metrics& metrics, TopicBytes& topic_bytes) {
  ServiceSetup setup = configured;
  bool is_done = false;
  const Status prepared = RunSessions("start", stop, kPatient, metrics, [&]() -> SessionEnd {
    const auto failed = [&](BrokerError error) -> SessionEnd {
      start.SetWaiting(error.message);
      return {tl::unexpected(std::move(error))};
    };
    if (auto topics = EnsureTopics(configured, topic_bytes); !topics) {
      return failed(topics.error());
    }
    auto processor = FindOwnScheme(configured.kafka, configured.processor,
                                   HasRole(configured.service, Role::kJudge));
    if (!processor) return failed(processor.error());
    setup.processor = std::move(*processor);
    is_done = true;
    return {};
  });
  if (!prepared) return tl::unexpected(prepared.error());
  if (!is_done) return std::optional<ServiceSetup>();
  return std::optional(std::move(setup));
}

}  // namespace

Status RunService(const ServiceSetup& configured, const std::stop_token& stop) {
  const std::string instance = InstanceName(configured.service);
  const bool is_judge = HasRole(configured.service, Role::kJudge);
  Log(LogLevel::kInfo, "service.starting", {{"version", kVersion}, {"instance", instance}});

  Metrics metrics({instance, std::string(kVersion), configured.service.roles, Now()});
  StatusBoard board(configured.service.roles, metrics);
  StartProgress start;
  StatusCollector collector(FactsOf(configured), metrics);
  StageThreads stages(stop);
  StatePages pages(configured.processor.extract.url, Now);
  // Started before Kafka is needed, so that a supervisor sees that the process is alive, and what
  // it waits for.
  std::unique_ptr<HttpServer> http;
  if (configured.http.enabled) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(
        auto started, HttpServer::Start(configured.http,
                                        MakeHttpContent(start, metrics, collector, stages, pages)));
    http = std::move(started);
    Log(LogLevel::kInfo, "http.listening", {{"url", http->url()}});
  }
  const std::jthread notifier([&](const std::stop_token& done) {
    NotifySystemd(configured, start, metrics, board, stages, stop, done);
  });

  TopicBytes topic_bytes;
  auto prepared = Prepare(configured, stop, start, metrics, topic_bytes);
  if (!prepared) return tl::unexpected(prepared.error());
  if (!prepared->has_value()) return {};
  const ServiceSetup& setup = **prepared;
  const std::string scheme = SchemeOf(setup.processor);
  start.SetScheme(scheme);
  Log(LogLevel::kInfo, "service.scheme", {{"scheme", scheme}});

  start.SetWaiting("opening the state");
  Result<JudgeState> state{JudgeState()};
  // Lets go of the state before it is closed.
  const std::unique_ptr<StatePages, void (*)(StatePages*)> shown(
      &pages, [](StatePages* shown_pages) { shown_pages->SetStore(nullptr); });
  std::optional<Checkpointer> checkpointer;
  if (is_judge) {
    const auto tell = [&](const std::string& what) { start.SetWaiting(what); };
    const auto find_log = [&]() -> Result<LogToRestore> {
      CRAWLSIEVE_ASSIGN_OR_RETURN(auto log, CheckpointLog::Open(setup.kafka, "restore"));
      const auto shared = std::make_shared<CheckpointLog>(std::move(log));
      return LogToRestore{scheme, shared->bounds().low,
                          [shared](const StoredCheckpoint& checkpoint) {
                            return shared->CheckIsOfLog(checkpoint);
                          }};
    };
    CRAWLSIEVE_RETURN_IF_ERROR(RestoreLostState(
        setup.service.checkpoints, setup.service.state_directory, find_log, tell, stop));
    if (stop.stop_requested()) return {};
    state = JudgeState::Open(setup);
  }
  if (!state) return tl::unexpected(state.error());
  pages.SetStore(state->store.get());
  PageNotes notes = HasRole(setup.service, Role::kExtract) ? OpenNotes(setup) : PageNotes();
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bodies,
                              MakeBodyFetcher(setup.claims, setup.processor.decode,
                                              setup.extract_stage.max_in_flight_bytes));
  if (is_judge && !setup.service.checkpoints.directory.empty()) {
    checkpointer.emplace(
        Checkpointer::Options{setup.service.checkpoints, setup.service.state_directory},
        *state->store, metrics);
  }
  start.SetWaiting("");

  if (is_judge) {
    JudgeStage::Options options;
    options.kafka = setup.kafka;
    options.parameters = setup.judge;
    options.scheme = scheme;
    options.index_shards = setup.index_shards;
    options.instance = instance;
    options.kept_bytes = topic_bytes.kept;
    options.shutdown_timeout = setup.service.shutdown_timeout;
    stages.Start("judge", [&, options](const std::stop_token& stage_stop) {
      Checkpointer* const checkpoints = checkpointer.has_value() ? &*checkpointer : nullptr;
      return JudgeStage(options, *state->detector, state->replies.get(), checkpoints, board,
                        metrics, collector.recorder())
          .Run(stage_stop);
    });
  }
  if (HasRole(setup.service, Role::kIndex)) {
    IndexStage::Options options;
    options.kafka = setup.kafka;
    options.scheme = scheme;
    options.make_index = setup.make_index;
    options.member = setup.service.instance;
    options.directory = IndexStage::DirectoryIn(setup.service.state_directory);
    options.file_entries = setup.service.snapshot_entries;
    options.reports_index = !is_judge;
    options.index_shards = setup.index_shards;
    options.shutdown_timeout = setup.service.shutdown_timeout;
    metrics.SetSlots({}, "waiting for the group to share out the slots of the index");
    stages.Start("index", [&, options](const std::stop_token& stage_stop) {
      return IndexStage(options, board, metrics).Run(stage_stop);
    });
  }
  if (HasRole(setup.service, Role::kExtract)) {
    ExtractStage::Options options;
    options.kafka = setup.kafka;
    options.stage = setup.extract_stage;
    options.processor = setup.processor;
    options.bodies = bodies.get();
    options.dead_letter_bytes = topic_bytes.dead_letters;
    options.probe_command = setup.probe_command;
    options.instance = instance;
    options.static_member = setup.service.instance;
    options.shutdown_timeout = setup.service.shutdown_timeout;
    stages.Start("extract", [&, options](const std::stop_token& stage_stop) {
      return ExtractStage(options, notes, board, metrics).Run(stage_stop);
    });
  }
  std::jthread reporter;
  if (!setup.metrics.topic.empty()) {
    reporter = std::jthread([&](const std::stop_token& reporter_stop) {
      ReportMetrics(setup.kafka, setup.metrics, instance, metrics, reporter_stop);
    });
  }

  Status ended = stages.Join();
  if (http != nullptr) http->Stop();
  EndOutages(/*all=*/true);
  Log(LogLevel::kInfo, "service.stopped", {{"instance", instance}});
  return ended;
}

}  // namespace crawlsieve::consumer
