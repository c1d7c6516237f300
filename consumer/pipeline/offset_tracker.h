#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace crawlsieve::consumer {

/// What of one source partition may be committed: the records up to the first one that is not yet
/// acknowledged downstream. Lives as long as the assignment of the partition. Thread-compatible.
class OffsetTracker {
 public:
  /// `start` is the first offset that the assignment delivers; -1 if it isn't known.
  explicit OffsetTracker(std::int64_t start) : previous_(start > 0 ? start - 1 : -1) {}

  /// A record was taken from the partition; it is done after `acknowledgements` of Acknowledge.
  /// Returns the offset of the record before it, -1 if there was none. Offsets must rise.
  std::int64_t Take(std::int64_t offset, int acknowledgements);

  /// Whether a record was taken already (redelivery within the assignment).
  [[nodiscard]] bool IsTaken(std::int64_t offset) const { return offset <= previous_; }

  /// One more thing that became of `offset` is durable. Unknown offsets are ignored.
  void Acknowledge(std::int64_t offset);

  /// `offset` turned out to need one more acknowledgement.
  void Expect(std::int64_t offset);

  /// The offset to commit: one past the last record of the done prefix; nullopt before the first.
  [[nodiscard]] std::optional<std::int64_t> Committable() const;

  /// Records taken and not yet done.
  [[nodiscard]] std::size_t open() const { return open_.size(); }

 private:
  struct Record {
    std::int64_t offset;
    int missing;
  };

  [[nodiscard]] Record* Find(std::int64_t offset);

  std::deque<Record> open_;  ///< by offset; the front one is not done
  std::int64_t previous_;
  std::int64_t done_ = -1;  ///< last record of the done prefix
};

}  // namespace crawlsieve::consumer
