// The plainest consumer there can be: reads a topic with librdkafka and counts. What a consumer of
// pages can reach at most, for script/bench pages.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <sys/resource.h>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 100;
constexpr int kPatienceSeconds = 300;
constexpr std::size_t kBatch = 1000;

struct Destroy {
  void operator()(rd_kafka_t* client) const { rd_kafka_destroy(client); }
  void operator()(rd_kafka_topic_t* topic) const { rd_kafka_topic_destroy(topic); }
  void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
};

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Counts {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  /// Of those that came behind the first batch, from its end on: connecting isn't reading.
  std::uint64_t timed_bytes = 0;
  double seconds = 0;
};

/// Reads all partitions from their begin until there were `records` of them; false: they don't
/// come.
bool Read(rd_kafka_queue_t* queue, std::uint64_t records, Counts& counts) {
  std::vector<rd_kafka_message_t*> messages(kBatch);
  const auto deadline = Clock::now() + std::chrono::seconds(kPatienceSeconds);
  Clock::time_point begin;
  while (counts.records < records) {
    if (Clock::now() > deadline) return false;
    const bool first = counts.records == 0;
    const auto count =
        rd_kafka_consume_batch_queue(queue, kPollMs, messages.data(), messages.size());
    for (decltype(+count) i = 0; i < count; ++i) {
      if (messages[i]->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        ++counts.records;
        counts.bytes += messages[i]->len;
        if (!first) counts.timed_bytes += messages[i]->len;
      }
      rd_kafka_message_destroy(messages[i]);
    }
    if (first && counts.records > 0) begin = Clock::now();
  }
  counts.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return true;
}

int Main(int argc, char** argv) {
  CLI::App app("Reads a topic with librdkafka and counts.");
  std::string brokers;
  std::string topic_name;
  std::int32_t partitions = 1;
  std::uint64_t records = 0;
  app.add_option("brokers", brokers)->required();
  app.add_option("topic", topic_name)->required();
  app.add_option("partitions", partitions)->required();
  app.add_option("records", records, "how many to read")->required();
  CLI11_PARSE(app, argc, argv);

  std::string problem(512, '\0');
  rd_kafka_conf_t* const config = rd_kafka_conf_new();
  rd_kafka_conf_set(config, "bootstrap.servers", brokers.c_str(), problem.data(), problem.size());
  const std::unique_ptr<rd_kafka_t, Destroy> client(
      rd_kafka_new(RD_KAFKA_CONSUMER, config, problem.data(), problem.size()));
  if (client == nullptr) {
    fmt::print(stderr, "plain_consumer: {}\n", problem.c_str());
    return 1;
  }
  const std::unique_ptr<rd_kafka_topic_t, Destroy> topic(
      rd_kafka_topic_new(client.get(), topic_name.c_str(), nullptr));
  const std::unique_ptr<rd_kafka_queue_t, Destroy> queue(rd_kafka_queue_new(client.get()));
  for (std::int32_t partition = 0; partition < partitions; ++partition) {
    rd_kafka_consume_start_queue(topic.get(), partition, RD_KAFKA_OFFSET_BEGINNING, queue.get());
  }
  Counts counts;
  const bool read = Read(queue.get(), records, counts);
  for (std::int32_t partition = 0; partition < partitions; ++partition) {
    rd_kafka_consume_stop(topic.get(), partition);
  }
  if (!read) {
    fmt::print(stderr, "plain_consumer: {} of {} records in {} s\n", counts.records, records,
               kPatienceSeconds);
    return 1;
  }
  fmt::print(
      R"({{"records": {}, "bytes": {}, "timed_bytes": {}, "seconds": {}, "cpu_seconds": {}}})"
      "\n",
      counts.records, counts.bytes, counts.timed_bytes, counts.seconds, CpuSeconds());
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return Main(argc, argv); }
