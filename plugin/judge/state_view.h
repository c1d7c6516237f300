#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/view.h"
#include "plugin/state/store_snapshot.h"

#include <optional>
#include <string>

namespace crawlsieve {

/// A judge's state as it was behind one entry of the log, to look at. Nothing of it changes.
/// Thread-compatible.
class StateView : public RowReader {
 public:
  /// What the state knows of the crawl as a whole. Has parameters.
  [[nodiscard]] virtual const FoldProgress& progress() const = 0;

  /// As StoreSnapshot::ForEach.
  [[nodiscard]] virtual Result<std::optional<std::string>> ForEachOf(
      Table table, const StoreSnapshot::Range& range, const StoreSnapshot::Visit& visit) = 0;
};

}  // namespace crawlsieve
