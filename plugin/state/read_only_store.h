#pragma once

#include "plugin/base/result.h"
#include "plugin/state/changes.h"
#include "plugin/state/store_snapshot.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve {

/// The judge's state as it is in the files of a directory. Nothing in the directory is changed.
///
/// A process that was killed leaves out what it had in memory only: the next one that folds makes
/// that again (docs/state.md, "Writes"). Any number of processes may read at a time. As long as one
/// reads, none can open the Store, and the other way round. Thread-safe.
class ReadOnlyStore {
 public:
  /// Errors: kInvalidInput (there is no state), kBusy (a process has it; names its id),
  /// kCorruption, kIo.
  [[nodiscard]] static Result<std::unique_ptr<ReadOnlyStore>> Open(
      const std::filesystem::path& directory);

  ~ReadOnlyStore();
  ReadOnlyStore(const ReadOnlyStore&) = delete;
  ReadOnlyStore& operator=(const ReadOnlyStore&) = delete;

  /// The value of `key`, or nullopt. Errors: kIo, kCorruption.
  [[nodiscard]] Result<std::optional<std::string>> Get(Table table, std::string_view key) const;

  /// As StoreSnapshot::ForEach.
  [[nodiscard]] Result<std::optional<std::string>> ForEachOf(
      Table table, const StoreSnapshot::Range& range, const StoreSnapshot::Visit& visit) const;

  /// Calls `visit(key, value)` for every entry of a table whose key begins with `prefix`, in byte
  /// order of the keys, until it returns an error, which is handed on. `visit` may use the store.
  [[nodiscard]] Status ForEach(
      Table table, std::string_view prefix,
      const std::function<Status(std::string_view, std::string_view)>& visit) const;

 private:
  class Impl;
  explicit ReadOnlyStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace crawlsieve
