#include "consumer/status/status_report.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json TimeOrNull(const std::optional<Timestamp>& time) {
  return time ? Json(FormatRfc3339(*time)) : Json(nullptr);
}

Json ToJson(const LatencyFigures& figures) {
  return {{"p50", OrNull(figures.p50)}, {"p95", OrNull(figures.p95)}, {"p99", OrNull(figures.p99)}};
}

const char* HealthName(StatusReport::Health health) {
  switch (health) {
    case StatusReport::Health::kReady:
      return "ready";
    case StatusReport::Health::kNotReady:
      return "not_ready";
    case StatusReport::Health::kNotLive:
      return "not_live";
  }
  return "not_ready";
}

// Reading: members that are missing or null leave what is there; those of another type throw, which
// Parse catches.

using Input = nlohmann::json;

const Input* Find(const Input& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

template <typename T>
void Take(const Input& json, const char* name, T& value) {
  if (const Input* member = Find(json, name)) value = member->get<T>();
}

template <typename T>
void Take(const Input& json, const char* name, std::optional<T>& value) {
  if (const Input* member = Find(json, name)) value = member->get<T>();
}

void Take(const Input& json, const char* name, Timestamp& time) {
  if (const Input* member = Find(json, name)) {
    time = ParseRfc3339(member->get<std::string>()).value_or(time);
  }
}

void Take(const Input& json, const char* name, std::optional<Timestamp>& time) {
  if (const Input* member = Find(json, name)) time = ParseRfc3339(member->get<std::string>());
}

/// Calls `take` with each element of an array.
template <typename Function>
void ForEach(const Input& json, const char* name, const Function& take) {
  const Input* const member = Find(json, name);
  if (member == nullptr) return;
  for (const Input& element : member->get_ref<const Input::array_t&>()) take(element);
}

void Take(const Input& json, const char* name, LatencyFigures& figures) {
  if (const Input* member = Find(json, name)) {
    Take(*member, "p50", figures.p50);
    Take(*member, "p95", figures.p95);
    Take(*member, "p99", figures.p99);
  }
}

PartitionReport PartitionFrom(const Input& json) {
  PartitionReport partition;
  Take(json, "topic", partition.topic);
  Take(json, "partition", partition.partition);
  Take(json, "offset", partition.offset);
  Take(json, "lag", partition.lag);
  Take(json, "lag_seconds", partition.lag_seconds);
  return partition;
}

StatusReport FromJson(const Input& json) {
  StatusReport report;
  Take(json, "instance", report.instance);
  Take(json, "version", report.version);
  Take(json, "commit", report.commit);
  Take(json, "scheme", report.scheme);
  Take(json, "roles", report.roles);
  Take(json, "inputs", report.inputs);
  Take(json, "brokers", report.brokers);
  Take(json, "log_topic", report.log_topic);
  Take(json, "verdict_topic", report.verdict_topic);
  Take(json, "time", report.time);
  Take(json, "started_at", report.started_at);
  const std::string health = json.at("health").get<std::string>();
  report.health = health == "ready"      ? StatusReport::Health::kReady
                  : health == "not_live" ? StatusReport::Health::kNotLive
                                         : StatusReport::Health::kNotReady;
  Take(json, "reason", report.reason);
  Take(json, "restoring", report.restoring);
  Take(json, "standby", report.standby);
  Take(json, "connected", report.connected);
  if (const Input* restore = Find(json, "restore")) {
    report.restore = StatusReport::Restore();
    Take(*restore, "entries", report.restore->entries);
    Take(*restore, "left", report.restore->left);
    Take(*restore, "seconds_left", report.restore->seconds_left);
  }
  const Input& recent = json.at("recent");
  Take(recent, "seconds", report.recent_seconds);
  Take(recent, "consumed_a_second", report.consumed_a_second);
  Take(recent, "bytes_a_second", report.bytes_a_second);
  Take(recent, "kept_a_second", report.kept_a_second);
  Take(recent, "dropped_a_second", report.dropped_a_second);
  Take(recent, "errors_a_second", report.errors_a_second);
  ForEach(json, "partitions",
          [&](const Input& element) { report.partitions.push_back(PartitionFrom(element)); });
  Take(json, "log_clock", report.log_clock);
  Take(json, "open_gap_offsets", report.open_gap_offsets);
  Take(json, "dead_letters", report.dead_letters);
  Take(json, "dead_letters_hour", report.dead_letters_hour);
  ForEach(json, "mix", [&](const Input& element) {
    StatusReport::Mix& mix = report.mix.emplace_back();
    Take(element, "reason", mix.reason);
    Take(element, "kept", mix.is_kept);
    Take(element, "hour", mix.hour);
    Take(element, "total", mix.total);
  });
  Take(json, "distances", report.distances);
  ForEach(json, "stages", [&](const Input& element) {
    StatusReport::Stage& stage = report.stages.emplace_back();
    Take(element, "name", stage.name);
    Take(element, "recent", stage.recent);
    Take(element, "hour", stage.hour);
  });
  if (const Input* index = Find(json, "index")) {
    report.index = StatusReport::Index();
    Take(*index, "entries", report.index->entries);
    Take(*index, "fingerprints", report.index->fingerprints);
    Take(*index, "bytes", report.index->bytes);
    Take(*index, "expected_entries", report.index->expected_entries);
    Take(*index, "planned_bytes", report.index->planned_bytes);
    Take(*index, "last_snapshot", report.index->last_snapshot);
  }
  ForEach(json, "slots", [&](const Input& element) {
    SlotReport& slot = report.slots.emplace_back();
    Take(element, "slot", slot.slot);
    Take(element, "log_offset", slot.log_offset);
    Take(element, "lag", slot.lag);
    Take(element, "documents", slot.documents);
    Take(element, "bytes", slot.bytes);
  });
  if (const Input* memory = Find(json, "memory")) {
    report.memory.emplace();
    Take(*memory, "resident", report.memory->resident);
    Take(*memory, "limit", report.memory->limit);
  }
  if (const Input* storage = Find(json, "storage")) {
    report.storage.emplace();
    Take(*storage, "used", report.storage->used);
    Take(*storage, "free", report.storage->free);
  }
  if (const Input* clients = Find(json, "kafka_clients")) {
    for (const auto& [name, client] : clients->items()) {
      KafkaClientReport& report_of_client = report.kafka_clients[name];
      Take(client, "queued_records", report_of_client.queued_records);
      Take(client, "queued_bytes", report_of_client.queued_bytes);
      Take(client, "broker_latency", report_of_client.broker_latency);
    }
  }
  ForEach(json, "problems", [&](const Input& element) {
    StatusReport::Problem& problem = report.problems.emplace_back();
    Take(element, "error", problem.is_error);
    Take(element, "event", problem.event);
    Take(element, "text", problem.text);
    Take(element, "count", problem.count);
    Take(element, "last", problem.last);
  });
  ForEach(json, "hosts", [&](const Input& element) {
    StatusReport::Host& host = report.hosts.emplace_back();
    Take(element, "name", host.name);
    Take(element, "duplicates", host.duplicates);
    Take(element, "error", host.error);
  });
  Take(json, "host_duplicates", report.host_duplicates);
  Take(json, "hosts_since", report.hosts_since);
  ForEach(json, "pairs", [&](const Input& element) {
    NearPair& pair = report.pairs.emplace_back();
    Take(element, "url", pair.url);
    Take(element, "match_url", pair.match_url);
    Take(element, "distance", pair.distance);
    Take(element, "similarity", pair.similarity);
    Take(element, "words", pair.words);
    Take(element, "text_length", pair.text_length);
    Take(element, "language", pair.language);
    Take(element, "first_seen", pair.first_seen);
    Take(element, "judged", pair.judged);
  });
  Take(json, "minutes_a_point", report.minutes_a_point);
  ForEach(json, "points", [&](const Input& element) {
    History::Point& point = report.points.emplace_back();
    constexpr std::int64_t kFarFuture = 100'000'000'000;
    point.begin = Timestamp{std::chrono::seconds(
        std::clamp<std::int64_t>(element.at(0).get<std::int64_t>(), 0, kFarFuture))};
    point.consumed = element.at(1).get<std::uint64_t>();
    point.kept = element.at(2).get<std::uint64_t>();
    point.dropped = element.at(3).get<std::uint64_t>();
  });
  return report;
}

StatusReport FromMetricsRecord(const Input& json) {
  StatusReport report;
  Take(json, "instance", report.instance);
  Take(json, "version", report.version);
  Take(json, "roles", report.roles);
  Take(json, "window_end", report.time);
  Take(json, "started_at", report.started_at);
  Take(json, "restoring", report.restoring);
  Take(json, "standby", report.standby);
  Take(json, "connected", report.connected);
  report.health = report.connected && !report.restoring ? StatusReport::Health::kReady
                                                        : StatusReport::Health::kNotReady;
  Timestamp begin = report.time;
  Take(json, "window_start", begin);
  report.recent_seconds = std::chrono::duration<double>(report.time - begin).count();
  ForEach(json, "assignment",
          [&](const Input& element) { report.partitions.push_back(PartitionFrom(element)); });
  const Input& rates = json.at("rates");
  Take(rates, "consumed_per_second", report.consumed_a_second);
  Take(rates, "bytes_per_second", report.bytes_a_second);
  const Input& window = json.at("counters").at("window");
  const auto rate = [&](const char* name) {
    std::uint64_t count = 0;
    Take(window, name, count);
    return report.recent_seconds > 0 ? static_cast<double>(count) / report.recent_seconds : 0.0;
  };
  report.kept_a_second = rate("kept");
  report.dropped_a_second = rate("dropped");
  report.errors_a_second = rate("errors");
  const Input& total = json.at("counters").at("total");
  Take(total, "dead_letters", report.dead_letters);
  for (const bool is_kept : {true, false}) {
    const Input* const reasons = Find(total, is_kept ? "kept_by_reason" : "dropped_by_reason");
    if (reasons == nullptr) continue;
    for (const auto& [reason, count] : reasons->items()) {
      report.mix.push_back({reason, is_kept, 0, count.get<std::uint64_t>()});
    }
  }
  for (const auto& [name, figures] : json.at("latency_ms").items()) {
    StatusReport::Stage stage{name, {}, {}};
    Take(json.at("latency_ms"), name.c_str(), stage.recent);
    for (std::optional<double>* const value :
         {&stage.recent.p50, &stage.recent.p95, &stage.recent.p99}) {
      if (value->has_value()) **value /= 1000;
    }
    report.stages.push_back(std::move(stage));
  }
  if (report.HasRole("judge")) {
    const Input& index = json.at("index");
    report.index = StatusReport::Index();
    Take(index, "entries", report.index->entries);
    Take(index, "fingerprints", report.index->fingerprints);
    Take(index, "bytes", report.index->bytes);
    Take(index, "last_snapshot", report.index->last_snapshot);
  }
  return report;
}

template <typename Function>
Result<StatusReport> Parse(std::string_view text, const Function& read) {
  try {
    return read(Input::parse(text));
  } catch (const Input::exception& error) {
    return MakeError(ErrorCode::kInvalidInput, error.what());
  }
}

}  // namespace

std::string ToJson(const StatusReport& report) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["instance"] = report.instance;
  json["version"] = report.version;
  json["commit"] = report.commit;
  json["scheme"] = report.scheme;
  json["roles"] = report.roles;
  json["inputs"] = report.inputs;
  json["brokers"] = report.brokers;
  json["log_topic"] = report.log_topic;
  json["verdict_topic"] = report.verdict_topic;
  json["time"] = FormatRfc3339(report.time);
  json["started_at"] = FormatRfc3339(report.started_at);
  json["health"] = HealthName(report.health);
  json["reason"] = report.reason;
  json["restoring"] = report.restoring;
  json["standby"] = report.standby;
  json["connected"] = report.connected;
  json["restore"] = nullptr;
  if (report.restore.has_value()) {
    json["restore"] = {{"entries", report.restore->entries},
                       {"left", report.restore->left},
                       {"seconds_left", OrNull(report.restore->seconds_left)}};
  }
  json["recent"] = {{"seconds", report.recent_seconds},
                    {"consumed_a_second", report.consumed_a_second},
                    {"bytes_a_second", report.bytes_a_second},
                    {"kept_a_second", report.kept_a_second},
                    {"dropped_a_second", report.dropped_a_second},
                    {"errors_a_second", report.errors_a_second}};
  json["partitions"] = Json::array();
  for (const PartitionReport& partition : report.partitions) {
    json["partitions"].push_back({{"topic", partition.topic},
                                  {"partition", partition.partition},
                                  {"offset", OrNull(partition.offset)},
                                  {"lag", OrNull(partition.lag)},
                                  {"lag_seconds", OrNull(partition.lag_seconds)}});
  }
  json["log_clock"] = TimeOrNull(report.log_clock);
  json["open_gap_offsets"] = report.open_gap_offsets;
  json["dead_letters"] = report.dead_letters;
  json["dead_letters_hour"] = report.dead_letters_hour;
  json["mix"] = Json::array();
  for (const StatusReport::Mix& mix : report.mix) {
    json["mix"].push_back(
        {{"reason", mix.reason}, {"kept", mix.is_kept}, {"hour", mix.hour}, {"total", mix.total}});
  }
  json["distances"] = report.distances;
  json["stages"] = Json::array();
  for (const StatusReport::Stage& stage : report.stages) {
    json["stages"].push_back(
        {{"name", stage.name}, {"recent", ToJson(stage.recent)}, {"hour", ToJson(stage.hour)}});
  }
  json["index"] = nullptr;
  if (report.index.has_value()) {
    json["index"] = {{"entries", report.index->entries},
                     {"fingerprints", report.index->fingerprints},
                     {"bytes", report.index->bytes},
                     {"expected_entries", report.index->expected_entries},
                     {"planned_bytes", report.index->planned_bytes},
                     {"last_snapshot", TimeOrNull(report.index->last_snapshot)}};
  }
  json["slots"] = Json::array();
  for (const SlotReport& slot : report.slots) {
    json["slots"].push_back({{"slot", slot.slot},
                             {"log_offset", slot.log_offset},
                             {"lag", slot.lag},
                             {"documents", slot.documents},
                             {"bytes", slot.bytes}});
  }
  json["memory"] = nullptr;
  if (report.memory.has_value()) {
    json["memory"] = {{"resident", report.memory->resident},
                      {"limit", OrNull(report.memory->limit)}};
  }
  json["storage"] = nullptr;
  if (report.storage.has_value()) {
    json["storage"] = {{"used", report.storage->used}, {"free", report.storage->free}};
  }
  json["kafka_clients"] = Json::object();
  for (const auto& [name, client] : report.kafka_clients) {
    json["kafka_clients"][name] = {{"queued_records", client.queued_records},
                                   {"queued_bytes", client.queued_bytes},
                                   {"broker_latency", OrNull(client.broker_latency)}};
  }
  json["problems"] = Json::array();
  for (const StatusReport::Problem& problem : report.problems) {
    json["problems"].push_back({{"error", problem.is_error},
                                {"event", problem.event},
                                {"text", problem.text},
                                {"count", problem.count},
                                {"last", FormatRfc3339(problem.last)}});
  }
  json["hosts"] = Json::array();
  for (const StatusReport::Host& host : report.hosts) {
    json["hosts"].push_back(
        {{"name", host.name}, {"duplicates", host.duplicates}, {"error", host.error}});
  }
  json["host_duplicates"] = report.host_duplicates;
  json["hosts_since"] = TimeOrNull(report.hosts_since);
  json["pairs"] = Json::array();
  for (const NearPair& pair : report.pairs) {
    json["pairs"].push_back({{"url", pair.url},
                             {"match_url", pair.match_url},
                             {"distance", pair.distance},
                             {"similarity", pair.similarity},
                             {"words", pair.words},
                             {"text_length", pair.text_length},
                             {"language", pair.language},
                             {"first_seen", FormatRfc3339(pair.first_seen)},
                             {"judged", FormatRfc3339(pair.judged)}});
  }
  json["minutes_a_point"] = report.minutes_a_point;
  // [time in seconds since 1970, consumed, kept, dropped]
  json["points"] = Json::array();
  for (const History::Point& point : report.points) {
    const auto seconds =
        std::chrono::floor<std::chrono::seconds>(point.begin.time_since_epoch()).count();
    json["points"].push_back(Json::array({seconds, point.consumed, point.kept, point.dropped}));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<StatusReport> StatusFromJson(std::string_view text) { return Parse(text, FromJson); }

Result<StatusReport> StatusFromMetricsRecord(std::string_view text) {
  return Parse(text, FromMetricsRecord);
}

}  // namespace crawlsieve::consumer
