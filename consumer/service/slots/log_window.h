#pragma once

#include "consumer/service/options.h"
#include "plugin/base/broker_error.h"
#include "plugin/log/entry.pb.h"
#include "plugin/log/log_reader.h"
#include "plugin/log/log_source.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace crawlsieve::consumer {

/// The entries of the log that slots may have to answer, in memory: behind what the changes have
/// come to, and ahead of it as far as slots answer. Thread-compatible.
class LogWindow {
 public:
  /// Borrows everything; `seen_gap`: see LogReader.
  LogWindow(const LogDescription& log, LogSource& source, std::optional<std::int64_t>& seen_gap)
      : source_(source), reader_(log, source, seen_gap) {}

  /// Entries before `offset` are no longer needed, those from there on are. Errors: kFatal, where
  /// the log begins later; as LogReader::Begin.
  [[nodiscard]] BrokerStatus KeepFrom(std::int64_t offset);

  /// The source was used for something else: the next KeepFrom begins anew.
  void Forget() { is_begun_ = false; }

  /// Takes what has come of the log up to `last`; waits up to `wait` for the first. Whether
  /// anything has. Errors: as LogReader.
  [[nodiscard]] BrokerResult<bool> Fetch(std::int64_t last, std::chrono::milliseconds wait);

  /// The entries from `offset` on, `most` at most; empty where it hasn't come. They point into
  /// this, and are valid until the next KeepFrom.
  void ItemsFrom(std::int64_t offset, std::size_t most, std::vector<LogItem>& items) const;

  /// Offset of the entry that is fetched next.
  [[nodiscard]] std::int64_t end() const {
    return first_ + static_cast<std::int64_t>(entries_.size());
  }
  /// Of the log, as far as it is known.
  [[nodiscard]] std::optional<std::int64_t> log_end() const { return source_.KnownEnd(); }

 private:
  struct Kept {
    std::unique_ptr<log::Entry> entry;  ///< null: the bytes are none
    bool is_skipped = false;
    std::size_t bytes = 0;
  };

  LogSource& source_;
  LogReader reader_;
  bool is_begun_ = false;
  std::int64_t first_ = 0;  ///< offset of entries_.front()
  std::deque<Kept> entries_;
  std::size_t bytes_ = 0;  ///< of them
};

}  // namespace crawlsieve::consumer
