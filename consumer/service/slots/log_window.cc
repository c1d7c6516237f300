#include "consumer/service/slots/log_window.h"

#include "plugin/base/result.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kTimeout{10'000};
/// With more than this, entries are fetched once others were dropped. One is fetched at least.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::int64_t kMostAtOnce = 1'000;

}  // namespace

BrokerStatus LogWindow::KeepFrom(std::int64_t offset) {
  if (is_begun_ && first_ <= offset && offset <= end()) {
    for (; first_ < offset; ++first_) {
      bytes_ -= entries_.front().bytes;
      entries_.pop_front();
    }
    return {};
  }
  is_begun_ = false;
  entries_.clear();
  bytes_ = 0;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bounds, source_.Bounds(kTimeout));
  if (offset < bounds.low) {
    return MakeBrokerError(
        ErrorClass::kFatal, ErrorCode::kMismatch,
        fmt::format("a slot is to answer entry {} of the log, which begins at {}: its changes end "
                    "before that. If no judge is behind, make the slot's files anew "
                    "(docs/slots.md)",
                    offset, bounds.low));
  }
  CRAWLSIEVE_RETURN_IF_ERROR(reader_.Begin(offset));
  first_ = offset;
  is_begun_ = true;
  return {};
}

BrokerResult<bool> LogWindow::Fetch(std::int64_t last, milliseconds wait) {
  const std::int64_t most = std::min(kMostAtOnce, last + 1 - end());
  if (!is_begun_ || most <= 0 || (bytes_ >= kMostBytes && !entries_.empty())) return false;
  CRAWLSIEVE_RETURN_IF_ERROR(reader_.Fetch(static_cast<std::size_t>(most), wait));
  const std::int64_t before = end();
  while (true) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto item, reader_.Take());
    if (!item.has_value()) break;
    Kept& kept = entries_.emplace_back();
    if (item->entry != nullptr) kept.entry = std::make_unique<log::Entry>(*item->entry);
    kept.is_skipped = item->is_skipped;
    kept.bytes = item->value.size();
    bytes_ += kept.bytes;
  }
  return end() > before;
}

void LogWindow::ItemsFrom(std::int64_t offset, std::size_t most,
                          std::vector<LogItem>& items) const {
  items.clear();
  if (!is_begun_ || offset < first_) return;
  for (; offset < end() && items.size() < most; ++offset) {
    const Kept& kept = entries_[static_cast<std::size_t>(offset - first_)];
    LogItem item;
    item.offset = offset;
    item.entry = kept.entry.get();
    item.is_skipped = kept.is_skipped;
    items.push_back(item);
  }
}

}  // namespace crawlsieve::consumer
