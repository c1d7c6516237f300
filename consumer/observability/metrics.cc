#include "consumer/observability/metrics.h"

#include "consumer/observability/process_metrics.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

struct CountName {
  const char* metric;
  const char* field;  ///< in the topic's record
  const char* help;
};

/// By Count.
constexpr std::array<CountName, kCounts> kCountNames{{
    {"crawlsieve_records_consumed_total", "consumed", "Page records consumed."},
    {"crawlsieve_consumed_bytes_total", "bytes",
     "Bytes of the page records: keys, values and headers."},
    {"crawlsieve_redelivered_total", "redelivered",
     "Log entries at or below their partition's mark, ignored."},
    {"crawlsieve_ran_ahead_total", "ran_ahead", "Log entries of late writers, ignored."},
    {"crawlsieve_stale_generation_total", "stale_generation",
     "Log entries of an earlier generation of their input topic, ignored."},
    {"crawlsieve_other_topic_total", "other_topic",
     "Alarm: log entries of a recreated input topic, ignored. See judge.other_topic in the log."},
    {"crawlsieve_lost_records_total", "lost",
     "Alarm: input offsets that the admission log has no entry for, when that was found. See "
     "judge.input_gap in the log."},
    {"crawlsieve_recovered_records_total", "recovered",
     "Entries for such offsets that came later and were judged."},
    {"crawlsieve_unread_records_total", "unread",
     "Alarm: input offsets that were deleted before they were read. See "
     "extract.deleted_unread in the log."},
    {"crawlsieve_skipped_entries_total", "skipped",
     "Alarm: log entries passed over as kafka.log.skip says."},
    {"crawlsieve_omitted_fields_total", "omitted",
     "Fields of page records too long to be repeated in the verdict."},
    {"crawlsieve_parsed_pages_total", "parsed",
     "Pages with text that the cache of repeats did not have."},
    {"crawlsieve_repeated_pages_total", "repeated",
     "Pages with text that the cache of repeats had: they were not parsed again."},
    {"crawlsieve_bodies_fetched_total", "bodies_fetched",
     "Bodies fetched that lay elsewhere than in their record."},
    {"crawlsieve_bodies_not_had_total", "bodies_not_had",
     "References that led to no body: not found, damaged, refused. Their pages are not_evaluated."},
    {"crawlsieve_body_waits_total", "body_waits",
     "Times that an input partition began to wait for a body: its store was down, or its file "
     "still grew."},
    {"crawlsieve_saved_bytes_total", "bytes_saved", "Bytes of the bodies of dropped pages."},
    {"crawlsieve_log_entries_appended_total", "log_appended",
     "Entries appended to the admission log."},
    {"crawlsieve_log_entries_folded_total", "log_folded",
     "Entries of the admission log folded into the state."},
    {"crawlsieve_scores_total", "scores", "Scores of URLs that were published."},
    {"crawlsieve_rendered_scores_total", "rendered_scores",
     "Records that were published of these in formats of frontiers (kafka.scores.rendered)."},
    {"crawlsieve_questions_total", "questions",
     "Questions for a URL's score that the judge has folded. Each is answered with a score, if "
     "kafka.scores.topic is set."},
    {"crawlsieve_purges_total", "purges", "Purges that the judge has folded and taken up."},
    {"crawlsieve_purged_urls_total", "purged_urls", "URLs that purges took out of the state."},
    {"crawlsieve_purged_pages_total", "purged_pages",
     "Kept pages that purges took out of the state."},
    {"crawlsieve_expired_urls_total", "expired_urls",
     "URLs that expiry (judge.retention.expire) took out of the state."},
    {"crawlsieve_expired_pages_total", "expired_pages",
     "Kept pages that expiry took out of the state."},
    {"crawlsieve_evicted_pages_total", "evicted_pages",
     "Kept pages that went as there were more than judge.retention.max_pages."},
    {"crawlsieve_site_records_total", "site_records",
     "Records of what was learned of a site that were published."},
    {"crawlsieve_kept_records_total", "kept_records",
     "Records published in the topic of kept pages."},
    {"crawlsieve_kept_missing_total", "kept_missing",
     "Of these, markers of pages whose records could not be had again. See "
     "judge.kept_pages_missing in the log."},
    {"crawlsieve_transactions_committed_total", "transactions_committed",
     "Transactions committed by the judge."},
    {"crawlsieve_transactions_aborted_total", "transactions_aborted",
     "Transactions aborted by the judge."},
    {"crawlsieve_slot_answers_total", "slot_answers",
     "Log entries that slots of the index in this process answered."},
    {"crawlsieve_slot_asks_total", "slot_asks",
     "Times that the judge asked all slots of the index once more, for some had not answered."},
    {"crawlsieve_slot_depth_asks_total", "slot_depth_asks",
     "Times that the judge asked slots of the index for more candidates than they had named."},
    {"crawlsieve_slot_records_refused_total", "slot_records_refused",
     "Alarm: records of candidates that the judge can't use: damaged, or of another layout."},
    {"crawlsieve_index_probes_total", "probes", "Buckets looked into by index lookups."},
    {"crawlsieve_index_candidates_total", "candidates", "Fingerprints compared by index lookups."},
    {"crawlsieve_candidates_compared_total", "candidates_compared",
     "Candidates for near duplicates whose sketches were compared."},
    {"crawlsieve_candidates_cut_total", "candidates_cut",
     "Pages kept with more candidates than are compared."},
    {"crawlsieve_index_snapshots_written_total", "snapshots_written",
     "Restart snapshots of the index written."},
    {"crawlsieve_index_snapshots_given_up_total", "snapshots_given_up",
     "Restart snapshots that failed or were overtaken by an aborted transaction."},
    {"crawlsieve_index_snapshots_refused_total", "snapshots_refused",
     "Restart snapshots passed over at a start: damaged, or not of this state."},
    {"crawlsieve_checkpoints_made_total", "checkpoints_made", "Checkpoints of the state made."},
    {"crawlsieve_checkpoints_failed_total", "checkpoints_failed",
     "Checkpoints of the state that could not be made."},
    {"crawlsieve_rebalances_total", "rebalances",
     "Assignments of partitions by the consumer groups of the process."},
}};

constexpr std::array<const char*, kLatencies> kLatencyNames{"extract", "judge", "end_to_end"};

std::map<std::string, std::uint64_t> Since(const std::map<std::string, std::uint64_t>& before,
                                           std::map<std::string, std::uint64_t> now) {
  for (auto& [label, count] : now) {
    if (const auto found = before.find(label); found != before.end()) count -= found->second;
  }
  return now;
}

CounterValues Since(const CounterValues& before, const CounterValues& now) {
  CounterValues grown;
  for (std::size_t i = 0; i < kCounts; ++i) grown.counts[i] = now.counts[i] - before.counts[i];
  grown.kept = Since(before.kept, now.kept);
  grown.dropped = Since(before.dropped, now.dropped);
  grown.dead_letters = Since(before.dead_letters, now.dead_letters);
  grown.errors = Since(before.errors, now.errors);
  return grown;
}

std::uint64_t Sum(const std::map<std::string, std::uint64_t>& counts) {
  std::uint64_t sum = 0;
  for (const auto& [label, count] : counts) sum += count;
  return sum;
}

Json CountersJson(const CounterValues& values) {
  Json json;
  for (std::size_t i = 0; i < kCounts; ++i) {
    const auto what = static_cast<Count>(i);
    if (what == Count::kIndexProbes || what == Count::kIndexCandidates) continue;  // under `index`
    json[kCountNames[i].field] = values[what];
  }
  json["kept"] = Sum(values.kept);
  json["kept_by_reason"] = values.kept;
  json["dropped"] = Sum(values.dropped);
  json["dropped_by_reason"] = values.dropped;
  json["dead_letters"] = Sum(values.dead_letters);
  json["dead_letters_by_code"] = values.dead_letters;
  json["errors"] = Sum(values.errors);
  json["errors_by_stage"] = values.errors;
  return json;
}

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json LatencyJson(const LatencySummary& summary) {
  const auto millis = [&](std::chrono::microseconds duration) {
    return summary.count == 0 ? Json(nullptr)
                              : Json(std::chrono::duration<double, std::milli>(duration).count());
  };
  return {{"count", summary.count},
          {"p50", millis(summary.p50)},
          {"p95", millis(summary.p95)},
          {"p99", millis(summary.p99)},
          {"max", millis(summary.max)}};
}

}  // namespace

/// The registry and what was registered with it.
struct Metrics::Registered {
  using Counters = prometheus::Family<prometheus::Counter>;
  using Gauges = prometheus::Family<prometheus::Gauge>;

  prometheus::Registry registry;

  Counters& verdicts = Counter("crawlsieve_verdicts_total", "Verdicts given.");
  Counters& dead_letters = Counter("crawlsieve_dead_letters_total", "Records without a verdict.");
  Counters& errors = Counter("crawlsieve_errors_total", "Failures that were dealt with.");

  prometheus::Gauge& index_entries =
      Gauge("crawlsieve_index_entries", "Documents in the index.").Add({});
  prometheus::Gauge& index_fingerprints =
      Gauge("crawlsieve_index_fingerprints", "Distinct fingerprints in the index.").Add({});
  prometheus::Gauge& index_bytes = Gauge("crawlsieve_index_bytes", "Memory of the index.").Add({});
  prometheus::Gauge& index_shards =
      Gauge("crawlsieve_index_shards", "Shards of the index.").Add({});
  prometheus::Gauge& restoring =
      Gauge("crawlsieve_restoring", "1 while the judge restores its state.").Add({});
  prometheus::Gauge& standby =
      Gauge("crawlsieve_standby", "1 while the judge of another process is active.").Add({});
  prometheus::Gauge& connected =
      Gauge("crawlsieve_connected", "1 while a broker is connected.").Add({});
  Gauges& waiting = Gauge("crawlsieve_waiting_partitions",
                          "Input partitions that wait for a body that lies elsewhere.");
  prometheus::Gauge& waiting_for_store = waiting.Add({{"reason", "store"}});
  prometheus::Gauge& waiting_for_file = waiting.Add({{"reason", "growing_file"}});
  prometheus::Gauge& restore_entries =
      Gauge("crawlsieve_restore_entries",
            "Entries of the log that the restore going on folds; 0 without one.")
          .Add({});
  prometheus::Gauge& restore_entries_left =
      Gauge("crawlsieve_restore_entries_left", "Those of them that are not folded yet.").Add({});
  prometheus::Histogram& distances =
      prometheus::BuildHistogram()
          .Name("crawlsieve_near_duplicate_hamming_distance")
          .Help("Hamming distance of near duplicates to the page that they repeat.")
          .Register(registry)
          .Add({}, prometheus::Histogram::BucketBoundaries{0, 1, 2, 3, 4, 5, 6, 7});
  Gauges& slot_offset = Gauge("crawlsieve_slot_log_offset",
                              "Log entry whose changes a slot of the index has taken up last.");
  Gauges& slot_lag = Gauge("crawlsieve_slot_lag_entries",
                           "Log entries that a slot of the index has yet to answer.");
  Gauges& slot_documents = Gauge("crawlsieve_slot_documents", "Documents in a slot of the index.");
  Gauges& slot_bytes = Gauge("crawlsieve_slot_bytes", "Memory of a slot of the index.");
  prometheus::Gauge& slots_waiting =
      Gauge("crawlsieve_slots_waiting",
            "1 while slots of the index that this process is to hold can't answer.")
          .Add({});
  prometheus::Gauge& slots_silent =
      Gauge("crawlsieve_slots_silent", "Slots of the index that the judge waits for.").Add({});
  Gauges& log_clock = Gauge("crawlsieve_log_clock_timestamp_seconds",
                            "Time of the log entry that the judge folded last.");
  Gauges& state_bytes = Gauge("crawlsieve_state_bytes", "Size of the state directory.");
  Gauges& state_free_bytes =
      Gauge("crawlsieve_state_free_bytes", "What may still be written to its disk.");
  Gauges& last_snapshot = Gauge("crawlsieve_index_last_snapshot_timestamp_seconds",
                                "When the last snapshot of the index was written.");
  Gauges& last_checkpoint = Gauge("crawlsieve_checkpoint_last_timestamp_seconds",
                                  "When the newest checkpoint of the state was made.");
  Gauges& checkpoint_begun =
      Gauge("crawlsieve_checkpoint_begun_timestamp_seconds",
            "When the checkpoint was begun that is being made; 0 while none is.");
  Gauges& last_checkpoint_offset =
      Gauge("crawlsieve_checkpoint_last_log_offset",
            "Offset of the last log entry that the newest checkpoint covers.");
  Gauges& open_gaps =
      Gauge("crawlsieve_open_gap_offsets",
            "Input offsets of a partition that the admission log has no entry for.");
  Gauges& lag_records = Gauge("crawlsieve_lag_records", "Records behind the end of a partition.");
  Gauges& lag_seconds = Gauge("crawlsieve_lag_seconds", "Age of a partition's next record.");
  Gauges& kafka_queued_records =
      Gauge("crawlsieve_kafka_queued_records",
            "Records in the queues of a Kafka client: to be acknowledged, or to be polled.");
  Gauges& kafka_queued_bytes =
      Gauge("crawlsieve_kafka_queued_bytes", "Bytes of the records in a Kafka client's queues.");
  Gauges& kafka_latency =
      Gauge("crawlsieve_kafka_broker_latency_seconds",
            "Time within which the slowest broker answered 99 of 100 requests of a Kafka client. "
            "A consumer's fetches wait for records.");
  std::vector<std::pair<Gauges*, prometheus::Gauge*>> kafka_shown;
  std::vector<prometheus::Gauge*> open_gaps_shown;
  std::vector<std::pair<Gauges*, prometheus::Gauge*>> slots_shown;
  std::vector<prometheus::Gauge*> lag_records_shown;
  std::vector<prometheus::Gauge*> lag_seconds_shown;

  std::array<prometheus::Histogram*, kLatencies> latencies{};

  explicit Registered(const MetricsIdentity& identity) {
    auto& histograms = prometheus::BuildHistogram()
                           .Name("crawlsieve_latency_seconds")
                           .Help("Time that a stage took for one page.")
                           .Register(registry);
    for (std::size_t i = 0; i < kLatencies; ++i) {
      latencies[i] = &histograms.Add(
          {{"stage", kLatencyNames[i]}},
          prometheus::Histogram::BucketBoundaries(kLatencyBounds.begin(), kLatencyBounds.end()));
    }
    Gauge("crawlsieve_build_info", "The version that runs.")
        .Add({{"version", identity.version}})
        .Set(1);
    Gauges& roles = Gauge("crawlsieve_role", "1 for each role of the process.");
    for (const Role role : identity.roles) roles.Add({{"role", std::string(NameOf(role))}}).Set(1);
  }

  Counters& Counter(const std::string& name, const std::string& help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  }

  Gauges& Gauge(const std::string& name, const std::string& help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
  }

  [[nodiscard]] LatencyCounts CountsOf(std::size_t latency) const {
    const auto buckets = latencies[latency]->Collect().histogram.bucket;
    LatencyCounts counts{};
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < counts.size() && i < buckets.size(); ++i) {
      counts[i] = buckets[i].cumulative_count - below;
      below = buckets[i].cumulative_count;
    }
    return counts;
  }

  void ShowGaps(const std::map<std::pair<std::string, std::int32_t>, std::uint64_t>& offsets) {
    for (prometheus::Gauge* gauge : std::exchange(open_gaps_shown, {})) open_gaps.Remove(gauge);
    for (const auto& [place, count] : offsets) {
      open_gaps_shown.push_back(
          &open_gaps.Add({{"topic", place.first}, {"partition", std::to_string(place.second)}}));
      open_gaps_shown.back()->Set(static_cast<double>(count));
    }
  }

  void ShowSlots(const std::vector<SlotReport>& slots) {
    for (const auto& [family, gauge] : std::exchange(slots_shown, {})) family->Remove(gauge);
    const auto show = [&](Gauges& family, std::uint32_t slot, double value) {
      slots_shown.emplace_back(&family, &family.Add({{"slot", std::to_string(slot)}}));
      slots_shown.back().second->Set(value);
    };
    for (const SlotReport& report : slots) {
      show(slot_offset, report.slot, static_cast<double>(report.log_offset));
      show(slot_lag, report.slot, static_cast<double>(report.lag));
      show(slot_documents, report.slot, static_cast<double>(report.documents));
      show(slot_bytes, report.slot, static_cast<double>(report.bytes));
    }
  }

  void ShowKafkaClients(const std::map<std::string, KafkaClientReport>& clients) {
    for (const auto& [family, gauge] : std::exchange(kafka_shown, {})) family->Remove(gauge);
    const auto show = [&](Gauges& family, const std::string& client, double value) {
      kafka_shown.emplace_back(&family, &family.Add({{"client", client}}));
      kafka_shown.back().second->Set(value);
    };
    for (const auto& [client, report] : clients) {
      show(kafka_queued_records, client, static_cast<double>(report.queued_records));
      show(kafka_queued_bytes, client, static_cast<double>(report.queued_bytes));
      if (report.broker_latency) show(kafka_latency, client, *report.broker_latency);
    }
  }

  void ShowLag(const std::vector<PartitionReport>& assignment) {
    for (prometheus::Gauge* gauge : std::exchange(lag_records_shown, {})) {
      lag_records.Remove(gauge);
    }
    for (prometheus::Gauge* gauge : std::exchange(lag_seconds_shown, {})) {
      lag_seconds.Remove(gauge);
    }
    for (const PartitionReport& report : assignment) {
      const prometheus::Labels labels{{"topic", report.topic},
                                      {"partition", std::to_string(report.partition)}};
      if (report.lag) {
        lag_records_shown.push_back(&lag_records.Add(labels));
        lag_records_shown.back()->Set(static_cast<double>(*report.lag));
      }
      if (report.lag_seconds) {
        lag_seconds_shown.push_back(&lag_seconds.Add(labels));
        lag_seconds_shown.back()->Set(*report.lag_seconds);
      }
    }
  }
};

void Counter::Add(std::uint64_t count) { counter_->Increment(static_cast<double>(count)); }

std::uint64_t Counter::value() const { return static_cast<std::uint64_t>(counter_->Value()); }

Metrics::Metrics(MetricsIdentity identity)
    : identity_(std::move(identity)),
      registered_(std::make_unique<Registered>(identity_)),
      window_start_(identity_.started_at) {
  for (const CountName& name : kCountNames) {
    counts_.emplace_back(registered_->Counter(name.metric, name.help).Add({}));
  }
  // They show with 0 before the first: what begins with 1 is no increase to Prometheus.
  for (const Role role : identity_.roles) static_cast<void>(Errors(NameOf(role)));
}

Metrics::~Metrics() = default;

void Metrics::Add(Count what, std::uint64_t count) {
  counts_[static_cast<std::size_t>(what)].Add(count);
}

Counter& Metrics::Kept(std::string_view reason) {
  const MutexLock lock(mutex_);
  const std::string label(reason);
  return kept_
      .try_emplace(label, registered_->verdicts.Add({{"verdict", "keep"}, {"reason", label}}))
      .first->second;
}

Counter& Metrics::Dropped(std::string_view reason) {
  const MutexLock lock(mutex_);
  const std::string label(reason);
  return dropped_
      .try_emplace(label, registered_->verdicts.Add({{"verdict", "drop"}, {"reason", label}}))
      .first->second;
}

Counter& Metrics::DeadLetters(std::string_view code) {
  const MutexLock lock(mutex_);
  const std::string label(code);
  return dead_letters_.try_emplace(label, registered_->dead_letters.Add({{"code", label}}))
      .first->second;
}

Counter& Metrics::Errors(std::string_view stage) {
  const MutexLock lock(mutex_);
  const std::string label(stage);
  return errors_.try_emplace(label, registered_->errors.Add({{"stage", label}})).first->second;
}

void Metrics::Observe(Latency what, std::chrono::nanoseconds duration) {
  const auto i = static_cast<std::size_t>(what);
  latencies_[i].Observe(duration);
  registered_->latencies[i]->Observe(std::chrono::duration<double>(duration).count());
}

void Metrics::SetIndex(const IndexReport& index) {
  const MutexLock lock(mutex_);
  index_ = index;
  registered_->index_entries.Set(static_cast<double>(index.entries));
  registered_->index_fingerprints.Set(static_cast<double>(index.fingerprints));
  registered_->index_bytes.Set(static_cast<double>(index.bytes));
  registered_->index_shards.Set(index.shards);
  if (index.last_snapshot) {
    const std::chrono::duration<double> since_epoch = index.last_snapshot->time_since_epoch();
    registered_->last_snapshot.Add({}).Set(since_epoch.count());
  }
}

void Metrics::SetLastCheckpoint(Timestamp made, std::int64_t log_offset) {
  const std::chrono::duration<double> since_epoch = made.time_since_epoch();
  registered_->last_checkpoint.Add({}).Set(since_epoch.count());
  registered_->last_checkpoint_offset.Add({}).Set(static_cast<double>(log_offset));
}

void Metrics::SetCheckpointBegun(std::optional<Timestamp> begun) {
  const std::chrono::duration<double> since_epoch = begun.value_or(Timestamp()).time_since_epoch();
  registered_->checkpoint_begun.Add({}).Set(since_epoch.count());
}

void Metrics::SetOpenGaps(const std::vector<GapReport>& gaps) {
  std::map<std::pair<std::string, std::int32_t>, std::uint64_t> offsets;
  std::uint64_t sum = 0;
  for (const GapReport& gap : gaps) {
    offsets[{gap.topic, gap.partition}] += gap.offsets;
    sum += gap.offsets;
  }
  const MutexLock lock(mutex_);
  open_gap_offsets_ = sum;
  registered_->ShowGaps(offsets);
}

std::uint64_t Metrics::open_gap_offsets() const {
  const MutexLock lock(mutex_);
  return open_gap_offsets_;
}

void Metrics::SetPartitionsWaiting(std::uint64_t without_store, std::uint64_t for_growing_files) {
  registered_->waiting_for_store.Set(static_cast<double>(without_store));
  registered_->waiting_for_file.Set(static_cast<double>(for_growing_files));
}

std::uint64_t Metrics::partitions_without_store() const {
  return static_cast<std::uint64_t>(registered_->waiting_for_store.Value());
}

void Metrics::SetAssignment(std::vector<PartitionReport> assignment) {
  const MutexLock lock(mutex_);
  assignment_ = std::move(assignment);
  registered_->ShowLag(assignment_);
}

void Metrics::AddDistances(const DistanceCounts& counts) {
  std::vector<double> increments(counts.begin(), counts.end());
  increments.push_back(0);  // above all bounds
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) sum += static_cast<double>(i) * increments[i];
  registered_->distances.ObserveMultiple(increments, sum);
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < counts.size(); ++i) distances_[i] += counts[i];
}

void Metrics::SetRestore(const std::optional<RestoreReport>& restore) {
  const MutexLock lock(mutex_);
  restore_ = restore;
  registered_->restore_entries.Set(
      restore ? static_cast<double>(std::max<std::int64_t>(0, restore->to - restore->from)) : 0.0);
  registered_->restore_entries_left.Set(
      restore ? static_cast<double>(std::max<std::int64_t>(0, restore->to - restore->next)) : 0.0);
}

void Metrics::SetLogClock(Timestamp time) {
  const MutexLock lock(mutex_);
  log_clock_ = time;
  const std::chrono::duration<double> since_epoch = time.time_since_epoch();
  registered_->log_clock.Add({}).Set(since_epoch.count());
}

void Metrics::SetStorage(const StorageReport& storage) {
  const MutexLock lock(mutex_);
  storage_ = storage;
  registered_->state_bytes.Add({}).Set(static_cast<double>(storage.used));
  registered_->state_free_bytes.Add({}).Set(static_cast<double>(storage.free));
}

void Metrics::SetKafkaClient(const std::string& client,
                             const std::optional<KafkaClientReport>& report) {
  const MutexLock lock(mutex_);
  if (report.has_value()) {
    kafka_clients_[client] = *report;
  } else {
    kafka_clients_.erase(client);
  }
  registered_->ShowKafkaClients(kafka_clients_);
}

void Metrics::SetSlots(std::vector<SlotReport> slots, std::string waiting) {
  const MutexLock lock(mutex_);
  registered_->ShowSlots(slots);
  registered_->slots_waiting.Set(waiting.empty() ? 0 : 1);
  slots_ = std::move(slots);
  slots_waiting_ = std::move(waiting);
}

std::string Metrics::slots_waiting() const {
  const MutexLock lock(mutex_);
  return slots_waiting_;
}

void Metrics::SetSilentSlots(std::vector<std::uint32_t> slots) {
  const MutexLock lock(mutex_);
  registered_->slots_silent.Set(static_cast<double>(slots.size()));
  silent_slots_ = std::move(slots);
}

std::vector<std::uint32_t> Metrics::silent_slots() const {
  const MutexLock lock(mutex_);
  return silent_slots_;
}

void Metrics::SetRestoring(bool restoring) { registered_->restoring.Set(restoring ? 1 : 0); }

void Metrics::SetStandby(bool standby) { registered_->standby.Set(standby ? 1 : 0); }

void Metrics::SetConnected(bool connected) { registered_->connected.Set(connected ? 1 : 0); }

bool Metrics::restoring() const { return registered_->restoring.Value() != 0; }

bool Metrics::standby() const { return registered_->standby.Value() != 0; }

bool Metrics::connected() const { return registered_->connected.Value() != 0; }

std::string Metrics::PrometheusText() const {
  std::vector<prometheus::MetricFamily> families = registered_->registry.Collect();
  for (prometheus::MetricFamily& family : ProcessMetrics(identity_.started_at).Collect()) {
    families.push_back(std::move(family));
  }
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str();
}

CounterValues Metrics::Values() const {
  CounterValues values;
  for (std::size_t i = 0; i < kCounts; ++i) values.counts[i] = counts_[i].value();
  const auto read = [](const Labelled& counters) {
    std::map<std::string, std::uint64_t> counts;
    for (const auto& [label, counter] : counters) counts[label] = counter.value();
    return counts;
  };
  values.kept = read(kept_);
  values.dropped = read(dropped_);
  values.dead_letters = read(dead_letters_);
  values.errors = read(errors_);
  return values;
}

MetricsReading Metrics::Read() const {
  const MutexLock lock(mutex_);
  MetricsReading reading;
  reading.total = Values();
  for (std::size_t i = 0; i < kLatencies; ++i) reading.latencies[i] = registered_->CountsOf(i);
  reading.distances = distances_;
  reading.index = index_;
  reading.assignment = assignment_;
  reading.restore = restore_;
  reading.log_clock = log_clock_;
  reading.storage = storage_;
  reading.kafka_clients = kafka_clients_;
  reading.slots = slots_;
  reading.open_gap_offsets = open_gap_offsets_;
  reading.restoring = restoring();
  reading.standby = standby();
  reading.connected = connected();
  return reading;
}

MetricsWindow Metrics::CloseWindow(Timestamp now) {
  const MutexLock lock(mutex_);
  MetricsWindow window;
  window.start = std::exchange(window_start_, now);
  window.end = now;
  window.total = Values();
  window.window = Since(std::exchange(at_window_start_, window.total), window.total);
  for (std::size_t i = 0; i < kLatencies; ++i) window.latencies[i] = latencies_[i].Take();
  window.index = index_;
  window.assignment = assignment_;
  window.restoring = restoring();
  window.standby = standby();
  window.connected = connected();
  return window;
}

std::string Metrics::TopicRecord(const MetricsWindow& window) const {
  Json roles = Json::array();
  for (const Role role : identity_.roles) roles.push_back(NameOf(role));

  Json assignment = Json::array();
  for (const PartitionReport& report : window.assignment) {
    assignment.push_back({{"topic", report.topic},
                          {"partition", report.partition},
                          {"offset", OrNull(report.offset)},
                          {"lag", OrNull(report.lag)},
                          {"lag_seconds", OrNull(report.lag_seconds)}});
  }

  const double seconds = std::chrono::duration<double>(window.end - window.start).count();
  const auto rate = [&](std::uint64_t count) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0.0;
  };
  const CounterValues& grown = window.window;

  Json latencies;
  for (std::size_t i = 0; i < kLatencies; ++i) {
    latencies[kLatencyNames[i]] = LatencyJson(window.latencies[i]);
  }

  const Json record = {
      {"schema_version", 1},
      {"instance", identity_.instance},
      {"version", identity_.version},
      {"roles", roles},
      {"started_at", FormatRfc3339(identity_.started_at)},
      {"window_start", FormatRfc3339(window.start)},
      {"window_end", FormatRfc3339(window.end)},
      {"restoring", window.restoring},
      {"standby", window.standby},
      {"connected", window.connected},
      {"assignment", assignment},
      {"counters",
       {{"total", CountersJson(window.total)}, {"window", CountersJson(window.window)}}},
      {"rates",
       {{"consumed_per_second", rate(grown[Count::kRecordsConsumed])},
        {"bytes_per_second", rate(grown[Count::kBytesConsumed])},
        {"verdicts_per_second", rate(Sum(grown.kept) + Sum(grown.dropped))}}},
      {"latency_ms", latencies},
      {"index",
       {{"entries", window.index.entries},
        {"fingerprints", window.index.fingerprints},
        {"bytes", window.index.bytes},
        {"shards", window.index.shards},
        {"probes", window.total[Count::kIndexProbes]},
        {"candidates", window.total[Count::kIndexCandidates]},
        {"last_snapshot", window.index.last_snapshot
                              ? Json(FormatRfc3339(*window.index.last_snapshot))
                              : Json(nullptr)}}},
  };
  // Topic names and labels are ours, the instance is the user's: never throw for its encoding.
  return record.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace crawlsieve::consumer
