#pragma once

#include "consumer/formats/input_format.h"
#include "plugin/log/skipped_entry.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

enum class Role { kExtract, kJudge };

enum class Delivery {
  kExactlyOnce,  ///< verdicts and log offset commit in one Kafka transaction
  kAtLeastOnce,  ///< lower latency; a crash may repeat verdicts, never lose one
};

enum class DeadLetterHeaders { kCrawlsieve, kConnect };

using ClientProperties = std::map<std::string, std::string>;

using crawlsieve::SkippedEntry;

struct KafkaOptions {
  std::string bootstrap_servers = "localhost:9092";
  /// Consumer groups are `<group>.extract` and `<group>.judge`, the transactional id
  /// `<group>.judge`.
  std::string group = "crawlsieve";
  std::vector<std::string> input_topics = {"crawl.pages"};
  FormatKind input_format = FormatKind::kCanonical;
  /// Raised when an input topic was recreated or is to be judged anew.
  std::uint32_t input_generation = 1;
  std::string log_topic = "crawl.fingerprints";
  std::vector<SkippedEntry> log_skip;
  /// Go on where the log or the verdicts can lose what was acknowledged (TopicDurabilityProblem).
  bool accept_weak_durability = false;
  /// Replicas of topics that are made here; 0: three, or as many as there are brokers.
  std::uint32_t topic_replication = 0;
  std::string verdict_topic = "crawl.verdicts";
  /// Holds the key of the fingerprints where the configuration has none.
  std::string key_topic = "crawl.key";
  /// A record without a URL goes to `<its topic><suffix>`.
  std::string dead_letter_suffix = ".dlq";
  DeadLetterHeaders dead_letter_headers = DeadLetterHeaders::kCrawlsieve;
  /// Whether verdicts carry all headers of the input record, not only the trace context.
  bool pass_headers = false;
  Delivery delivery = Delivery::kExactlyOnce;
  /// A transaction closes after this time or this many entries, whichever comes first.
  std::chrono::milliseconds commit_interval{200};
  std::uint32_t commit_entries = 2000;
  /// Size of the largest record that is read; the ones that are written may exceed it by what
  /// dead letters add in headers. Sets every size limit of the clients and of the topics that are
  /// created; input topics should not allow more (`max.message.bytes`).
  std::size_t max_message_bytes = 32 << 20;
  /// Any property of librdkafka, handed through: for all clients, for consumers, for producers.
  ClientProperties client;
  ClientProperties consumer;
  ClientProperties producer;
};

struct ExtractStageOptions {
  std::uint32_t threads = 0;                   ///< 0: one for each core
  std::size_t max_in_flight_bytes = 64 << 20;  ///< of records being worked on
  std::uint32_t max_in_flight_records = 10'000;
  std::size_t repeat_cache_bytes = 32 << 20;  ///< see RepeatCache
};

struct ServiceOptions {
  std::vector<Role> roles = {Role::kExtract, Role::kJudge};
  std::string instance;  ///< empty: host name and process id
  std::string state_directory = "/var/lib/crawlsieve";
  std::size_t state_cache_bytes = 256 << 20;   ///< of what was read of the state
  std::size_t state_buffer_bytes = 128 << 20;  ///< of its changes that are in no file yet
  /// Log entries from one restart snapshot of the index to the next; 0: none.
  std::uint64_t snapshot_entries = 1'000'000;
  std::chrono::milliseconds shutdown_timeout{30'000};  ///< finish, commit and leave within this
};

struct MetricsOptions {
  std::string topic = "crawl.metrics";  ///< empty: none
  std::chrono::milliseconds interval{10'000};
};

struct HttpOptions {
  bool enabled = true;
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any free one, named in the log
};

enum class LogFormat { kText, kJson };

struct LogOptions {
  std::string level = "info";  ///< trace, debug, info, warn, error
  LogFormat format = LogFormat::kText;
};

}  // namespace crawlsieve::consumer
