#include "consumer/input/file_reader.h"
#include "consumer/kafka/admin.h"
#include "consumer/kafka/producer.h"
#include "consumer/kafka/topics.h"
#include "consumer/observability/logging.h"
#include "consumer/observability/printable.h"
#include "consumer/service/brokers/kafka_log.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/progress.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAdminTimeout{15'000};
constexpr milliseconds kFlushTimeout{60'000};

/// Publishes records to one topic and counts acknowledged and refused ones.
class Feeder {
 public:
  Feeder(std::string topic, FormatKind topic_format)
      : topic_(std::move(topic)), topic_format_(topic_format) {}

  Status Open(const KafkaOptions& options) {
    auto producer = Producer::Make(IdempotentProducer(options), options, LoggingCallbacks("feed"),
                                   [this](const DeliveryReport& report) {
                                     if (!report.error.has_value()) {
                                       ++published_;
                                     } else if (!failure_.has_value()) {
                                       failure_ = report.error;
                                     }
                                   });
    if (!producer) return tl::unexpected(producer.error());
    producer_ = std::move(*producer);
    return {};
  }

  Status Publish(const FileRecord& file_record) {
    const InputRecord& input = file_record.record;
    RecordView record;
    record.topic = topic_;
    if (input.key.has_value()) record.key = *input.key;
    if (input.value.has_value()) record.value = *input.value;
    bool has_time = false;
    for (const Header& header : input.headers) {
      record.headers.push_back({header.name, header.value});
      has_time = has_time || header.name == kFetchTimeHeader;
    }
    // Kafka deletes by a record's time, so an old page keeps its time in a header.
    const std::string time = FormatRfc3339(input.timestamp);
    if (!has_time) record.headers.push_back({kFetchTimeHeader, time});
    if (file_record.format != topic_format_) {
      record.headers.push_back({kFormatHeader, FormatName(file_record.format)});
    }
    while (true) {
      producer_->Poll(milliseconds(0));
      if (failure_.has_value()) return tl::unexpected(*failure_);
      auto produced = producer_->Produce(record, 0);
      if (produced) break;
      if (produced.error().error_class == ErrorClass::kRefused) {
        ++refused_;
        fmt::print(stderr, "not published: {}: {}\n", Printable(file_record.origin),
                   Printable(produced.error().message));
        return {};
      }
      if (produced.error().error_class != ErrorClass::kBusy) {
        return tl::unexpected(produced.error());
      }
      producer_->Poll(milliseconds(100));
    }
    bytes_ += input.value.has_value() ? input.value->size() : 0;
    return {};
  }

  Status Finish() {
    const auto flushed = producer_->Flush(kFlushTimeout);
    if (failure_.has_value()) return tl::unexpected(*failure_);
    if (!flushed) return tl::unexpected(flushed.error());
    return {};
  }

  [[nodiscard]] std::uint64_t published() const { return published_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  const std::string topic_;
  const FormatKind topic_format_;
  std::uint64_t published_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t bytes_ = 0;
  std::optional<BrokerError> failure_;
  std::unique_ptr<Producer> producer_;
};

Status FeedAll(FileReader& reader, Feeder& feeder) {
  Progress progress("feed");
  const auto tell_warnings = [&] {
    const std::vector<std::string> warnings = reader.TakeWarnings();
    if (warnings.empty()) return;
    progress.Clear();
    PrintWarnings(warnings);
  };
  FileRecord record;
  while (true) {
    const auto has_record = reader.Next(record);
    tell_warnings();
    if (!has_record) return tl::unexpected(has_record.error());
    if (!*has_record) break;
    CRAWLSIEVE_RETURN_IF_ERROR(feeder.Publish(record));
    if (progress.IsDue()) {
      progress.Show(reader.bytes_read(), reader.bytes_total(),
                    fmt::format("{} records published", feeder.published()));
    }
  }
  progress.Clear();
  return feeder.Finish();
}

}  // namespace

int FeedCommand(const FeedArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  LogOptions log = config->log;
  log.level = "error";
  ConfigureLogging(log);
  auto reader = FileReader::Open(arguments.paths, FileOptionsOf(*config, arguments.format));
  if (!reader) return PrintError(reader.error());

  const std::string topic =
      arguments.topic.empty() ? config->kafka.input_topics.front() : arguments.topic;
  auto admin = Admin::Make(config->kafka, LoggingCallbacks("feed"));
  if (!admin) return PrintError(admin.error());
  auto ensured = EnsureTopic(**admin, config->kafka, topic, arguments.partitions, kAdminTimeout);
  if (!ensured) return PrintError(ensured.error(), kExitFailed);

  Feeder feeder(topic, config->kafka.input_format);
  if (auto opened = feeder.Open(config->kafka); !opened) return PrintError(opened.error());
  const Status fed = FeedAll(**reader, feeder);
  const FileReaderCounts& counts = (*reader)->counts();
  if (arguments.json) {
    nlohmann::ordered_json json;
    json["schema_version"] = 1;
    json["topic"] = topic;
    json["published"] = feeder.published();
    json["refused"] = feeder.refused();
    json["bytes"] = feeder.bytes();
    json["files"] = counts.files;
    json["damaged_files"] = counts.damaged_files;
    json["lost_stretches"] = counts.lost_stretches;
    json["revisits"] = counts.revisits;
    json["set_aside"] = counts.set_aside.empty() ? nlohmann::ordered_json::object()
                                                 : nlohmann::ordered_json(counts.set_aside);
    std::puts(json.dump(2).c_str());
  } else {
    fmt::print("{} records ({:.1f} MB) of {} file{} published to topic {}\n", feeder.published(),
               static_cast<double>(feeder.bytes()) / 1e6, counts.files,
               counts.files == 1 ? "" : "s", topic);
  }
  if (!fed) return PrintError(fed.error(), kExitFailed);
  if (feeder.refused() > 0) return kExitFailed;
  return counts.damaged_files > 0 ? kExitIncomplete : kExitDone;
}

}  // namespace crawlsieve::consumer
