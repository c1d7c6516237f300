#pragma once

#include "plugin/log/entries.h"
#include "plugin/log/entry.pb.h"
#include "plugin/log/log_source.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// What a deployment knows of its admission log.
struct LogDescription {
  std::string topic;                  ///< its name in messages
  std::vector<SkippedEntry> skipped;  ///< records that are passed over
};

/// One record of the log as whoever folds it needs it. Views are valid until the next Fetch.
struct LogItem {
  std::int64_t offset = 0;
  std::string_view value;
  Timestamp timestamp;
  const log::Entry* entry = nullptr;  ///< empty where the bytes are not an entry
  bool is_skipped = false;            ///< `kafka.log.skip` names this offset
};

/// The only reader of the admission log: for the judge, for a replay, for the first look of a
/// process at its log.
///
///     what comes                        what the reader does
///     the offset that follows           hands the record out
///     another offset                    fails: kFatal at first, since other clients may see what
///                                       these left out, kRefused the second time
///     another offset, and those        hands out an item without bytes for each of these, marked
///       between are named to be
///       passed over
///     a record that is named to be      hands it out, marked
///       passed over
///     bytes that are not an entry       hands it out without entry; whoever has to fold it asks
///                                       NotAnEntry for the message
///     an entry of another scheme        hands it out; the fold refuses it, and Refused adds which
///                                       entry it is and what to do
///
/// Thread-compatible. Borrows everything it is given.
class LogReader {
 public:
  /// `seen_gap` is where a reader before this one found an offset missing. The caller keeps it from
  /// one reader to the next.
  LogReader(const LogDescription& log, LogSource& source, std::optional<std::int64_t>& seen_gap)
      : log_(log), source_(source), seen_gap_(seen_gap) {}

  /// Goes to `offset`, which must be the next one that comes. Errors: as LogSource::Seek.
  [[nodiscard]] BrokerStatus Begin(std::int64_t offset);

  /// Takes the records that have come, `most` at most, in place of those that were fetched before.
  /// Errors: as LogSource::Read, less kRetriable, which is as if nothing had come.
  [[nodiscard]] BrokerStatus Fetch(std::size_t most, std::chrono::milliseconds wait);

  /// What was fetched, to be read ahead for.
  [[nodiscard]] std::span<const log::Entry> fetched() const {
    return std::span(entries_).first(items_.size());
  }

  /// The next of what was fetched; nullopt where there is no more. Errors: kCorruption, where an
  /// offset is missing.
  [[nodiscard]] BrokerResult<std::optional<LogItem>> Take();

  /// Offset of the record that Take hands out next.
  [[nodiscard]] std::int64_t next() const { return next_; }

  [[nodiscard]] LogSource& source() { return source_; }

 private:
  const LogDescription& log_;
  LogSource& source_;
  std::optional<std::int64_t>& seen_gap_;
  std::int64_t next_ = 0;
  std::vector<log::Entry> entries_;  ///< reused, so there may be more of them than items
  std::vector<LogItem> items_;
  std::size_t taken_ = 0;  ///< of items_
};

/// The refusal of an item without an entry. `where`: "holds", "begins with".
[[nodiscard]] tl::unexpected<BrokerError> NotAnEntry(const LogDescription& log, const LogItem& item,
                                                     std::string_view where = "holds");

/// The refusal of an item that could not be folded because of `error`.
[[nodiscard]] tl::unexpected<BrokerError> Refused(const LogDescription& log, const LogItem& item,
                                                  Error error);

/// Reads the first entry of the log that isn't passed over; nullopt while the log has none.
/// Errors: kRefused (kInvalidInput: not an entry; kMismatch: the log had entries and has none any
/// more), kRetriable where the entry did not come within `timeout`, and as LogSource.
[[nodiscard]] BrokerResult<std::optional<log::Entry>> ReadFirstEntry(
    const LogDescription& log, LogSource& source, std::chrono::milliseconds timeout);

}  // namespace crawlsieve
