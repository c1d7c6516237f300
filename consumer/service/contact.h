#pragma once

#include "consumer/kafka/config.h"
#include "consumer/kafka/consumer.h"
#include "consumer/options.h"
#include "consumer/service/board.h"

#include <chrono>

namespace crawlsieve::consumer {

/// Whether the brokers answer a stage: what /readyz tells.
///
/// librdkafka waits outages out by itself, so a stage that has nothing to do would not notice one,
/// and one that works sees little but time-outs. Hence answers are what counts: a stage is
/// connected while the last one is not older than kSilence, and asks for one when it is. An error
/// that says that no broker is reachable ends the connection at once.
/// Thread-compatible: for the thread that polls.
class BrokerContact {
 public:
  static constexpr std::chrono::milliseconds kSilence{5'000};
  static constexpr std::chrono::milliseconds kPause{1'000};     ///< between questions in an outage
  static constexpr std::chrono::milliseconds kPatience{1'000};  ///< for one answer

  using Clock = std::chrono::steady_clock;

  /// Not connected at first. `board` is borrowed.
  BrokerContact(Role role, Board& board) : role_(role), board_(board) {}
  /// What ends isn't connected.
  ~BrokerContact() { board_.SetConnected(role_, false); }
  BrokerContact(const BrokerContact&) = delete;
  BrokerContact& operator=(const BrokerContact&) = delete;

  /// A broker has acknowledged something that was asked of it just now.
  void Answered(Clock::time_point now = Clock::now());
  /// None is reachable, or one didn't answer in time.
  void Failed(Clock::time_point now = Clock::now());

  /// Time to ask: nothing was heard for too long.
  [[nodiscard]] bool IsSilent(Clock::time_point now = Clock::now()) const;

  /// Asks the broker that leads `partition`, if it is time to.
  void AskIfSilent(Consumer& consumer, const TopicPartition& partition);

  [[nodiscard]] bool connected() const { return connected_; }

  /// `callbacks`, with an ear on them for what they say about the connection. Not to be called when
  /// this is gone.
  [[nodiscard]] ClientCallbacks Listen(ClientCallbacks callbacks);

 private:
  void Set(bool connected);

  const Role role_;
  Board& board_;
  bool connected_ = false;
  Clock::time_point last_;  ///< answer or failure
};

}  // namespace crawlsieve::consumer
