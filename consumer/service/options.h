#pragma once

#include "consumer/input/formats/input_format.h"
#include "consumer/kafka/options.h"
#include "consumer/output/dead_letter_headers.h"
#include "consumer/process_options.h"
#include "plugin/log/skipped_entry.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

// Options of the service and its two stages.

enum class Delivery {
  kExactlyOnce,  ///< verdicts and log offset commit in one Kafka transaction
  kAtLeastOnce,  ///< lower latency; a crash may repeat verdicts, never lose one
};

using crawlsieve::SkippedEntry;

/// The index in slots, which processes of role `index` hold (docs/slots.md).
struct SlotOptions {
  std::uint32_t count = 0;  ///< 0: the judge holds the whole index
  std::uint32_t stripe_bits =
      16;  ///< so many documents in a row, as a power of two, are one slot's
  /// Of processes that hold the same slots once more; empty: of those that hold them first.
  std::string replica_group;
  std::string changes_topic = "crawl.changes";
  std::string candidates_topic = "crawl.candidates";

  [[nodiscard]] bool is_used() const { return count > 0; }
};

/// A topic for scores as a frontier takes them.
struct RenderedTopic {
  std::string format;  ///< the name of a ScoreFormat
  std::string topic;

  friend bool operator==(const RenderedTopic&, const RenderedTopic&) = default;
};

/// What is read from Kafka and written to it, and how.
struct KafkaOptions : KafkaClientOptions {
  std::vector<std::string> input_topics = {"crawl.pages"};
  FormatKind input_format = FormatKind::kCanonical;
  /// For URLs whose scores are asked for; empty: none. The answers go to score_topic.
  std::string asked_topic;
  /// Raised when an input topic was recreated or is to be judged anew.
  std::uint32_t input_generation = 1;
  std::vector<SkippedEntry> log_skip;
  /// Go on where the log or the verdicts can lose what was acknowledged (TopicDurabilityProblem).
  bool accept_weak_durability = false;
  std::string verdict_topic = "crawl.verdicts";
  /// For the scores of URLs; empty: they are not published as they are.
  std::string score_topic;
  /// For the same scores in formats of frontiers.
  std::vector<RenderedTopic> rendered_topics;
  /// For the page records of verdicts that say keep; empty: they are not read again.
  std::string kept_topic;
  /// For what is learned of sites; empty: it is not published.
  std::string site_topic;
  SlotOptions slots;
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
};

/// Whether anybody takes the scores of URLs: otherwise none are made.
[[nodiscard]] inline bool TakesScores(const KafkaOptions& options) {
  return !options.score_topic.empty() || !options.rendered_topics.empty();
}

/// The topics that extract processes read.
[[nodiscard]] inline std::vector<std::string> TopicsRead(const KafkaOptions& options) {
  std::vector<std::string> topics = options.input_topics;
  if (!options.asked_topic.empty()) topics.push_back(options.asked_topic);
  return topics;
}

struct ExtractStageOptions {
  std::uint32_t threads = 0;                   ///< 0: one for each core
  std::size_t max_in_flight_bytes = 64 << 20;  ///< of records being worked on
  std::uint32_t max_in_flight_records = 10'000;
  std::size_t repeat_cache_bytes = 32 << 20;  ///< see RepeatCache
  std::uint32_t max_links = 0;                ///< of a page, in its entry
};

/// Checkpoints of the state that the judge makes while it runs, and starts from.
struct ServiceCheckpoints {
  std::string directory;  ///< the repository; empty: none are made, and no lost state is restored
  std::chrono::milliseconds interval{std::chrono::hours(6)};
  std::uint32_t keep = 3;
  std::string upload = {};  ///< program to run for each new file; empty: none
  std::chrono::milliseconds upload_timeout{std::chrono::hours(1)};  ///< for each file
};

struct ServiceOptions {
  std::vector<Role> roles = {Role::kExtract, Role::kJudge};
  std::string instance;  ///< empty: host name and process id
  std::string state_directory = "/var/lib/crawlsieve";
  std::size_t state_cache_bytes = 256 << 20;   ///< of what was read of the state
  std::size_t state_buffer_bytes = 128 << 20;  ///< of its changes that are in no file yet
  /// Log entries from one restart snapshot of the index to the next; 0: none.
  std::uint64_t snapshot_entries = 1'000'000;
  ServiceCheckpoints checkpoints;
  std::chrono::milliseconds shutdown_timeout{30'000};  ///< finish, commit and leave within this
};

}  // namespace crawlsieve::consumer
