#include "consumer/kafka/config.h"

#include "consumer/kafka/property_names.h"
#include "consumer/record_limits.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

// What a dead letter adds to the record it holds: about a dozen headers of a few hundred bytes.
constexpr std::uint64_t kHeaderRoom = 64 << 10;
// What a fetch response has around its records.
constexpr std::uint64_t kResponseRoom = 1 << 20;
constexpr std::uint64_t kProducerBufferKilobytes = 64 << 10;
// What a fetch of pages holds, still compressed. librdkafka inflates all of it at once and without
// a bound of its own, up to 1,032 times for gzip (docs/reliability.md, "Batches that inflate"). A
// broker sends a larger batch too, but then nothing else with it. Test:
// KafkaClient.BatchesLargerThanAFetchAreReadBesideSmallOnes
constexpr std::uint64_t kPageFetchBytes = 1 << 20;
constexpr const char* kMessageTimeout = "message.timeout.ms";
constexpr std::size_t kMaxSecretBytes = 64 << 10;

ClientProperties CommonDefaults() {
  return {
      {"client.id", "crawlsieve"},
      // A broker that restarts is back within seconds; the default of 10 s would double the outage.
      {"reconnect.backoff.max.ms", "2000"},
      // Finds connections that a firewall has dropped without a word.
      {"socket.keepalive.enable", "true"},
      // Brokers close idle connections every ten minutes; that is no news.
      {"log.connection.close", "false"},
  };
}

ClientProperties CommonRequired(const KafkaClientOptions& options) {
  const std::uint64_t message_bytes = MaxWrittenBytes(options);
  return {
      {"bootstrap.servers", options.bootstrap_servers},
      // All size limits in one place: where they differ, a record that one side accepts stops the
      // other for good.
      {"message.max.bytes", std::to_string(message_bytes)},
      {"receive.message.max.bytes", std::to_string(message_bytes + kResponseRoom)},
      // Small transactional requests wait for each other otherwise, 40 ms at a time.
      {"socket.nagle.disable", "true"},
      // Client::Make turns them on where somebody reads them.
      {"statistics.interval.ms", "0"},
      // Log lines go to the callback at once, also while nobody polls.
      {"log.queue", "false"},
  };
}

ClientRecipe ConsumerRecipe(const KafkaClientOptions& options, std::string_view group_suffix) {
  ClientRecipe recipe{ClientType::kConsumer, CommonDefaults(), CommonRequired(options)};
  const std::uint64_t message_bytes = MaxWrittenBytes(options);
  // What waits here is memory that the bounds on work in flight don't see. Nothing is fetched while
  // it is more than this, inflated.
  recipe.defaults["queued.max.messages.kbytes"] = "32768";
  // A batch damaged on its way or on the disk is refused instead of read.
  recipe.defaults["check.crcs"] = "true";
  recipe.required["group.id"] = fmt::format("{}.{}", options.group, group_suffix);
  recipe.required["fetch.message.max.bytes"] = std::to_string(message_bytes);
  recipe.required["fetch.max.bytes"] = std::to_string(message_bytes);
  // Offsets are committed by the stage, when what they stand for is safe.
  recipe.required["enable.auto.commit"] = "false";
  recipe.required["enable.auto.offset.store"] = "false";
  // Aborted verdicts and pages are not there; a new owner waits for pending transactional offsets.
  recipe.required["isolation.level"] = "read_committed";
  // cooperative-sticky loses and repeats assignments in librdkafka 2.0 (its issues 4059, 4783).
  recipe.required["partition.assignment.strategy"] = "range";
  // Skipping to the end, or starting over, is a decision about data and never made silently.
  recipe.required["auto.offset.reset"] = "error";
  recipe.required["enable.partition.eof"] = "false";
  recipe.required["allow.auto.create.topics"] = "false";
  return recipe;
}

/// Bounds what one fetch brings.
void FetchPages(ClientRecipe& recipe) {
  recipe.required["fetch.message.max.bytes"] = std::to_string(kPageFetchBytes);
  recipe.required["fetch.max.bytes"] = std::to_string(kPageFetchBytes);
  // librdkafka refuses one that is larger than a fetch. Consumers don't use it otherwise.
  recipe.required["message.max.bytes"] = std::to_string(kPageFetchBytes);
}

ClientRecipe ProducerRecipe(const KafkaClientOptions& options) {
  ClientRecipe recipe{ClientType::kProducer, CommonDefaults(), CommonRequired(options)};
  // librdkafka's default is 1 GiB. At least two of the largest records fit.
  recipe.defaults["queue.buffering.max.kbytes"] = std::to_string(
      std::max<std::uint64_t>(kProducerBufferKilobytes, MaxWrittenBytes(options) / 512));
  recipe.defaults["compression.type"] = "lz4";
  // The Java clients' choice of partition for a key, so that topics can be joined.
  recipe.defaults["partitioner"] = "murmur2_random";
  return recipe;
}

/// The content of a file, without the line's end. Errors never repeat it.
Result<std::string> ReadSecret(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxSecretBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    return MakeError(ErrorCode::kInvalidConfig,
                     fmt::format("{} can't be read: {}", path, std::strerror(errno)));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxSecretBytes) {
    return MakeError(ErrorCode::kInvalidConfig,
                     fmt::format("{} has more than {} bytes", path, kMaxSecretBytes));
  }
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty() || text.find('\0') != std::string::npos) {
    return MakeError(ErrorCode::kInvalidConfig,
                     fmt::format("{} is empty or has a byte of zero", path));
  }
  return text;
}

}  // namespace

std::uint64_t MaxWrittenBytes(const KafkaClientOptions& options) {
  return std::max<std::uint64_t>(std::uint64_t{options.max_message_bytes} + kHeaderRoom,
                                 kMinTopicMessageBytes);
}

ClientRecipe ExtractConsumer(const KafkaClientOptions& options, std::string_view instance) {
  ClientRecipe recipe = ConsumerRecipe(options, "extract");
  FetchPages(recipe);
  if (!instance.empty()) {
    recipe.required["group.instance.id"] = std::string(instance);
  } else {
    // Nobody waits for a member without a name to come back, so its partitions go on soon. A named
    // one keeps librdkafka's 45 s, in which a restart costs no rebalance.
    recipe.defaults["session.timeout.ms"] = "10000";
  }
  return recipe;
}

ClientRecipe JudgeConsumer(const KafkaClientOptions& options) {
  ClientRecipe recipe = ConsumerRecipe(options, "judge");
  // The standby takes over when the active judge has been silent for so long. Brokers refuse less
  // by default. Membership is dynamic, since static members are waited for after they close.
  recipe.defaults["session.timeout.ms"] = "6000";
  // A standby learns by its next heartbeat that the active judge has left.
  recipe.defaults["heartbeat.interval.ms"] = "500";
  return recipe;
}

ClientRecipe IndexConsumer(const KafkaClientOptions& options, std::string_view replica) {
  ClientRecipe recipe =
      ConsumerRecipe(options, replica.empty() ? "index" : fmt::format("index-{}", replica));
  // As a judge's: others hold the slots of one that is silent for so long.
  recipe.defaults["session.timeout.ms"] = "6000";
  recipe.defaults["heartbeat.interval.ms"] = "500";
  return recipe;
}

ClientRecipe KeptPageReader(const KafkaClientOptions& options) {
  ClientRecipe recipe = ConsumerRecipe(options, "judge");
  FetchPages(recipe);
  // Each partition has a queue of its own, and there may be hundreds.
  recipe.replaced["queued.max.messages.kbytes"] = std::to_string(kPageFetchBytes >> 10);
  return recipe;
}

ClientRecipe IdempotentProducer(const KafkaClientOptions& options) {
  ClientRecipe recipe = ProducerRecipe(options);
  recipe.required["enable.idempotence"] = "true";
  recipe.required["acks"] = "all";
  // The log must not go on behind an entry that was lost: the producer fails instead.
  recipe.required["enable.gapless.guarantee"] = "true";
  // But for entries that are late: librdkafka drops these alone. Test:
  // MockProducer.NoRecordPassesOneThatWaits
  recipe.replaced[kMessageTimeout] = "0";
  return recipe;
}

Result<std::chrono::milliseconds> LogDeliveryTimeout(const KafkaClientOptions& options) {
  ClientRecipe recipe = IdempotentProducer(options);
  recipe.replaced.clear();
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto config, ClientConfig::Make(recipe, options));
  const std::string value = config.Value(kMessageTimeout);
  return std::chrono::milliseconds(std::strtol(value.c_str(), nullptr, 10));
}

ClientRecipe TransactionalProducer(const KafkaClientOptions& options) {
  ClientRecipe recipe = ProducerRecipe(options);
  recipe.required["transactional.id"] = fmt::format("{}.judge", options.group);
  recipe.required["enable.idempotence"] = "true";
  recipe.required["acks"] = "all";
  // An open transaction holds up every reader of the verdicts, so one whose judge died ends soon.
  recipe.defaults["transaction.timeout.ms"] = "15000";
  // Shorter, so that a record that can't be delivered fails while the abort can still be sent.
  recipe.defaults["message.timeout.ms"] = "10000";
  return recipe;
}

ClientRecipe AnswerProducer(const KafkaClientOptions& options) {
  ClientRecipe recipe = ProducerRecipe(options);
  recipe.defaults["acks"] = "1";
  recipe.defaults["queue.buffering.max.ms"] = "1";
  recipe.defaults["message.timeout.ms"] = "10000";
  return recipe;
}

ClientRecipe BestEffortProducer(const KafkaClientOptions& options) {
  ClientRecipe recipe = ProducerRecipe(options);
  recipe.defaults["acks"] = "1";
  recipe.defaults["queue.buffering.max.messages"] = "1000";
  recipe.defaults["message.timeout.ms"] = "30000";
  return recipe;
}

ClientRecipe AdminClient(const KafkaClientOptions& options) {
  ClientRecipe recipe{ClientType::kConsumer, CommonDefaults(), CommonRequired(options)};
  recipe.required["fetch.max.bytes"] = recipe.required["message.max.bytes"];
  // Asking for a topic must not make it; only consumers can be kept from that.
  recipe.required["allow.auto.create.topics"] = "false";
  return recipe;
}

void ClientConfig::Destroy::operator()(rd_kafka_conf_s* conf) const { rd_kafka_conf_destroy(conf); }

ClientConfig::ClientConfig(ClientType type) : type_(type), conf_(rd_kafka_conf_new()) {}

Status ClientConfig::Set(const std::string& property, const std::string& value,
                         std::string_view where) {
  std::array<char, 512> reason{};
  const auto outcome =
      rd_kafka_conf_set(conf_.get(), property.c_str(), value.c_str(), reason.data(), reason.size());
  if (IsSecret(property) && !value.empty()) {
    secrets_.push_back(value);
    if (outcome == RD_KAFKA_CONF_INVALID) {
      return MakeError(ErrorCode::kInvalidConfig,
                       fmt::format("{}: the value of property {} is not valid", where, property));
    }
  }
  if (outcome != RD_KAFKA_CONF_OK) {
    return MakeError(ErrorCode::kInvalidConfig,
                     fmt::format("{}: property {}: {}", where, property, reason.data()));
  }
  return {};
}

Status ClientConfig::SetGiven(const std::string& property, const std::string& value,
                              std::string_view where) {
  const std::string_view name = property;
  if (!name.ends_with(kSecretFileSuffix)) return Set(property, value, where);
  const std::string secret(name.substr(0, name.size() - kSecretFileSuffix.size()));
  if (!IsSecret(secret)) {
    return MakeError(ErrorCode::kInvalidConfig,
                     fmt::format("{}: property {}: only passwords, keys and other secrets are read "
                                 "from files",
                                 where, property));
  }
  const auto text = ReadSecret(value);
  if (!text) {
    return MakeError(ErrorCode::kInvalidConfig,
                     fmt::format("{}: property {}: {}", where, property, text.error().message));
  }
  return Set(secret, *text, where);
}

std::string ClientConfig::Value(const std::string& property) const {
  std::size_t size = 0;
  if (rd_kafka_conf_get(conf_.get(), property.c_str(), nullptr, &size) != RD_KAFKA_CONF_OK) {
    return {};
  }
  std::string value(size, '\0');
  if (rd_kafka_conf_get(conf_.get(), property.c_str(), value.data(), &size) != RD_KAFKA_CONF_OK) {
    return {};
  }
  value.resize(value.find('\0') == std::string::npos ? value.size() : value.find('\0'));
  return value;
}

Result<ClientConfig> ClientConfig::Make(const ClientRecipe& recipe,
                                        const KafkaClientOptions& options) {
  ClientConfig config(recipe.type);
  const bool is_consumer = recipe.type == ClientType::kConsumer;
  ClientProperties required;  // as librdkafka writes the values
  for (const ClientProperties* layer : {&recipe.defaults, &recipe.required}) {
    for (const auto& [property, value] : *layer) {
      CRAWLSIEVE_RETURN_IF_ERROR(config.Set(property, value, "kafka"));
    }
  }
  for (const auto& [property, value] : recipe.required) {
    required[property] = config.Value(property);
  }
  const std::pair<std::string_view, const ClientProperties*> layers[] = {
      {"kafka.client", &options.client},
      is_consumer ? std::pair{std::string_view("kafka.consumer"), &options.consumer}
                  : std::pair{std::string_view("kafka.producer"), &options.producer}};
  for (const auto& [where, layer] : layers) {
    for (const auto& [property, value] : *layer) {
      CRAWLSIEVE_RETURN_IF_ERROR(config.SetGiven(property, value, where));
    }
    // Compared by what is in force and not by name, as many properties have two names.
    for (const auto& [property, value] : required) {
      if (std::string now = config.Value(property); now != value) {
        return MakeError(ErrorCode::kInvalidConfig,
                         fmt::format("{}: property {} is set to {} by other options or because "
                                     "results depend on it; it can't be {}",
                                     where, property, value, now));
      }
    }
  }
  for (const auto& [property, value] : recipe.replaced) {
    CRAWLSIEVE_RETURN_IF_ERROR(config.Set(property, value, "kafka"));
  }
  if (!config.Value("transactional.id").empty()) {
    const std::string message_timeout = config.Value(kMessageTimeout);
    const std::string transaction_timeout = config.Value("transaction.timeout.ms");
    const long message_ms = std::strtol(message_timeout.c_str(), nullptr, 10);
    if (message_ms == 0 || message_ms >= std::strtol(transaction_timeout.c_str(), nullptr, 10)) {
      return MakeError(ErrorCode::kInvalidConfig,
                       fmt::format("kafka.producer: message.timeout.ms ({}) must be less than "
                                   "transaction.timeout.ms ({}), and 0 means for ever",
                                   message_timeout, transaction_timeout));
    }
  }
  return config;
}

}  // namespace crawlsieve::consumer
