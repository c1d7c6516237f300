#include "plugin/log/log_reader.h"

#include "plugin/base/result.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {

using std::chrono::milliseconds;

BrokerStatus LogReader::Begin(std::int64_t offset) {
  items_.clear();
  taken_ = 0;
  next_ = offset;
  return source_.Seek(offset);
}

BrokerStatus LogReader::Fetch(std::size_t most, milliseconds wait) {
  items_.clear();
  taken_ = 0;
  auto records = source_.Read(most, wait);
  if (!records) {
    if (records.error().error_class == ErrorClass::kRetriable) return {};
    return tl::unexpected(std::move(records.error()));
  }
  if (entries_.size() < records->size()) entries_.resize(records->size());
  for (const LogRecord& record : *records) {
    log::Entry& entry = entries_[items_.size()];
    const bool is_entry = ParseEntry(record.value, entry);
    // Nobody gets past the end of a closed log.
    const bool is_skipped = IsSkippedEntry(log_.skipped, record.offset, record.value) &&
                            !(is_entry && IsClosing(entry));
    items_.push_back(
        {record.offset, record.value, record.timestamp, is_entry ? &entry : nullptr, is_skipped});
  }
  return {};
}

BrokerResult<std::optional<LogItem>> LogReader::Take() {
  if (taken_ == items_.size()) return std::optional<LogItem>();
  const LogItem& item = items_[taken_];
  if (item.offset > next_ && IsKnownHole(log_.skipped, next_)) {
    return std::optional(LogItem{next_++, {}, item.timestamp, nullptr, true});
  }
  // Only idempotent producers write to the log, which leave no gap in its offsets. So a record that
  // doesn't follow the one before means that an entry was not delivered, or that something else
  // writes to the log. To fold on would be to forget pages.
  if (item.offset != next_) {
    const bool is_known = std::exchange(seen_gap_, next_) == next_;
    return MakeBrokerError(
        is_known ? ErrorClass::kRefused : ErrorClass::kFatal, ErrorCode::kCorruption,
        fmt::format("log {} goes on with offset {} where {} was expected: entries are missing, or "
                    "something else writes to this topic. If a transaction of something else ended "
                    "there, keep "
                    "that from writing to the topic, and add \"{}:{}\" to kafka.log.skip of all "
                    "processes: docs/reliability.md, \"When the judge refuses an entry\"",
                    log_.topic, item.offset, next_, next_, SkippedEntry::kHole));
  }
  ++next_;
  ++taken_;
  return std::optional(item);
}

tl::unexpected<BrokerError> NotAnEntry(const LogDescription& log, const LogItem& item,
                                       std::string_view where) {
  return Refused(log, item,
                 {ErrorCode::kInvalidInput,
                  fmt::format("the admission log {} what is not an entry of crawlsieve", where)});
}

tl::unexpected<BrokerError> Refused(const LogDescription& log, const LogItem& item, Error error) {
  const bool is_end = item.entry != nullptr && IsClosing(*item.entry);
  if (!is_end) error.message += HowToSkip(log.topic, item.offset, item.value);
  return FinalError(std::move(error));
}

BrokerResult<std::optional<log::Entry>> ReadFirstEntry(const LogDescription& log, LogSource& source,
                                                       milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + timeout;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bounds, source.Bounds(timeout));
  if (bounds.high == 0) return std::optional<log::Entry>();
  if (bounds.high <= bounds.low) {
    return MakeBrokerError(
        ErrorClass::kRefused, ErrorCode::kMismatch,
        fmt::format("log {} ends at offset {} and holds no entry any more: its entries were "
                    "deleted. docs/reliability.md, \"When the log lost entries\"",
                    log.topic, bounds.high));
  }
  std::optional<std::int64_t> seen_gap = bounds.low;  // one at the beginning isn't looked at twice
  LogReader reader(log, source, seen_gap);
  CRAWLSIEVE_RETURN_IF_ERROR(reader.Begin(bounds.low));
  while (reader.next() < bounds.high) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (left <= milliseconds(0)) {
      return MakeBrokerError(
          ErrorClass::kRetriable, ErrorCode::kIo,
          fmt::format("the first entry of log {} could not be read in time", log.topic));
    }
    CRAWLSIEVE_RETURN_IF_ERROR(reader.Fetch(1, std::min(left, milliseconds(100))));
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto item, reader.Take());
    if (!item.has_value() || item->is_skipped) continue;
    if (item->entry == nullptr) return NotAnEntry(log, *item, "begins with");
    return std::optional(*item->entry);
  }
  return std::optional<log::Entry>();
}

}  // namespace crawlsieve
