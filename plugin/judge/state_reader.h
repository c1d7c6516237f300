#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/state_view.h"
#include "plugin/state/read_only_store.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve {

/// The state of a judge that isn't running, to look at. Nothing of it is changed.
/// Thread-compatible.
class StateReader final : public StateView {
 public:
  /// Errors: kInvalidInput (no state, or one in which nothing was folded yet), kBusy (a process has
  /// it), kMismatch (a state of another format), kCorruption, kIo.
  [[nodiscard]] static Result<std::unique_ptr<StateReader>> Open(
      const std::filesystem::path& directory);

  /// As ReadOnlyStore::ForEach, without rows that are purged and still there. `visit` may read
  /// rows.
  [[nodiscard]] Status ForEach(
      Table table, std::string_view prefix,
      const std::function<Status(std::string_view, std::string_view)>& visit) const;

  /// The same with those rows: documents as the judge's index has them.
  [[nodiscard]] Status ForEachWithPurged(
      Table table, const std::function<Status(std::string_view, std::string_view)>& visit) const {
    return store_->ForEach(table, {}, visit);
  }

  /// What of the log the state covers, and what it knows of the crawl. Has parameters.
  [[nodiscard]] const StoredProgress& stored() const { return stored_; }
  [[nodiscard]] const FoldProgress& progress() const override { return stored_.progress; }

 protected:
  [[nodiscard]] Result<RowMap::Value> StoredRow(Table table, std::string_view key) override;
  [[nodiscard]] Result<std::optional<std::string>> ForEachStored(
      Table table, const StoreSnapshot::Range& range, const StoreSnapshot::Visit& visit) override {
    return store_->ForEachOf(table, range, visit);
  }

 private:
  explicit StateReader(std::unique_ptr<ReadOnlyStore> store) : store_(std::move(store)) {}

  std::unique_ptr<ReadOnlyStore> store_;
  StoredProgress stored_;
  std::optional<std::string> last_;
};

}  // namespace crawlsieve
