#include "consumer/service/brokers/own_scheme.h"

#include "consumer/observability/logging.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "consumer/service/brokers/key_topic.h"
#include "plugin/base/result.h"
#include "plugin/fingerprint/key.h"
#include "plugin/log/log_reader.h"

#include <chrono>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::chrono::milliseconds kTimeout{10'000};

/// The scheme of the log's entries; nullopt while it is empty.
BrokerResult<std::optional<std::string>> SchemeOfLog(const KafkaOptions& kafka) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto is_there, HasTopic(kafka, kafka.log_topic));
  if (!is_there) return std::optional<std::string>();
  auto source = KafkaLogSource::Make(kafka, LoggingCallbacks("start"));
  if (!source) return FinalError(source.error());
  auto first = ReadFirstEntry(LogOf(kafka), **source, kTimeout);
  if (!first) {
    // A log that holds something else is not mended while the process waits.
    const bool is_refusal = first.error().code == ErrorCode::kInvalidConfig;
    return tl::unexpected(is_refusal ? Passing(first.error()) : first.error());
  }
  if (!first->has_value()) return std::optional<std::string>();
  return std::optional(SchemeOfEntry(**first));
}

void LogParser(const KafkaOptions& kafka, const ProcessorOptions& options) {
  if (options.extract.parser != extract::ParserKind::kGumbo) return;
  Log(LogLevel::kInfo, "scheme.parser_gumbo",
      {{"log", kafka.log_topic},
       {"meaning",
        "pages are read by the parser gumbo, by configuration or because this log was begun with "
        "it. A new log, group and state directory take the parser fast, which is much faster"}});
}

}  // namespace

BrokerResult<ProcessorOptions> FindOwnScheme(const KafkaOptions& kafka,
                                             const ProcessorOptions& configured, bool is_judge) {
  auto log_scheme = SchemeOfLog(kafka);
  if (!log_scheme) return tl::unexpected(std::move(log_scheme.error()));
  ProcessorOptions options = configured;
  if (log_scheme->has_value()) options = ToMatch(**log_scheme, std::move(options));
  if (options.fingerprint.version == SchemeVersion::k1) {
    Log(LogLevel::kWarn, "scheme.version_1",
        {{"log", kafka.log_topic},
         {"meaning",
          "this log has fingerprints of version 1: readers of its verdicts can build pages that "
          "collide. A new log, group and state directory have version 2"}});
    return options;
  }
  if (!options.fingerprint.key.empty()) {
    if (IsGuessable(options.fingerprint.key)) {
      Log(LogLevel::kWarn, "scheme.short_key",
          {{"characters", options.fingerprint.key.size()},
           {"meaning",
            "fingerprint.key is short enough to be guessed, and a guess can be checked against the "
            "scheme id in any verdict. Use 32 random characters or more"}});
    }
    LogParser(kafka, options);
    return options;
  }

  auto key = ReadKey(kafka);
  if (!key) return tl::unexpected(std::move(key.error()));
  if (!key->has_value() && log_scheme->has_value()) {
    return FinalError(
        {ErrorCode::kMismatch,
         fmt::format("log {} has entries of scheme {}, and the key of their fingerprints is not in "
                     "topic {} (kafka.key.topic). A new key would make fingerprints that can't be "
                     "compared with them. Put the key back with `crawlsieve key import` or name it "
                     "in fingerprint.key, or begin with a new log topic, group and state directory",
                     kafka.log_topic, **log_scheme, kafka.key_topic)});
  }
  if (!key->has_value() && !is_judge) {
    return MakeBrokerError(
        ErrorClass::kFatal, ErrorCode::kIo,
        fmt::format("no judge has written a key to topic {} (kafka.key.topic) yet",
                    kafka.key_topic));
  }
  if (!key->has_value()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto proposed, ProposeKey(kafka, RandomKey()));
    Log(LogLevel::kInfo, "scheme.new_key",
        {{"topic", kafka.key_topic},
         {"meaning",
          "save it with `crawlsieve key export`: without the key this log can't be continued"}});
    key = std::optional(std::move(proposed));
  } else if (auto kept = CheckKeyTopic(kafka); !kept) {
    return tl::unexpected(std::move(kept.error()));
  }
  options.fingerprint.key = std::move(**key);
  if (log_scheme->has_value()) options = ToMatch(**log_scheme, std::move(options));
  LogParser(kafka, options);
  return options;
}

}  // namespace crawlsieve::consumer
