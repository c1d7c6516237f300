#include "consumer/service/brokers/kafka_log.h"

#include "consumer/kafka/error.h"
#include "consumer/observability/logging.h"

#include <utility>

namespace crawlsieve::consumer {
namespace {

LogLevel ToLevel(KafkaLogLevel level) {
  switch (level) {
    case KafkaLogLevel::kError:
      return LogLevel::kError;
    case KafkaLogLevel::kWarning:
      return LogLevel::kWarn;
    case KafkaLogLevel::kInfo:
      return LogLevel::kInfo;
    case KafkaLogLevel::kDebug:
      return LogLevel::kDebug;
  }
  return LogLevel::kInfo;
}

}  // namespace

ClientCallbacks LoggingCallbacks(std::string stage) {
  ClientCallbacks callbacks;
  callbacks.log = [stage](KafkaLogLevel level, std::string_view line) {
    // librdkafka warns of every producer at its start that the property is "experimental". It is
    // needed: a gap in the log would be a lost record.
    const bool is_known = line.find("enable.gapless.guarantee") != std::string_view::npos &&
                          line.find("CONFWARN") != std::string_view::npos;
    const LogLevel told = is_known ? LogLevel::kDebug : ToLevel(level);
    if (told < LogLevel::kWarn) {
      Log(told, "kafka.client", {{"stage", stage}, {"message", line}});
    } else {
      LogRepeating(told, "kafka.client", stage, line, {{"stage", stage}, {"message", line}});
    }
  };
  callbacks.error = [stage](const BrokerError& error) {
    LogRepeating(LogLevel::kWarn, "kafka.error", stage, error.message,
                 {{"stage", stage}, {"code", KafkaErrorName(error)}, {"message", error.message}});
  };
  return callbacks;
}

}  // namespace crawlsieve::consumer
