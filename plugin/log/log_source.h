#pragma once

#include "plugin/base/broker_error.h"
#include "plugin/base/timestamp.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace crawlsieve {

/// A record of the admission log; the view is valid until the next Read of its source.
struct LogRecord {
  std::int64_t offset = 0;
  std::string_view value;
  Timestamp timestamp;
};

/// Where the log begins and ends.
struct LogBounds {
  std::int64_t low = 0;   ///< offset of the oldest record
  std::int64_t high = 0;  ///< the high-water mark: one past the newest record
};

/// Delivers the records of the admission log in order of their offsets.
///
/// A source is free to leave offsets out, as a broker is: LogReader refuses that.
/// Thread-compatible. Errors: kRetriable where nobody answered in time; others end the source.
class LogSource {
 public:
  virtual ~LogSource() = default;

  /// Asks whoever leads the log.
  [[nodiscard]] virtual BrokerResult<LogBounds> Bounds(std::chrono::milliseconds timeout) = 0;

  /// The next Read delivers the record at `offset` first. Drops what was delivered before.
  [[nodiscard]] virtual BrokerStatus Seek(std::int64_t offset) = 0;

  /// The records that have come, `most` at most; waits up to `wait` for the first one. Empty:
  /// there is none yet.
  [[nodiscard]] virtual BrokerResult<std::span<const LogRecord>> Read(
      std::size_t most, std::chrono::milliseconds wait) = 0;

  /// The high-water mark as of the last Read, without asking; nullopt where it isn't known.
  [[nodiscard]] virtual std::optional<std::int64_t> KnownEnd() const = 0;
};

}  // namespace crawlsieve
