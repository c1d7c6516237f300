#pragma once

#include "plugin/base/result.h"
#include "plugin/base/string_map.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// The tables of the judge's state. What their keys and values are: docs/state.md.
enum class Table : std::size_t { kDocuments, kContent, kUrls, kHosts, kMarks, kMeta, kRestart };
inline constexpr std::size_t kTableCount = 7;

/// Those that follow from the log alone. The others are about files on this disk.
inline constexpr std::array kFoldedTables{Table::kDocuments, Table::kContent, Table::kUrls,
                                          Table::kHosts,     Table::kMarks,   Table::kMeta};

struct StoreOptions {
  std::filesystem::path directory;
  std::size_t block_cache_bytes = 64 << 20;   ///< of read blocks; more means fewer disk reads
  std::size_t write_buffer_bytes = 64 << 20;  ///< in memory before a sorted file is written
  /// Whether a crash of the process keeps what was written. Off for state that nobody reads again.
  bool survive_crash = true;
};

/// Changes to several tables that become visible together. Thread-compatible.
class Changes {
 public:
  void Put(Table table, std::string_view key, std::string value);
  void Delete(Table table, std::string_view key);

  /// Outer nullopt: not changed here. Inner nullopt: deleted here.
  [[nodiscard]] std::optional<std::optional<std::string_view>> Find(Table table,
                                                                    std::string_view key) const;
  [[nodiscard]] bool empty() const;
  void Clear();

 private:
  friend class Store;
  using TableChanges = StringMap<std::optional<std::string>>;
  /// The changes of a table, documents in order of their keys.
  [[nodiscard]] std::vector<const TableChanges::value_type*> Of(Table table) const;

  std::array<TableChanges, kTableCount> tables_;
};

/// Ordered tables on disk that change atomically: the judge's durable state, in RocksDB.
///
/// One process at a time: a lock file in the directory says who. Thread-safe.
class Store {
 public:
  /// Opens the state in `options.directory`, or makes an empty one there.
  /// Errors: kBusy (another process has it; names its id), kCorruption, kIo.
  [[nodiscard]] static Result<std::unique_ptr<Store>> Open(const StoreOptions& options);

  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The value of `key`, or nullopt. Errors: kIo, kCorruption.
  [[nodiscard]] Result<std::optional<std::string>> Get(Table table, std::string_view key) const;

  /// Writes all of `changes` or, when it fails or the process dies, nothing of them.
  [[nodiscard]] Status Apply(const Changes& changes);

  /// Calls `visit(key, value)` for every entry of a table as it is now with a key of `from` or
  /// more, in byte order of the keys, until it returns an error, which is handed on.
  [[nodiscard]] Status ForEach(
      Table table, const std::function<Status(std::string_view, std::string_view)>& visit,
      std::string_view from = {}) const;

 private:
  class Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace crawlsieve
