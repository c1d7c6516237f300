#pragma once

#include "config/config.h"
#include "consumer/kafka/consumed_record.h"
#include "plugin/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

class Consumer;
class RecordReader;

/// What of a partition was there when its topic was opened.
struct VerdictRange {
  std::int32_t partition = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The records of `kafka.verdicts.topic`, as a reader with isolation.level=read_committed sees
/// them, up to the newest one that was there when it was opened. Joins no group and commits
/// nothing. Thread-compatible.
class VerdictTopic {
 public:
  /// `kafka` is borrowed. Errors: kIo (no broker, no such topic, no permission).
  [[nodiscard]] static Result<VerdictTopic> Open(const KafkaOptions& kafka);
  ~VerdictTopic();
  VerdictTopic(VerdictTopic&&) noexcept;

  [[nodiscard]] const std::string& name() const;
  /// No fewer than records: the ends of transactions have offsets, too.
  [[nodiscard]] std::uint64_t offsets() const;

  /// Gives `see` every record, one partition after the other, each in its order. Errors: kIo (no
  /// record came for a minute), and those of `see`.
  [[nodiscard]] Status ForEach(const std::function<Status(const ConsumedRecord& record)>& see);

  /// The value of the record there; nullopt where it is gone. Errors: kIo.
  [[nodiscard]] Result<std::optional<std::string>> At(std::int32_t partition, std::int64_t offset);

 private:
  explicit VerdictTopic(const KafkaOptions& kafka);
  [[nodiscard]] Status ForEachOf(const VerdictRange& range,
                                 const std::function<Status(const ConsumedRecord& record)>& see);

  const KafkaOptions* kafka_;
  std::vector<VerdictRange> ranges_;
  std::unique_ptr<Consumer> consumer_;
  std::unique_ptr<RecordReader> reader_;
};

}  // namespace crawlsieve::consumer
