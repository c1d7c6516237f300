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
  /// A record was taken from the partition; it is done after `acknowledgements` of Acknowledge.
  /// Returns the offset of the record taken before it, -1 for the first of the assignment: what
  /// lies before that was committed, so it is in the log already or was skipped on purpose. Offsets
  /// must rise.
  std::int64_t Take(std::int64_t offset, int acknowledgements);

  /// Forgets the records from `offset` on, which will be taken again. `previous` is what Take
  /// returned for `offset`, which must not be done.
  void Rewind(std::int64_t offset, std::int64_t previous);

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
  std::int64_t previous_ = -1;
  std::int64_t done_ = -1;  ///< last record of the done prefix
};

}  // namespace crawlsieve::consumer
