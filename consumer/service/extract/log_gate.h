#pragma once

#include "consumer/kafka/consumer.h"
#include "consumer/kafka/producer.h"
#include "consumer/service/brokers/contact.h"
#include "consumer/service/options.h"
#include "plugin/base/broker_error.h"

#include <chrono>
#include <stop_token>
#include <string>

namespace crawlsieve::consumer {

/// Lets an extract process append to the admission log only once the log is there and of its own
/// scheme: a judge would refuse the log from the first entry of another scheme on.
/// Thread-compatible.
class LogGate {
 public:
  /// `kafka` is borrowed; `scheme` is the id of what this process writes.
  LogGate(const KafkaOptions& kafka, std::string scheme);

  /// Reads the log's first entry, which names the scheme. Errors: kRefused for another scheme or
  /// for a log that can't be read; kRetriable if there is no entry yet, or nobody answered in time.
  [[nodiscard]] BrokerStatus Check(std::chrono::milliseconds timeout) const;

  /// Waits for the log's first entry, the judging parameters, which a judge writes. False if `stop`
  /// was requested. Polls `producer`, so that its clients' errors reach `contact`. Errors: those
  /// that waiting doesn't mend.
  [[nodiscard]] BrokerResult<bool> Wait(const std::stop_token& stop, Consumer& consumer,
                                        Producer& producer, BrokerContact& contact) const;

 private:
  const KafkaOptions& kafka_;
  const TopicPartition log_;
  const std::string scheme_;
};

}  // namespace crawlsieve::consumer
