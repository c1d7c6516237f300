#pragma once

#include "consumer/kafka/options.h"
#include "consumer/kafka/statistics.h"
#include "plugin/base/broker_error.h"
#include "plugin/base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct rd_kafka_conf_s;

namespace crawlsieve::consumer {

enum class ClientType { kConsumer, kProducer };

/// Properties of one kind of client. The user's own come between the first two: they change the
/// defaults but not what the promises of the program stand on.
struct ClientRecipe {
  ClientType type = ClientType::kConsumer;
  ClientProperties defaults;
  ClientProperties required;
  /// In force whatever the user's say: what they mean by these is done outside of the client.
  ClientProperties replaced{};
};

/// Size of the largest record that our producers write: a dead letter, which has the largest record
/// that is read and some headers more. No less than kMinTopicMessageBytes.
[[nodiscard]] std::uint64_t MaxWrittenBytes(const KafkaClientOptions& options);

/// Reads pages in group `<group>.extract`. `instance` is a name this process keeps over restarts,
/// which then cost no rebalance (static membership); empty: there is none.
[[nodiscard]] ClientRecipe ExtractConsumer(const KafkaClientOptions& options,
                                           std::string_view instance);

/// Reads the admission log in group `<group>.judge`; also, with Consumer::Assign, for a standby.
[[nodiscard]] ClientRecipe JudgeConsumer(const KafkaClientOptions& options);

/// Reads the log and the topic of changes for slots of the index, in group `<group>.index`, or
/// `<group>.index-<replica>`.
[[nodiscard]] ClientRecipe IndexConsumer(const KafkaClientOptions& options,
                                         std::string_view replica);

/// Reads pages by their offsets, those that were kept or a sample, as a client of its own beside
/// group `<group>.judge`.
[[nodiscard]] ClientRecipe KeptPageReader(const KafkaClientOptions& options);

/// Writes to the log and the dead letters: in order, without gaps, each record once. The client
/// never gives a record up; LogDeliveryTimeout says when to give the client up.
[[nodiscard]] ClientRecipe IdempotentProducer(const KafkaClientOptions& options);

/// How long a record may wait to be written to the log or the dead letters: the user's
/// `message.timeout.ms`; 0: without a limit. The client itself isn't given it, because it would
/// drop the record that is late and write those behind it. Errors: as ClientConfig::Make.
[[nodiscard]] Result<std::chrono::milliseconds> LogDeliveryTimeout(
    const KafkaClientOptions& options);

/// Writes verdicts under the transactional id `<group>.judge`.
[[nodiscard]] ClientRecipe TransactionalProducer(const KafkaClientOptions& options);

/// Writes what slots answer: soon, and not again where it is lost, for then it is asked for.
[[nodiscard]] ClientRecipe AnswerProducer(const KafkaClientOptions& options);

/// Writes what may be lost when the broker is away, holding up nothing: metrics.
[[nodiscard]] ClientRecipe BestEffortProducer(const KafkaClientOptions& options);

/// Asks for and changes topics.
[[nodiscard]] ClientRecipe AdminClient(const KafkaClientOptions& options);

inline constexpr std::chrono::milliseconds kStatisticsInterval{5'000};

enum class KafkaLogLevel { kError, kWarning, kInfo, kDebug };

/// Where a client's own words go. Each may be empty.
struct ClientCallbacks {
  /// A line of librdkafka's log, without secrets. Called on any thread, also before the client's
  /// constructor returns, so it must be thread-safe and must not block.
  std::function<void(KafkaLogLevel, std::string_view)> log;
  /// Something went wrong outside of any call: no broker reachable, a fatal error. For information;
  /// the client keeps trying by itself. Called on the thread that polls.
  std::function<void(const BrokerError&)> error;
  /// Every kStatisticsInterval. Called on the thread that polls.
  std::function<void(const ClientStatistics&)> statistics;
};

/// librdkafka's configuration object, until a client takes it over. Thread-compatible.
class ClientConfig {
 public:
  /// Lays the recipe's defaults, then `options.client` and `options.consumer` or `.producer`, then
  /// what the recipe replaces.
  /// Errors: kInvalidConfig, naming the property: unknown, a value out of range, or one that the
  /// recipe requires otherwise. No message repeats the value of a property that holds a secret.
  [[nodiscard]] static Result<ClientConfig> Make(const ClientRecipe& recipe,
                                                 const KafkaClientOptions& options);

  [[nodiscard]] ClientType type() const { return type_; }
  [[nodiscard]] rd_kafka_conf_s* get() const { return conf_.get(); }
  /// The value in force; empty where the property has none.
  [[nodiscard]] std::string Value(const std::string& property) const;
  /// Values that must not appear in a log line.
  [[nodiscard]] const std::vector<std::string>& secrets() const { return secrets_; }
  /// Gives the object away: rd_kafka_new() owns it when it succeeds.
  [[nodiscard]] rd_kafka_conf_s* Release() { return conf_.release(); }

 private:
  struct Destroy {
    void operator()(rd_kafka_conf_s* conf) const;
  };

  explicit ClientConfig(ClientType type);
  [[nodiscard]] Status Set(const std::string& property, const std::string& value,
                           std::string_view where);
  /// A property as users give it: `sasl.password.file` names a file with the value.
  [[nodiscard]] Status SetGiven(const std::string& property, const std::string& value,
                                std::string_view where);

  ClientType type_;
  std::unique_ptr<rd_kafka_conf_s, Destroy> conf_;
  std::vector<std::string> secrets_;
};

}  // namespace crawlsieve::consumer
