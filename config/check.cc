#include "config/check.h"

#include "config/values.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::config {
namespace {

using consumer::ClientProperties;

/// A property of librdkafka that decides more than a user can see, so that crawlsieve sets it.
struct OwnedProperty {
  std::string_view name;
  std::string_view instead;  ///< what to do about it
};

constexpr std::string_view kLeaveOut = "leave it out";

constexpr std::array<OwnedProperty, 12> kOwnedProperties{{
    {"bootstrap.servers", "use kafka.bootstrap_servers"},
    {"metadata.broker.list", "use kafka.bootstrap_servers"},
    {"group.id", "use kafka.group"},
    {"transactional.id", "use kafka.group"},
    {"enable.auto.commit", kLeaveOut},
    {"auto.commit.enable", kLeaveOut},
    {"enable.auto.offset.store", kLeaveOut},
    {"auto.offset.reset", kLeaveOut},
    {"isolation.level", kLeaveOut},
    {"partition.assignment.strategy", kLeaveOut},
    {"enable.partition.eof", kLeaveOut},
    {"enable.gapless.guarantee", kLeaveOut},
}};

struct Property {
  std::string key;  ///< "kafka.producer.acks"
  std::string value;
};

/// What producers get for any of `names`, which are aliases of each other.
std::optional<Property> ProducerProperty(const Config& config,
                                         std::initializer_list<std::string_view> names) {
  const std::array<std::pair<std::string_view, const ClientProperties*>, 2> maps{
      {{"kafka.producer", &config.kafka.producer}, {"kafka.client", &config.kafka.client}}};
  for (const auto& [section, properties] : maps) {
    for (const std::string_view name : names) {
      const auto found = properties->find(std::string(name));
      if (found != properties->end()) {
        return Property{fmt::format("{}.{}", section, name), found->second};
      }
    }
  }
  return std::nullopt;
}

void FindOwnedProperties(const Config& config, std::vector<Conflict>& conflicts) {
  const std::array<std::pair<std::string_view, const ClientProperties*>, 3> maps{
      {{"kafka.client", &config.kafka.client},
       {"kafka.consumer", &config.kafka.consumer},
       {"kafka.producer", &config.kafka.producer}}};
  for (const auto& [section, properties] : maps) {
    for (const OwnedProperty& owned : kOwnedProperties) {
      if (!properties->contains(std::string(owned.name))) continue;
      conflicts.push_back({{fmt::format("{}.{}", section, owned.name)},
                           fmt::format("is set by crawlsieve itself; {}", owned.instead)});
    }
  }
}

/// The admission log is written by an idempotent producer whatever the delivery, and transactions
/// need one too; librdkafka would refuse these when the producer is made, in words of its own.
void FindIdempotenceConflicts(const Config& config, std::vector<Conflict>& conflicts) {
  const std::string_view why = config.kafka.delivery == consumer::Delivery::kExactlyOnce
                                   ? "delivery exactly_once needs an idempotent producer"
                                   : "the admission log needs an idempotent producer";
  const auto complain = [&](const Property& property, std::string_view must) {
    conflicts.push_back(
        {{property.key, "kafka.delivery"}, fmt::format("must be {}: {}", must, why)});
  };
  if (const auto idempotence = ProducerProperty(config, {"enable.idempotence"});
      idempotence && idempotence->value != "true") {
    complain(*idempotence, "true");
  }
  if (const auto acks = ProducerProperty(config, {"acks", "request.required.acks"});
      acks && acks->value != "all" && acks->value != "-1") {
    complain(*acks, "all");
  }
  if (const auto in_flight =
          ProducerProperty(config, {"max.in.flight.requests.per.connection", "max.in.flight"})) {
    const auto number = ParseInteger(in_flight->value);
    if (!number || *number < 1 || *number > 5) complain(*in_flight, "1 to 5");
  }
  if (const auto retries = ProducerProperty(config, {"retries", "message.send.max.retries"});
      retries && retries->value == "0") {
    complain(*retries, "at least 1");
  }
  if (const auto strategy = ProducerProperty(config, {"queuing.strategy"});
      strategy && strategy->value != "fifo") {
    complain(*strategy, "fifo");
  }
}

void FindTimeoutConflicts(const Config& config, std::vector<Conflict>& conflicts) {
  const auto transaction = ProducerProperty(config, {"transaction.timeout.ms"});
  if (!transaction) return;
  const auto transaction_ms = ParseInteger(transaction->value);
  if (!transaction_ms) return;  // librdkafka says what is wrong with it
  if (const auto message =
          ProducerProperty(config, {"message.timeout.ms", "delivery.timeout.ms"})) {
    const auto message_ms = ParseInteger(message->value);
    // 0 is "never" to librdkafka.
    if (message_ms && (*message_ms == 0 || *message_ms >= *transaction_ms)) {
      conflicts.push_back({{message->key, transaction->key},
                           "must be less than transaction.timeout.ms, or a transaction ends "
                           "before its messages do"});
    }
  }
  if (static_cast<std::uint64_t>(config.kafka.commit_interval.count()) >= *transaction_ms) {
    conflicts.push_back({{"kafka.commit.interval", transaction->key},
                         "must be less than transaction.timeout.ms, or every transaction times "
                         "out"});
  }
}

void FindTopicConflicts(const Config& config, std::vector<Conflict>& conflicts) {
  const auto& kafka = config.kafka;
  struct Output {
    std::string_view key;
    const std::string& topic;
  };
  // Without slots there are no topics of theirs.
  const std::string none;
  const bool has_slots = kafka.slots.is_used();
  std::vector<Output> outputs{
      {"kafka.log.topic", kafka.log_topic},
      {"kafka.verdicts.topic", kafka.verdict_topic},
      {"kafka.kept.topic", kafka.kept_topic},
      {"kafka.scores.topic", kafka.score_topic},
      {"kafka.sites.topic", kafka.site_topic},
      {"kafka.changes.topic", has_slots ? kafka.slots.changes_topic : none},
      {"kafka.candidates.topic", has_slots ? kafka.slots.candidates_topic : none},
      {"metrics.topic", config.metrics.topic}};
  for (const consumer::RenderedTopic& rendered : kafka.rendered_topics) {
    outputs.push_back({"kafka.scores.rendered", rendered.topic});
  }
  const std::vector<std::string> inputs = consumer::TopicsRead(kafka);
  const auto is_input = [&](const std::string& topic) {
    return std::find(inputs.begin(), inputs.end(), topic) != inputs.end();
  };
  const auto is_dead_letter = [&](const std::string& topic) {
    return topic.ends_with(kafka.dead_letter_suffix) &&
           is_input(topic.substr(0, topic.size() - kafka.dead_letter_suffix.size()));
  };
  if (std::count(inputs.begin(), inputs.end(), kafka.asked_topic) > 1) {
    conflicts.push_back(
        {{"kafka.asked.topic", "kafka.input.topics"}, "must not be one of kafka.input.topics"});
  }
  if (!kafka.asked_topic.empty() && kafka.score_topic.empty()) {
    conflicts.push_back({{"kafka.asked.topic", "kafka.scores.topic"},
                         "needs kafka.scores.topic, where the answers go"});
  }
  if (!kafka.site_topic.empty() && config.judge.sites.max == 0) {
    conflicts.push_back({{"kafka.sites.topic", "judge.sites.max"},
                         "is of no use while nothing is learned of sites: judge.sites.max is 0"});
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Output& output = outputs[i];
    if (output.topic.empty()) continue;
    if (is_input(output.topic)) {
      conflicts.push_back({{std::string(output.key), "kafka.input.topics"},
                           "must not be one of kafka.input.topics"});
    }
    if (is_dead_letter(output.topic)) {
      conflicts.push_back(
          {{std::string(output.key), "kafka.dead_letters.suffix", "kafka.input.topics"},
           "must not be a topic of dead letters"});
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (output.topic != outputs[j].topic) continue;
      if (output.key == outputs[j].key) {
        conflicts.push_back({{std::string(output.key)}, "has a topic twice"});
        continue;
      }
      conflicts.push_back({{std::string(output.key), std::string(outputs[j].key)},
                           fmt::format("must differ from {}", outputs[j].key)});
    }
  }
  for (const std::string& topic : inputs) {
    if (is_dead_letter(topic)) {
      conflicts.push_back({{"kafka.input.topics", "kafka.dead_letters.suffix"},
                           "one of the topics takes the dead letters of another"});
    }
    if (topic.size() + kafka.dead_letter_suffix.size() > 249) {
      conflicts.push_back({{"kafka.dead_letters.suffix", "kafka.input.topics"},
                           "makes a name longer than the 249 characters that Kafka allows"});
    }
  }
}

void FindJudgeConflicts(const Config& config, std::vector<Conflict>& conflicts) {
  const PriorityParameters& weights = config.judge.priority;
  const std::uint32_t sum = weights.novelty + weights.host + weights.depth + weights.change;
  if (sum != 1000) {
    conflicts.push_back({{"judge.priority"}, "the four weights must add up to 1000"});
  }
  const ScheduleParameters& schedule = config.judge.schedule;
  if (schedule.min_seconds > schedule.max_seconds) {
    conflicts.push_back({{"judge.schedule.min", "judge.schedule.max"},
                         "must not be longer than judge.schedule.max"});
  }
}

void FindSlotConflicts(const Config& config, std::vector<Conflict>& conflicts) {
  const auto& roles = config.service.roles;
  const bool holds_slots =
      std::find(roles.begin(), roles.end(), consumer::Role::kIndex) != roles.end();
  if (holds_slots && !config.kafka.slots.is_used()) {
    conflicts.push_back({{"service.roles", "index.slots"},
                         "role index has nothing to hold while index.slots is 0"});
  }
  if (config.kafka.slots.is_used() && config.kafka.delivery != consumer::Delivery::kExactlyOnce) {
    conflicts.push_back({{"kafka.delivery", "index.slots"},
                         "must be exactly_once with index.slots: slots refuse changes that come "
                         "twice with other ends"});
  }
}

void FindHttpConflicts(const Config& config, std::vector<Conflict>& conflicts) {
  if (config.http.tls.certificate_file.empty() != config.http.tls.key_file.empty()) {
    conflicts.push_back(
        {{"http.tls.certificate_file", "http.tls.key_file"}, "name both files, or none of them"});
  }
}

}  // namespace

std::vector<Conflict> FindConflicts(const Config& config) {
  std::vector<Conflict> conflicts;
  if (config.kafka.input_format == consumer::FormatKind::kJson && config.decode.json.url.empty()) {
    conflicts.push_back(
        {{"kafka.input.json.url", "kafka.input.format"}, "is needed with format json"});
  }
  FindOwnedProperties(config, conflicts);
  FindIdempotenceConflicts(config, conflicts);
  FindTimeoutConflicts(config, conflicts);
  FindTopicConflicts(config, conflicts);
  FindJudgeConflicts(config, conflicts);
  FindSlotConflicts(config, conflicts);
  FindHttpConflicts(config, conflicts);
  return conflicts;
}

}  // namespace crawlsieve::config
