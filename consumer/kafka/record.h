#pragma once

#include "plugin/base/timestamp.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

struct TopicPartition {
  std::string topic;
  std::int32_t partition = 0;

  friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

/// A place in a partition. As something to commit: the next record to read, not the last one read.
struct PartitionOffset {
  TopicPartition partition;
  std::int64_t offset = 0;
  std::string metadata{};  ///< what is committed with it for the group's next owner; may be empty

  friend bool operator==(const PartitionOffset&, const PartitionOffset&) = default;
};

/// Where reading starts when there is no offset to name.
inline constexpr std::int64_t kOffsetBeginning = -2;
inline constexpr std::int64_t kOffsetEnd = -1;

/// A header of a record that lies in somebody else's memory. Kafka tells a null value from an empty
/// one.
struct HeaderView {
  std::string_view name;
  std::optional<std::string_view> value;

  friend bool operator==(const HeaderView&, const HeaderView&) = default;
};

/// A record to be written; views, copied by Producer::Produce.
struct RecordView {
  std::string_view topic;
  std::optional<std::int32_t> partition;  ///< nullopt: chosen by the key
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::vector<HeaderView> headers;
  std::optional<Timestamp> timestamp;  ///< nullopt: now

  /// No less than it takes in a batch of its own that isn't compressed.
  [[nodiscard]] std::size_t WireBytes() const {
    constexpr std::size_t kBatchBytes = 192;
    constexpr std::size_t kLengthBytes = 10;  // two variable-length integers
    std::size_t bytes = kBatchBytes + key.value_or("").size() + value.value_or("").size();
    for (const HeaderView& header : headers) {
      bytes += header.name.size() + header.value.value_or("").size() + kLengthBytes;
    }
    return bytes;
  }
};

}  // namespace crawlsieve::consumer
