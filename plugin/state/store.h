#pragma once

#include "plugin/base/result.h"
#include "plugin/state/changes.h"
#include "plugin/state/store_snapshot.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

struct StoreOptions {
  std::filesystem::path directory;
  std::size_t block_cache_bytes = 64 << 20;  ///< of read blocks; more means fewer disk reads
  /// Of changes in memory: those that come in, and as many that are being written to files.
  std::size_t write_buffer_bytes = 128 << 20;
};

/// Ordered tables on disk that change atomically: the judge's durable state, in RocksDB.
///
/// Changes gather in memory until there are enough of them for files worth writing. These are
/// written by a thread of its own and added to the database in one step. A crash loses what is not
/// in files yet, from one Apply on, never a part of one: whoever applies changes says in one of
/// them up to where they go, and makes the rest again (docs/decisions/0013).
///
/// One process at a time: a lock file in the directory says who. Any number of threads may read
/// beside one that applies and flushes.
class Store {
 public:
  /// Opens the state in `options.directory`, or makes an empty one there.
  /// Errors: kBusy (another process has it; names its id), kCorruption, kIo.
  [[nodiscard]] static Result<std::unique_ptr<Store>> Open(const StoreOptions& options);

  /// Whether Open would find a state in a directory, or one that it makes to the end: one that was
  /// restored there, or a new one that was begun.
  [[nodiscard]] static bool IsIn(const std::filesystem::path& directory);

  /// What is in no file yet is lost.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The value of `key`, or nullopt. Errors: kIo, kCorruption.
  [[nodiscard]] Result<std::optional<std::string>> Get(Table table, std::string_view key) const;

  /// Sets the values of all of `rows`, from the one with number `first` on: faster than one by one.
  /// Errors: as Get; not all are set then.
  [[nodiscard]] Status GetAll(Table table, RowMap& rows, std::size_t first = 0) const;

  /// Makes all of `changes` visible at once. Waits if files can't be written and merged as fast as
  /// changes come. Errors: kIo, kCorruption: files couldn't be written. The store takes nothing
  /// from then on, and has to be opened anew, with what is in files.
  [[nodiscard]] Status Apply(const Changes& changes);

  /// Begins to write all that was applied to files. Errors: as Apply.
  [[nodiscard]] Status BeginFlush();

  /// Writes all that was applied to files and waits for that. Errors: as Apply.
  [[nodiscard]] Status Flush();

  /// Has room on disk given back that deleted rows took, once those that were applied have come to
  /// files: on a thread of its own, which nothing waits for, the files of each table are merged
  /// into new ones. A table whose second copy finds no room on the disk is passed over. A close
  /// ends it on the way. To be called by whoever applies.
  void GiveRoomBack();

  /// Waits until room that was to be given back after the last flush has been.
  void WaitForRoom();

  /// Tables whose files were merged to give room back, and those that were passed over or failed.
  struct RoomReport {
    std::uint64_t merged = 0;
    std::uint64_t passed_over = 0;
  };
  [[nodiscard]] RoomReport room_report() const;

  /// Whether changes are being written to files just now. To be called by whoever applies.
  [[nodiscard]] bool IsFlushing() const;

  /// Makes `directory` a copy of what is in files, which is the store as it was after one of the
  /// Applies: hard links to the files that never change, and copies of the few small ones that do.
  /// `directory` mustn't exist, and must be on the same file system as the store. Any thread may
  /// call this, beside the one that applies; one at a time. Errors: kIo, kCorruption, which leave
  /// the store as it was.
  [[nodiscard]] Status Checkpoint(const std::filesystem::path& directory) const;

  /// The folder below the store that Checkpoint may be called for. What is left there by a process
  /// that was killed is removed when the store is opened.
  static constexpr const char* kCheckpointFolder = "checkpoint";

  /// About how many rows table documents has in files. Deleted ones whose files aren't merged yet
  /// may count.
  [[nodiscard]] std::uint64_t EstimateDocuments() const;

  struct Row {
    std::string key;
    std::string value;
  };

  /// The first `limit` rows of a table as it is now whose keys begin with `prefix` and are `from`
  /// or more, in byte order of the keys. Fewer: there are no more. Errors: kIo, kCorruption.
  [[nodiscard]] Result<std::vector<Row>> Range(Table table, std::string_view prefix,
                                               std::string_view from, std::size_t limit) const;

  /// The store as it is now, for whoever reads it while it goes on changing. Any thread may call
  /// this.
  [[nodiscard]] std::unique_ptr<StoreSnapshot> MakeSnapshot() const;

  /// Calls `visit(key, value)` for every entry of a table as it is now with a key of `from` or
  /// more, in byte order of the keys, until it returns an error, which is handed on. `visit`
  /// mustn't use the store.
  [[nodiscard]] Status ForEach(
      Table table, const std::function<Status(std::string_view, std::string_view)>& visit,
      std::string_view from = {}) const;

 private:
  class Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace crawlsieve
