#include "consumer/service/reporter.h"

#include "consumer/kafka/producer.h"
#include "consumer/observability/logging.h"
#include "consumer/service/brokers/kafka_log.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace crawlsieve::consumer {

void ReportMetrics(const KafkaOptions& kafka, const MetricsOptions& options,
                   const std::string& instance, Metrics& metrics, const std::stop_token& stop) {
  auto producer = Producer::Make(BestEffortProducer(kafka), kafka, LoggingCallbacks("metrics"),
                                 [](const DeliveryReport&) {});
  if (!producer) {
    Log(LogLevel::kError, "metrics.off", {{"error", producer.error().message}});
    return;
  }
  std::mutex mutex;
  std::condition_variable_any wake;
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex);
      wake.wait_for(lock, stop, options.interval, [] { return false; });
    }
    const auto now =
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    const std::string text = metrics.TopicRecord(metrics.CloseWindow(now));
    RecordView record;
    record.topic = options.topic;
    record.key = instance;
    record.value = text;
    if (auto produced = (*producer)->Produce(record, 0); !produced) {
      Log(LogLevel::kDebug, "metrics.lost", {{"error", produced.error().message}});
    }
    (*producer)->Poll(std::chrono::milliseconds(0));
  }
  (void)(*producer)->Flush(std::chrono::milliseconds(1000));
}

}  // namespace crawlsieve::consumer
