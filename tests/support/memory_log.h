#pragma once

#include "plugin/log/log_source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace crawlsieve::testing {

/// The admission log in memory: what a broker holds of it. Offsets may be missing.
class MemoryLog {
 public:
  struct Stored {
    std::string value;
    Timestamp timestamp;
  };

  /// Adds a record at the end; its offset.
  std::int64_t Append(std::string value, Timestamp timestamp = {}) {
    records_[end_] = {std::move(value), timestamp};
    return end_++;
  }

  /// An offset without a record, as the end of a transaction leaves one.
  void LeaveOut() { ++end_; }

  /// Forgets the records before `low`.
  void DeleteBefore(std::int64_t low) {
    low_ = low;
    records_.erase(records_.begin(), records_.lower_bound(low));
  }

  /// Forgets the records from `end` on: the leader lost them.
  void Truncate(std::int64_t end) {
    end_ = end;
    records_.erase(records_.lower_bound(end), records_.end());
  }

  /// As after the topic was deleted and made anew.
  void Recreate() { *this = MemoryLog(); }

  [[nodiscard]] LogBounds bounds() const { return {low_, end_}; }
  [[nodiscard]] const std::map<std::int64_t, Stored>& records() const { return records_; }

 private:
  std::map<std::int64_t, Stored> records_;
  std::int64_t low_ = 0;
  std::int64_t end_ = 0;
};

/// Reads a MemoryLog. Answers with `failure` once where one is set.
class MemoryLogSource : public LogSource {
 public:
  explicit MemoryLogSource(const MemoryLog& log) : log_(log) {}

  BrokerResult<LogBounds> Bounds(std::chrono::milliseconds /*timeout*/) override {
    if (auto failed = TakeFailure(); !failed) return tl::unexpected(failed.error());
    return log_.bounds();
  }

  BrokerStatus Seek(std::int64_t offset) override {
    if (auto failed = TakeFailure(); !failed) return failed;
    next_ = offset;
    return {};
  }

  BrokerResult<std::span<const LogRecord>> Read(std::size_t most,
                                                std::chrono::milliseconds /*wait*/) override {
    if (auto failed = TakeFailure(); !failed) return tl::unexpected(failed.error());
    values_.clear();
    views_.clear();
    for (auto record = log_.records().lower_bound(next_);
         record != log_.records().end() && values_.size() < most; ++record) {
      values_.push_back(*record);
    }
    for (const auto& [offset, stored] : values_) {
      views_.push_back({offset, stored.value, stored.timestamp});
      next_ = offset + 1;
    }
    return views_;
  }

  [[nodiscard]] std::optional<std::int64_t> KnownEnd() const override { return log_.bounds().high; }

  std::optional<BrokerError> failure;

 private:
  BrokerStatus TakeFailure() {
    if (!failure.has_value()) return {};
    return tl::unexpected(*std::exchange(failure, std::nullopt));
  }

  const MemoryLog& log_;
  std::int64_t next_ = 0;
  std::vector<std::pair<std::int64_t, MemoryLog::Stored>> values_;
  std::vector<LogRecord> views_;
};

}  // namespace crawlsieve::testing
