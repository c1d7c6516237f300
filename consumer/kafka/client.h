#pragma once

#include "consumer/kafka/advice.h"
#include "consumer/kafka/config.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct rd_kafka_s;

namespace crawlsieve::consumer {

/// A librdkafka client: what Consumer, Producer and Admin have in common. Thread-compatible.
class Client {
 public:
  /// `owner` is what OwnerOf() gives librdkafka's callbacks; it outlives the client.
  /// Errors: kInvalidConfig (properties that don't go together, unreadable certificates).
  [[nodiscard]] static Result<std::unique_ptr<Client>> Make(ClientConfig config,
                                                            ClientCallbacks callbacks, void* owner);

  /// Ends librdkafka's threads. Does not leave the group (Consumer::Close does), drops what was not
  /// sent. Takes no longer than a few seconds: librdkafka has hung here, and then its threads and
  /// its memory are left behind.
  ~Client();

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] rd_kafka_s* handle() const { return handle_; }

  [[nodiscard]] static void* OwnerOf(void* opaque);

  /// Asks a broker who leads the topic's partitions, whatever the client remembers of that.
  [[nodiscard]] BrokerStatus FindLeaders(const std::string& topic,
                                         std::chrono::milliseconds timeout);

  /// What the client last said about its connections, to be put behind a time-out, which says
  /// nothing by itself; empty if nothing went wrong. Thread that polls.
  [[nodiscard]] std::string LastTrouble() const;

  /// `error` with what a person does about it (WithAdvice). Any thread.
  [[nodiscard]] BrokerError Explain(BrokerError error, const TopicAccess& access = {}) const;

  /// Who this client is to the brokers.
  [[nodiscard]] const ClientIdentity& identity() const;

  /// Whether the brokers refuse every connection of this client: its login or TLS fails, and no
  /// other broker is left. Waiting longer won't help. Thread that polls.
  [[nodiscard]] bool IsRefused() const;

  /// The fatal error if there was one: then every call fails and only a new client helps.
  [[nodiscard]] std::optional<BrokerError> FatalError() const;

 private:
  class Context;

  Client(rd_kafka_s* handle, std::shared_ptr<Context> context);

  rd_kafka_s* handle_;
  std::shared_ptr<Context> context_;
};

/// For librdkafka's timeouts; never negative, which it reads as for ever.
[[nodiscard]] int TimeoutMs(std::chrono::milliseconds timeout);

}  // namespace crawlsieve::consumer
