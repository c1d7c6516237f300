#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/view.h"
#include "plugin/state/store_snapshot.h"

#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve {

/// A judge's state as it was behind one entry of the log, to look at, without rows that are purged
/// and still there. Nothing of it changes. Thread-compatible.
class StateView : public RowReader {
 public:
  /// What the state knows of the crawl as a whole. Has parameters.
  [[nodiscard]] virtual const FoldProgress& progress() const = 0;

  [[nodiscard]] Result<RowMap::Value> Row(Table table, std::string_view key) final;

  /// As StoreSnapshot::ForEach. Purged rows count as looked at.
  [[nodiscard]] Result<std::optional<std::string>> ForEachOf(Table table,
                                                             const StoreSnapshot::Range& range,
                                                             const StoreSnapshot::Visit& visit);

 protected:
  /// The same with the rows that are purged. StoredRow: valid until the next call.
  [[nodiscard]] virtual Result<RowMap::Value> StoredRow(Table table, std::string_view key) = 0;
  [[nodiscard]] virtual Result<std::optional<std::string>> ForEachStored(
      Table table, const StoreSnapshot::Range& range, const StoreSnapshot::Visit& visit) = 0;
};

}  // namespace crawlsieve
