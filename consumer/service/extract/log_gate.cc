#include "consumer/service/extract/log_gate.h"

#include "consumer/observability/logging.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "plugin/log/log_reader.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAnswerTimeout{10'000};
constexpr milliseconds kPause{200};  ///< between two looks at the log

}  // namespace

LogGate::LogGate(const KafkaOptions& kafka, std::string scheme)
    : kafka_(kafka), log_(LogPartition(kafka)), scheme_(std::move(scheme)) {}

BrokerStatus LogGate::Check(milliseconds timeout) const {
  auto source = KafkaLogSource::Make(kafka_, LoggingCallbacks("extract"));
  if (!source) return MakeBrokerError(ErrorClass::kRefused, std::move(source.error().message));
  auto first = ReadFirstEntry(LogOf(kafka_), **source, timeout);
  if (!first) {
    return MakeBrokerError(first.error().may_pass() ? ErrorClass::kRetriable : ErrorClass::kRefused,
                           std::move(first.error().message));
  }
  if (!first->has_value()) {
    return MakeBrokerError(ErrorClass::kRetriable,
                           fmt::format("log {} has no entry yet", log_.topic));
  }
  const std::string& scheme = SchemeOfEntry(**first);
  if (scheme == scheme_) return {};
  return MakeBrokerError(
      ErrorClass::kRefused,
      fmt::format("log {} is of scheme {}, this configuration makes scheme {}: give all "
                  "processes the same fingerprint and extract settings, or use another "
                  "kafka.log.topic",
                  log_.topic, scheme, scheme_));
}

BrokerResult<bool> LogGate::Wait(const std::stop_token& stop, Consumer& consumer,
                                 Producer& producer, BrokerContact& contact) const {
  std::string_view logged;
  // Nothing is subscribed yet, so polling the producer only waits.
  for (; !stop.stop_requested(); producer.Poll(kPause)) {
    contact.Round();
    const auto watermarks = consumer.QueryWatermarks(log_, kAnswerTimeout);
    watermarks.has_value() ? contact.Answered() : contact.Failed();
    if (!watermarks && watermarks.error().error_class != ErrorClass::kRetriable) {
      return tl::unexpected(watermarks.error());
    }
    if (watermarks.has_value() && watermarks->high > 0) {
      auto ours = Check(kAnswerTimeout);
      if (ours) return true;
      if (ours.error().error_class != ErrorClass::kRetriable) {
        return tl::unexpected(ours.error());
      }
      Log(LogLevel::kWarn, "extract.waiting",
          {{"for", "the first entry of the admission log"},
           {"log", log_.topic},
           {"error", ours.error().message}});
      continue;
    }
    const std::string_view awaited = watermarks
                                         ? "a judge to write its parameters into the admission log"
                                         : "a broker that leads the admission log";
    if (std::exchange(logged, awaited) != awaited) {
      Log(LogLevel::kInfo, "extract.waiting",
          {{"for", awaited},
           {"log", log_.topic},
           {"error", watermarks ? "none" : watermarks.error().message}});
    }
  }
  return false;
}

}  // namespace crawlsieve::consumer
