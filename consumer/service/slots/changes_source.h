#pragma once

#include "plugin/base/broker_error.h"
#include "plugin/slots/changes_record.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace crawlsieve::consumer {

/// The topic of changes: what judges committed, and nothing of what they gave up.
/// Thread-compatible.
class ChangesSource {
 public:
  virtual ~ChangesSource() = default;

  /// Goes to a place in the topic behind which all records are that tell of entry `offset` of the
  /// log, or of later ones; not far before the first of them. Errors: as Consumer.
  [[nodiscard]] virtual BrokerStatus Seek(std::int64_t offset) = 0;

  /// The records that have come, `most` at most; waits up to `wait` for the first. Errors: as
  /// Consumer::Poll, less kRetriable; kRefused for one that is no record of changes.
  [[nodiscard]] virtual BrokerResult<std::vector<ChangesRecord>> Read(
      std::size_t most, std::chrono::milliseconds wait) = 0;

  /// Whether a broker has said, since Seek and behind what was read last, that this is all. Nothing
  /// coming is no answer.
  [[nodiscard]] virtual bool is_at_end() const = 0;
};

}  // namespace crawlsieve::consumer
