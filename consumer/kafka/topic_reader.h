#pragma once

#include "consumer/kafka/consumed_record.h"
#include "consumer/kafka/options.h"
#include "consumer/kafka/record.h"
#include "plugin/base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

class Consumer;
class RecordReader;

/// What of a partition is read.
struct PartitionRange {
  std::int32_t partition = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The records of a topic, as a reader with isolation.level=read_committed sees them, up to the
/// newest one that was there when it was opened. Joins no group and commits nothing.
/// Thread-compatible.
class TopicReader {
 public:
  /// `options` is borrowed. Errors: kIo (no broker, no such topic, no permission).
  [[nodiscard]] static Result<TopicReader> Open(const KafkaClientOptions& options,
                                                std::string topic);
  ~TopicReader();
  TopicReader(TopicReader&&) noexcept;

  [[nodiscard]] const std::string& name() const { return topic_; }
  /// All partitions, in order.
  [[nodiscard]] const std::vector<PartitionRange>& ranges() const { return ranges_; }
  /// No fewer than records: the ends of transactions have offsets, too.
  [[nodiscard]] std::uint64_t offsets() const;

  /// Leaves out what lies before these offsets, by partition.
  void BeginAt(const std::map<std::int32_t, std::int64_t>& begins);

  /// Gives `see` every record that is still there, one partition after the other, each in its
  /// order. Errors: kIo (no record came for a minute), and those of `see`.
  [[nodiscard]] Status ForEach(const std::function<Status(const ConsumedRecord& record)>& see);

  /// The records from `range.begin` on, until they have `bytes` or more, or `range` ends. Empty:
  /// there is none. They must not outlive this. Errors: as ForEach.
  [[nodiscard]] Result<std::vector<ConsumedRecord>> ReadPiece(const PartitionRange& range,
                                                              std::size_t bytes);

  /// The value of the record there; nullopt where it is gone. Errors: kIo.
  [[nodiscard]] Result<std::optional<std::string>> At(std::int32_t partition, std::int64_t offset);

 private:
  enum class Next { kGoOn, kStop };

  TopicReader(const KafkaClientOptions& options, std::string topic);
  [[nodiscard]] Status Read(const PartitionRange& range,
                            const std::function<Result<Next>(ConsumedRecord record)>& take);

  const KafkaClientOptions* options_;
  std::string topic_;
  std::vector<PartitionRange> ranges_;
  std::unique_ptr<Consumer> consumer_;
  std::unique_ptr<RecordReader> reader_;
};

}  // namespace crawlsieve::consumer
