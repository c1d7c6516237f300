#include "consumer/service/extract/entry_writer.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPollTime{50};

tl::unexpected<BrokerError> TooLate(std::string message) {
  return MakeBrokerError(ErrorClass::kFatal, std::move(message));
}

}  // namespace

Result<std::unique_ptr<EntryWriter>> EntryWriter::Make(const KafkaOptions& options,
                                                       const TopicPartition& log,
                                                       ClientCallbacks callbacks,
                                                       WrittenHandler on_written) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto timeout, LogDeliveryTimeout(options));
  std::unique_ptr<EntryWriter> writer(new EntryWriter(log, timeout, std::move(on_written)));
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      writer->producer_, Producer::Make(IdempotentProducer(options), options, std::move(callbacks),
                                        [self = writer.get()](const DeliveryReport& report) {
                                          self->OnDelivery(report);
                                        }));
  return writer;
}

BrokerStatus EntryWriter::Write(const RecordView& record, Origin origin,
                                const std::stop_token& stop, milliseconds patience) {
  const std::uint64_t token = ++last_token_;
  waiting_.emplace(token, Waiting{std::move(origin), SteadyClock::now()});
  BrokerStatus produced;
  const auto is_taken = [&] {
    produced = producer_->Produce(record, token);
    return produced || produced.error().error_class != ErrorClass::kBusy;
  };
  CRAWLSIEVE_RETURN_IF_ERROR(PollUntil(is_taken, stop, patience));
  if (!produced || has_begun_ || record.topic != log_.topic) return produced;
  return PollUntil([this] { return has_begun_; }, stop, patience);
}

BrokerStatus EntryWriter::Poll() {
  producer_->Poll(milliseconds(0));
  return Check();
}

void EntryWriter::Flush(milliseconds timeout) { (void)producer_->Flush(timeout); }

BrokerStatus EntryWriter::PollUntil(const std::function<bool()>& is_done,
                                    const std::stop_token& stop, milliseconds patience) {
  const auto begin = SteadyClock::now();
  while (!is_done()) {
    producer_->Poll(kPollTime);
    CRAWLSIEVE_RETURN_IF_ERROR(Check());
    if (stop.stop_requested() && SteadyClock::now() - begin > patience) {
      return TooLate(fmt::format("stopping, and {} takes no more entries", log_.topic));
    }
  }
  return {};
}

BrokerStatus EntryWriter::Check() const {
  if (failure_.has_value()) return tl::unexpected(*failure_);
  if (auto fatal = producer_->FatalError()) return tl::unexpected(*std::move(fatal));
  if (waiting_.empty() || timeout_ == milliseconds(0)) return {};
  if (SteadyClock::now() - waiting_.begin()->second.since <= timeout_) return {};
  return TooLate(fmt::format("writing to {}: not done within message.timeout.ms, {} ms", log_.topic,
                             timeout_.count()));
}

void EntryWriter::OnDelivery(const DeliveryReport& report) {
  const auto found = waiting_.find(report.token);
  if (found == waiting_.end()) return;
  const Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  if (report.error.has_value()) {
    if (!failure_.has_value()) failure_ = report.error;
    return;
  }
  has_begun_ |= report.topic == log_.topic;
  on_written_(waiting.origin, report.topic);
}

}  // namespace crawlsieve::consumer
