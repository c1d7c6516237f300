#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/state_view.h"
#include "plugin/state/store.h"
#include "plugin/state/store_snapshot.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace crawlsieve {

/// The state of a judge that works, as of its last commit. The judge goes on meanwhile and doesn't
/// wait: see StoreSnapshot, also for how long one may be kept. Thread-compatible.
class LiveState final : public StateView {
 public:
  /// Borrows the store, which must outlive it. Errors: kBusy (nothing was folded yet), kCorruption,
  /// kIo.
  [[nodiscard]] static Result<std::unique_ptr<LiveState>> Of(const Store& store);

  [[nodiscard]] Result<RowMap::Value> Row(Table table, std::string_view key) override;
  [[nodiscard]] Result<std::optional<std::string>> ForEachOf(
      Table table, const StoreSnapshot::Range& range, const StoreSnapshot::Visit& visit) override {
    return rows_->ForEach(table, range, visit);
  }
  [[nodiscard]] const FoldProgress& progress() const override { return stored_.progress; }

 private:
  explicit LiveState(std::unique_ptr<StoreSnapshot> rows) : rows_(std::move(rows)) {}

  std::unique_ptr<StoreSnapshot> rows_;
  StoredProgress stored_;
  std::optional<std::string> last_;
};

}  // namespace crawlsieve
