#pragma once

#include "consumer/kafka/config.h"
#include "consumer/kafka/consumer.h"
#include "consumer/service/brokers/status_board.h"
#include "consumer/service/options.h"

#include <chrono>
#include <set>
#include <string>

namespace crawlsieve::consumer {

/// Whether the brokers answer a stage. /readyz shows it.
///
/// librdkafka hides outages: an idle stage notices nothing, and a busy one sees time-outs only. So
/// a stage counts as connected while the last answer is at most kSilence old. When it is older, the
/// stage asks for an answer. An error that says that no broker is reachable ends the connection at
/// once.
/// Thread-compatible: for the thread that polls.
class BrokerContact {
 public:
  static constexpr std::chrono::milliseconds kSilence{5'000};
  static constexpr std::chrono::milliseconds kPause{1'000};     ///< between questions in an outage
  static constexpr std::chrono::milliseconds kPatience{2'000};  ///< for one answer

  using Clock = std::chrono::steady_clock;

  /// Not connected at first. `board` is borrowed.
  BrokerContact(Role role, StatusBoard& board) : role_(role), board_(board) { Round(); }
  /// Sets the stage to not connected.
  ~BrokerContact();
  BrokerContact(const BrokerContact&) = delete;
  BrokerContact& operator=(const BrokerContact&) = delete;

  /// A broker has just answered a request.
  void Answered(Clock::time_point now = Clock::now());
  /// No broker is reachable, or one didn't answer in time.
  void Failed(Clock::time_point now = Clock::now());

  /// The stage's loop comes round. A loop that doesn't for long is hung (StatusBoard::Silence).
  void Round(Clock::time_point now = Clock::now()) { board_.SetRound(role_, now); }

  /// Whether it is time to ask: the last answer is too old.
  [[nodiscard]] bool IsSilent(Clock::time_point now = Clock::now()) const;

  /// Asks the broker that leads `partition`, if it is time to.
  void AskIfSilent(Consumer& consumer, const TopicPartition& partition);

  [[nodiscard]] bool connected() const { return connected_; }

  /// `callbacks`, extended to watch for errors of the connection and to report the client's
  /// queues under the stage's name and `client`. They must not be called after this object's end.
  [[nodiscard]] ClientCallbacks Listen(ClientCallbacks callbacks, const std::string& client);

 private:
  void Set(bool connected);

  const Role role_;
  StatusBoard& board_;
  bool connected_ = false;
  Clock::time_point last_;         ///< answer or failure
  std::set<std::string> clients_;  ///< that were listened to
};

}  // namespace crawlsieve::consumer
