#pragma once

#include "consumer/kafka/client.h"
#include "consumer/kafka/consumer.h"
#include "consumer/kafka/producer.h"
#include "consumer/service/extract/page_worker.h"
#include "consumer/service/options.h"
#include "plugin/base/broker_error.h"
#include "plugin/base/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

namespace crawlsieve::consumer {

/// Writes the entries and dead letters of one extract session.
///
/// The log gets its entries in order and without a hole: each one that is written has all those
/// that were offered before it in front of it. So when one can't be written, or not within the
/// user's `message.timeout.ms`, the writer fails for good, and the session with it. The next
/// session begins at the committed offsets.
/// Thread-compatible.
class EntryWriter {
 public:
  /// The input record that something is written for.
  struct Origin {
    TopicPartition partition;
    Epoch epoch = 0;
    std::int64_t offset = 0;
  };
  /// A record was written to `topic`.
  using WrittenHandler = std::function<void(const Origin&, std::string_view topic)>;

  /// `log` is borrowed. The handler is called inside the other functions and must not call back.
  /// Errors: kInvalidConfig.
  [[nodiscard]] static Result<std::unique_ptr<EntryWriter>> Make(const KafkaOptions& options,
                                                                 const TopicPartition& log,
                                                                 ClientCallbacks callbacks,
                                                                 WrittenHandler on_written);

  /// Hands a record over. Waits where the queue is full, and behind the first entry until it is in
  /// the log: a broker takes the first batch that arrives for a producer's first, whatever its
  /// number, so that another batch could take its place. Where a stop is requested, waits no longer
  /// than `patience`. Errors: those of Check; kRefused: too large; kFatal: the patience ended.
  [[nodiscard]] BrokerStatus Write(const RecordView& record, Origin origin,
                                   const std::stop_token& stop, std::chrono::milliseconds patience);

  /// Serves callbacks. Errors: those of Check.
  [[nodiscard]] BrokerStatus Poll();

  /// Waits until all is written, up to `timeout`, whatever comes of it.
  void Flush(std::chrono::milliseconds timeout);

  /// Records that were handed over and aren't written yet.
  [[nodiscard]] std::size_t outstanding() const { return waiting_.size(); }

  /// The client, for those who poll it while nothing is written.
  [[nodiscard]] Producer& producer() { return *producer_; }

 private:
  using SteadyClock = std::chrono::steady_clock;
  struct Waiting {
    Origin origin;
    SteadyClock::time_point since;
  };

  EntryWriter(const TopicPartition& log, std::chrono::milliseconds timeout,
              WrittenHandler on_written)
      : log_(log), timeout_(timeout), on_written_(std::move(on_written)) {}

  void OnDelivery(const DeliveryReport& report);
  /// Errors: a record couldn't be written, or waits for too long; the client is of no more use.
  [[nodiscard]] BrokerStatus Check() const;
  [[nodiscard]] BrokerStatus PollUntil(const std::function<bool()>& is_done,
                                       const std::stop_token& stop,
                                       std::chrono::milliseconds patience);

  const TopicPartition& log_;
  const std::chrono::milliseconds timeout_;  ///< of a record; 0: none
  const WrittenHandler on_written_;
  std::map<std::uint64_t, Waiting> waiting_;  ///< by token: the oldest first
  std::uint64_t last_token_ = 0;
  bool has_begun_ = false;  ///< the first entry is in the log
  std::optional<BrokerError> failure_;
  std::unique_ptr<Producer> producer_;  // last: its reports come until it is gone
};

}  // namespace crawlsieve::consumer
