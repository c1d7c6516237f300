#include "consumer/service/brokers/contact.h"

#include "consumer/kafka/error.h"

#include <utility>

namespace crawlsieve::consumer {

BrokerContact::~BrokerContact() {
  board_.SetConnected(role_, false);
  for (const std::string& client : clients_) board_.SetClient(role_, client, std::nullopt);
}

void BrokerContact::Answered(Clock::time_point now) {
  last_ = now;
  Set(true);
}

void BrokerContact::Failed(Clock::time_point now) {
  last_ = now;
  Set(false);
}

void BrokerContact::Set(bool connected) {
  if (std::exchange(connected_, connected) != connected) board_.SetConnected(role_, connected);
}

bool BrokerContact::IsSilent(Clock::time_point now) const {
  return now - last_ >= (connected_ ? kSilence : kPause);
}

void BrokerContact::AskIfSilent(Consumer& consumer, const TopicPartition& partition) {
  if (!IsSilent()) return;
  if (consumer.QueryEnd(partition, kPatience)) {
    Answered();
  } else {
    Failed();
  }
}

ClientCallbacks BrokerContact::Listen(ClientCallbacks callbacks, const std::string& client) {
  clients_.insert(client);
  callbacks.statistics = [this, client](const ClientStatistics& statistics) {
    board_.SetClient(role_, client,
                     KafkaClientReport{statistics.queued_records, statistics.queued_bytes,
                                       statistics.broker_latency});
  };
  callbacks.error = [this, told = std::move(callbacks.error)](const BrokerError& error) {
    if (IsOutage(error)) Failed();
    if (told) told(error);
  };
  return callbacks;
}

}  // namespace crawlsieve::consumer
