#pragma once

#include "plugin/base/result.h"
#include "plugin/state/changes.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve {

/// A store as it was after one of its Applies, whatever is applied while somebody reads: to look at
/// the state of a judge that works.
///
/// Copies nothing when it is made. While it lives, each Apply notes the rows that it replaces in
/// memory, so it is meant for seconds. One that was kept so long that the notes would take more
/// than kMostNotedBytes is lost: it reads nothing from then on, and the store goes on.
///
/// The store must outlive it. Thread-compatible; any number may be read beside the thread that
/// applies, which never waits for more than a look at some rows in memory.
class StoreSnapshot {
 public:
  static constexpr std::size_t kMostNotedBytes = 64 << 20;

  virtual ~StoreSnapshot() = default;

  /// The value of `key`, or nullopt. Errors: kIo, kCorruption, kBusy (it is lost).
  [[nodiscard]] virtual Result<std::optional<std::string>> Get(Table table,
                                                               std::string_view key) const = 0;

  /// Shows a row; false: no further one is wanted.
  using Visit = std::function<Result<bool>(std::string_view key, std::string_view value)>;

  struct Range {
    std::string_view prefix = {};           ///< of the keys
    std::optional<std::string_view> after;  ///< greater keys only
    std::size_t most_rows = 10'000;         ///< looked at, deleted ones among them
  };

  /// Calls `visit` for the rows of a range, in byte order of the keys. Returns the last key that
  /// was looked at if there may be more rows behind it; nullopt: these were all. A row that `visit`
  /// says false to counts as looked at. `visit` may use the snapshot. Errors: as Get, and those of
  /// `visit`.
  [[nodiscard]] virtual Result<std::optional<std::string>> ForEach(Table table, const Range& range,
                                                                   const Visit& visit) const = 0;
};

}  // namespace crawlsieve
