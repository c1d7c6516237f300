#include "plugin/state/store.h"

#include "plugin/base/result.h"
#include "plugin/state/database.h"
#include "plugin/state/latest_page_key.h"
#include "plugin/state/lock_file.h"
#include "plugin/state/noted_rows.h"
#include "plugin/state/range.h"
#include "plugin/state/restored.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/snapshot.h>
#include <rocksdb/utilities/checkpoint.h>

namespace crawlsieve {
namespace {

/// Beside the database: files that are not part of it yet.
constexpr const char* kNewFiles = "incoming";

/// There while a new database is being made.
constexpr const char* kBeingMade = "being-made";

/// Of a table, beside those that are merged. With more, the next ones wait, so long at most.
constexpr int kMostFilesToMerge = 20;
constexpr std::chrono::seconds kLongestWait{10};

/// Ranges one behind the other for which changes in memory are looked through once.
constexpr std::size_t kRangesInPart = 8;

}  // namespace

class Store::Impl {
 public:
  Impl(LockFile lock, const StoreOptions& options)
      : lock_(std::move(lock)),
        directory_(options.directory),
        generation_bytes_(options.write_buffer_bytes / 2) {}
  ~Impl() {
    {
      const std::lock_guard lock(closing_mutex_);
      is_closing_ = true;
    }
    closing_.notify_all();
    if (written_.valid()) written_.wait();
    stops_giving_ = true;
    WaitForRoom();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Status Open(const StoreOptions& options) {
    // Only where there is nothing: a database whose list of files was cut opens without complaint
    // otherwise, with tables that are empty and others that are not.
    // One that was being made when the process ended is made to the end.
    CRAWLSIEVE_RETURN_IF_ERROR(MoveRestoredIn(directory_));
    std::error_code ignored;
    const std::filesystem::path being_made = directory_ / kBeingMade;
    const bool is_new = std::filesystem::exists(being_made, ignored) ||
                        !std::filesystem::exists(directory_ / kCurrentFile, ignored);
    if (is_new && !std::ofstream(being_made)) {
      return MakeError(ErrorCode::kIo, fmt::format("{} can't be written: {}", being_made.string(),
                                                   std::strerror(errno)));
    }
    rocksdb::DBOptions db_options;
    db_options.create_if_missing = is_new;
    db_options.create_missing_column_families = is_new;
    db_options.max_open_files = 512;
    db_options.max_background_jobs = 3;  // one to flush, which there is nothing for
    db_options.info_log = NoLog();

    CRAWLSIEVE_ASSIGN_OR_RETURN(database_,
                                Database::Open(directory_, db_options, options.block_cache_bytes));
    if (!database_->is_arranged()) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto folder, MakeFolderOfNewFiles());
      CRAWLSIEVE_ASSIGN_OR_RETURN(const bool were_moved, database_->Arrange(folder));
      wants_room_ = were_moved;
    }
    if (is_new) std::filesystem::remove(being_made, ignored);
    CRAWLSIEVE_ASSIGN_OR_RETURN(last_document_, database_->LastDocument());
    // RocksDB makes a checkpoint under the second name, and renames it.
    for (const char* suffix : {"", ".tmp"}) {
      CRAWLSIEVE_RETURN_IF_ERROR(Clear(directory_ / (std::string(kCheckpointFolder) + suffix)));
    }
    CRAWLSIEVE_RETURN_IF_ERROR(Clear(directory_ / kRestoringFolder));
    return Clear(directory_ / kNewFiles);
  }

  Result<std::optional<std::string>> Get(Table table, std::string_view key) {
    {
      const std::shared_lock lock(mutex_);
      std::optional<RowMap::Value> changed = coming_->Find(table, key);
      if (!changed.has_value()) changed = going_->Find(table, key);
      if (changed.has_value()) {
        return changed->has_value() ? std::optional(std::string(**changed)) : std::nullopt;
      }
    }
    // Changes leave memory only after they have come to files.
    return database_->Get(rocksdb::ReadOptions(), table, key);
  }

  Status GetAll(Table table, RowMap& rows, std::size_t first) {
    const std::span<const RowMap::Row> wanted = std::span(rows.rows()).subspan(first);
    std::vector<std::string_view> names;
    names.reserve(wanted.size());
    for (const RowMap::Row& row : wanted) names.push_back(row.key());
    const RowMap::Keys keys(names);
    std::vector<const RowMap::Row*> in_files;
    in_files.reserve(wanted.size());
    {
      const std::shared_lock lock(mutex_);
      const auto coming = coming_->FindAll(table, keys);
      const auto going = going_->FindAll(table, keys);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto& changed = coming[i].has_value() ? coming[i] : going[i];
        if (changed.has_value()) {
          rows.SetValue(wanted[i], *changed);
        } else {
          in_files.push_back(&wanted[i]);
        }
      }
    }
    return database_->GetAll(table, std::move(in_files), rows);
  }

  Status Apply(const Changes& changes) {
    const bool is_written =
        written_.valid() && written_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    if (is_written) FinishWriting();
    if (coming_->bytes() >= generation_bytes_) BeginWriting();
    if (failed_.has_value()) return tl::unexpected(*failed_);
    const std::unique_lock lock(mutex_);
    for (NotedRows* const noted : snapshots_) noted->Note(*coming_, changes);
    coming_->PutAll(changes);
    return {};
  }

  Status BeginFlush() {
    BeginWriting();
    return failed_.has_value() ? Status(tl::unexpected(*failed_)) : Status();
  }

  Status Flush() {
    BeginWriting();
    FinishWriting();
    return failed_.has_value() ? Status(tl::unexpected(*failed_)) : Status();
  }

  void GiveRoomBack() { wants_room_ = true; }

  void WaitForRoom() {
    const std::lock_guard lock(giving_mutex_);
    if (giving_.valid()) giving_.wait();
  }

  [[nodiscard]] std::uint64_t EstimateDocuments() { return database_->EstimateDocuments(); }

  [[nodiscard]] RoomReport room_report() const { return {tables_merged_, tables_passed_over_}; }

  bool IsFlushing() {
    return written_.valid() &&
           written_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
  }

  Status Checkpoint(const std::filesystem::path& directory) {
    rocksdb::Checkpoint* made = nullptr;
    rocksdb::Status status = rocksdb::Checkpoint::Create(&database_->rocksdb(), &made);
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    if (status.ok()) {
      status = checkpoint->CreateCheckpoint(std::filesystem::absolute(directory).string());
    }
    return status.ok() ? Status() : tl::unexpected(ToError(status, directory_));
  }

  std::unique_ptr<StoreSnapshot> MakeSnapshot();

  Status ForEach(Table table,
                 const std::function<Status(std::string_view, std::string_view)>& visit,
                 std::string_view from) {
    // Held to the end: what is in memory now may come to files, but doesn't go away.
    const std::shared_lock lock(mutex_);
    std::map<std::string, RowMap::Value> changed;
    for (const Changes* changes : {going_.get(), coming_.get()}) {
      changes->ForEach(table, [&](std::string_view key, const RowMap::Value& value) {
        if (key >= from) changed.insert_or_assign(std::string(key), value);
      });
    }
    rocksdb::ReadOptions read;
    read.fill_cache = false;
    RowIterator it = database_->Iterate(read, table);
    it.Seek(from);
    for (auto change = changed.begin(); it.Valid() || change != changed.end();) {
      Status visited;
      const bool in_files = it.Valid();
      const std::string_view key = in_files ? it.key() : std::string_view();
      if (change == changed.end() || (in_files && key < change->first)) {
        visited = visit(key, it.value());
        it.Next();
      } else {
        if (in_files && key == change->first) it.Next();
        if (change->second.has_value()) visited = visit(change->first, *change->second);
        ++change;
      }
      if (!visited) return visited;
    }
    if (!it.status().ok()) return tl::unexpected(ToError(it.status(), directory_));
    return {};
  }

  Result<std::vector<Row>> Range(Table table, std::string_view prefix, std::string_view from,
                                 std::size_t limit) {
    const std::shared_lock lock(mutex_);
    rocksdb::ReadOptions read;
    read.fill_cache = false;
    RowIterator it = database_->Iterate(read, table);
    it.Seek(std::max(from, prefix));
    const auto in_files = [&](std::string_view /*from*/, std::size_t count) {
      std::vector<Row> rows;
      for (; rows.size() < count && it.Valid() && it.key().starts_with(prefix); it.Next()) {
        rows.push_back({std::string(it.key()), std::string(it.value())});
      }
      return Result<std::vector<Row>>(std::move(rows));
    };
    // Where the next ranges end, about, if they are as long.
    const auto end_of_part = [&](std::string_view begin) -> std::optional<std::string> {
      RowIterator ahead = database_->Iterate(read, table);
      ahead.Seek(begin);
      for (std::size_t i = 0; i < kRangesInPart * limit && ahead.Valid(); ++i) ahead.Next();
      return ahead.Valid() ? std::optional(std::string(ahead.key())) : std::nullopt;
    };
    const std::lock_guard keys_lock(changed_keys_mutex_);
    const ChangedKeys::Sources sources{{going_.get(), coming_.get()}, generation_};
    const auto changes = [&](std::string_view next, const std::string* last) {
      return changed_keys_.Within(table, sources, prefix, next, last, end_of_part);
    };
    auto rows = ChangedRange(changes, std::max(from, prefix), limit, in_files);
    if (!it.status().ok()) return tl::unexpected(ToError(it.status(), directory_));
    return rows;
  }

 private:
  class Snapshot;

  /// Has what has come written to files, once what came before is there.
  void BeginWriting() {
    FinishWriting();
    if (failed_.has_value()) return;
    if (coming_->empty()) {
      if (wants_room_.exchange(false)) BeginGivingRoomBack();
      return;
    }
    {
      const std::unique_lock lock(mutex_);
      std::swap(coming_, going_);
      ++generation_;
      // A snapshot keeps what it was made of, which changes no more.
      snapshots_.clear();
      // RocksDB 7.8 loses rows without a number to merges beside a snapshot of nothing.
      going_needs_number_ =
          living_snapshots_ > 0 || database_->rocksdb().GetLatestSequenceNumber() == 0;
      if (coming_.use_count() > 1) coming_ = std::make_shared<Changes>();
    }
    // Where no thread is to be had it is done by whoever waits for it.
    written_ = std::async(std::launch::async | std::launch::deferred, [this] {
      auto written = WriteFiles();
      if (written && wants_room_.exchange(false)) BeginGivingRoomBack();
      if (written) WaitForCompaction();
      return written;
    });
  }

  void FinishWriting() {
    if (!written_.valid()) return;
    if (const Status written = written_.get(); !written) failed_ = written.error();
  }

  /// Adds files with all of going_ to the database, in one step.
  Status WriteFiles() {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto folder, MakeFolderOfNewFiles());
    std::vector<rocksdb::IngestExternalFileArg> files;
    for (std::size_t i = 0; i < kTableCount; ++i) {
      const auto table = static_cast<Table>(i);
      for (Database::FamilyChanges& part : database_->ByFamily(table, *going_)) {
        rocksdb::IngestExternalFileArg& file = files.emplace_back();
        file.column_family = part.family;
        file.options.move_files = true;
        file.options.write_global_seqno = false;
        std::vector<Database::FamilyChanges> pieces;
        if (table == Table::kDocuments) {
          pieces.push_back(TakeNewDocuments(part));
          // A file on the lowest level that has a sequence number is written anew by RocksDB, once
          // no snapshot is older. One that no snapshot may miss needs no number.
          file.options.snapshot_consistency = going_needs_number_;
        }
        pieces.push_back(std::move(part));
        for (const Database::FamilyChanges& piece : pieces) {
          if (piece.empty()) continue;
          const std::string path = folder / fmt::format("{}.{}.sst", piece.family->GetName(),
                                                        file.external_files.size());
          CRAWLSIEVE_RETURN_IF_ERROR(database_->WriteFile(piece, path));
          file.external_files.push_back(path);
        }
      }
    }
    // As long as there is a snapshot, files are added above all others of the scattered tables,
    // whatever keys they have, and no older row can come before them.
    const rocksdb::ManagedSnapshot snapshot(&database_->rocksdb());
    const rocksdb::Status status = database_->rocksdb().IngestExternalFiles(files);
    if (!status.ok()) return tl::unexpected(ToError(status, directory_));
    std::error_code ignored;
    std::filesystem::remove(folder, ignored);  // empty by now, or cleared before it is used again
    auto done = std::make_shared<Changes>();
    const std::unique_lock lock(mutex_);
    std::swap(done, going_);
    ++generation_;
    return {};
  }

  /// Takes the documents above all that ever were in files.
  Database::FamilyChanges TakeNewDocuments(Database::FamilyChanges& changes) {
    const auto first =
        std::ranges::upper_bound(changes.rows, last_document_, {}, &RowMap::Row::key);
    Database::FamilyChanges taken{changes.family, {first, changes.rows.end()}, {}};
    changes.rows.erase(first, changes.rows.end());
    if (!taken.empty()) last_document_ = taken.rows.back()->key();
    return taken;
  }

  void BeginGivingRoomBack() {
    const std::lock_guard lock(giving_mutex_);
    if (giving_.valid()) {
      if (giving_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
        wants_room_ = true;  // once more, behind the next files
        return;
      }
      giving_.get();
    }
    giving_ = std::async(std::launch::async | std::launch::deferred, [this] {
      // But for RocksDB's own family, whose one row has no room to give.
      for (rocksdb::ColumnFamilyHandle* const family : database_->families().subspan(1)) {
        MergeFilesOf(family);
      }
    });
  }

  void MergeFilesOf(rocksdb::ColumnFamilyHandle* family) {
    const std::uint64_t bytes = PropertyOf(family, rocksdb::DB::Properties::kLiveSstFilesSize);
    if (bytes == 0 || stops_giving_) return;
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(directory_, error);
    if (error || space.available / 5 * 4 < bytes) {
      ++tables_passed_over_;
      return;
    }
    rocksdb::CompactRangeOptions options;
    options.exclusive_manual_compaction = false;  // those of the files that come go on
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    options.canceled = &stops_giving_;
    const rocksdb::Status merged =
        database_->rocksdb().CompactRange(options, family, nullptr, nullptr);
    ++(merged.ok() ? tables_merged_ : tables_passed_over_);
  }

  /// Files that are added aren't held up by how many there are. So the next ones wait here, for a
  /// while, until those that have come are merged, or nothing is about to merge them.
  void WaitForCompaction() {
    const auto deadline = std::chrono::steady_clock::now() + kLongestWait;
    const std::uint64_t errors =
        PropertyOf(database_->families().front(), rocksdb::DB::Properties::kBackgroundErrors);
    std::unique_lock lock(closing_mutex_);
    while (!is_closing_ && TooManyFiles() && std::chrono::steady_clock::now() < deadline &&
           PropertyOf(database_->families().front(), rocksdb::DB::Properties::kBackgroundErrors) ==
               errors) {
      closing_.wait_for(lock, std::chrono::milliseconds(20));
    }
  }

  bool TooManyFiles() {
    return std::ranges::any_of(database_->families(), [this](rocksdb::ColumnFamilyHandle* family) {
      std::string files;
      if (!database_->rocksdb().GetProperty(
              family, rocksdb::DB::Properties::kNumFilesAtLevelPrefix + "0", &files)) {
        return false;
      }
      return std::atoi(files.c_str()) > kMostFilesToMerge &&
             PropertyOf(family, rocksdb::DB::Properties::kNumRunningCompactions) +
                     PropertyOf(family, rocksdb::DB::Properties::kCompactionPending) >
                 0;
    });
  }

  std::uint64_t PropertyOf(rocksdb::ColumnFamilyHandle* family, const std::string& name) {
    std::uint64_t value = 0;
    return database_->rocksdb().GetIntProperty(family, name, &value) ? value : 0;
  }

  Status CantBeWritten(const std::filesystem::path& path, const std::error_code& error) {
    return MakeError(ErrorCode::kIo, fmt::format("{}: {}", path.string(), error.message()));
  }

  /// An empty one.
  Result<std::filesystem::path> MakeFolderOfNewFiles() {
    std::filesystem::path folder = directory_ / kNewFiles;
    CRAWLSIEVE_RETURN_IF_ERROR(Clear(folder));
    std::error_code error;
    std::filesystem::create_directory(folder, error);
    if (error) return tl::unexpected(CantBeWritten(folder, error).error());
    return folder;
  }

  /// A file left there may be the same one as a table's, under another name: it must not be written
  /// to.
  Status Clear(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    return error ? CantBeWritten(folder, error) : Status();
  }

  const LockFile lock_;
  const std::filesystem::path directory_;
  const std::size_t generation_bytes_;
  std::unique_ptr<Database> database_;
  // Of the highest key that documents ever had in files. Rows above it go to a file of their own,
  // which lies below all others and is not merged with them as long as it isn't changed.
  std::string last_document_;

  std::shared_mutex mutex_;  // for changes to coming_ and going_
  std::shared_ptr<Changes> coming_ = std::make_shared<Changes>();
  std::shared_ptr<Changes> going_ = std::make_shared<Changes>();  // being written to files, or
                                                                  // failed to be
  bool going_needs_number_ = true;  // a snapshot that it came after was alive when it was closed
  std::uint64_t generation_ = 0;    // another one when these are
  std::set<NotedRows*> snapshots_;  // of coming_ as it is
  std::size_t living_snapshots_ = 0;
  std::future<Status> written_;
  std::mutex changed_keys_mutex_;  // after mutex_
  ChangedKeys changed_keys_;

  std::atomic<bool> wants_room_ = false;
  std::atomic<bool> stops_giving_ = false;
  std::atomic<std::uint64_t> tables_merged_ = 0;
  std::atomic<std::uint64_t> tables_passed_over_ = 0;
  std::mutex giving_mutex_;
  std::future<void> giving_;

  std::optional<Error> failed_;

  std::mutex closing_mutex_;
  std::condition_variable closing_;
  bool is_closing_ = false;
};

/// The changes in memory as they were, and the files as they were.
class Store::Impl::Snapshot final : public StoreSnapshot {
 public:
  explicit Snapshot(Impl& store) : store_(store), noted_(kMostNotedBytes) {
    const std::unique_lock lock(store_.mutex_);
    coming_ = store_.coming_;
    going_ = store_.going_;
    for (std::size_t i = 0; i < kTableCount; ++i) {
      coming_rows_[i] = coming_->Of(static_cast<Table>(i)).rows().size();
    }
    coming_groups_ = coming_->latest_pages().groups().size();
    // What has come to files meanwhile is in going_, too.
    files_ = store_.database_->rocksdb().GetSnapshot();
    store_.snapshots_.insert(&noted_);
    ++store_.living_snapshots_;
  }

  ~Snapshot() override {
    const std::unique_lock lock(store_.mutex_);
    store_.snapshots_.erase(&noted_);
    --store_.living_snapshots_;
    store_.database_->rocksdb().ReleaseSnapshot(files_);
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  [[nodiscard]] Result<std::optional<std::string>> Get(Table table,
                                                       std::string_view key) const override {
    {
      const std::shared_lock lock(store_.mutex_);
      if (noted_.is_lost()) return tl::unexpected(Lost());
      const std::optional<RowMap::Value> changed = InMemory(table, key);
      if (changed.has_value()) {
        return changed->has_value() ? std::optional(std::string(**changed)) : std::nullopt;
      }
    }
    return store_.database_->Get(OfFiles(), table, key);
  }

  [[nodiscard]] Result<std::optional<std::string>> ForEach(Table table, const Range& range,
                                                           const Visit& visit) const override {
    std::optional<std::string> last;  // that was looked at
    if (range.most_rows == 0) return range.after.has_value() ? std::string(*range.after) : last;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const ChangedRows changed, FirstChanged(table, range));
    rocksdb::ReadOptions read = OfFiles();
    read.fill_cache = false;
    RowIterator it = store_.database_->Iterate(read, table);
    it.Seek(std::max(range.prefix, range.after.value_or(std::string_view())));
    if (it.Valid() && range.after == it.key()) it.Next();
    auto change = changed.begin();
    for (std::size_t rows = 0; rows < range.most_rows; ++rows) {
      const bool in_files = it.Valid() && it.key().starts_with(range.prefix);
      if (!in_files && change == changed.end()) {
        if (!it.status().ok()) return tl::unexpected(ToError(it.status(), store_.directory_));
        return std::optional<std::string>();
      }
      Result<bool> goes_on = true;
      if (change == changed.end() || (in_files && it.key() < change->first)) {
        last = std::string(it.key());
        goes_on = visit(*last, it.value());
        it.Next();
      } else {
        if (in_files && it.key() == change->first) it.Next();
        last = change->first;
        if (change->second.has_value()) goes_on = visit(*last, *change->second);
        ++change;
      }
      if (!goes_on) return tl::unexpected(goes_on.error());
      if (!*goes_on) break;
    }
    if (!it.status().ok()) return tl::unexpected(ToError(it.status(), store_.directory_));
    return last;
  }

 private:
  /// As rows of Changes, by key.
  using ChangedRows = std::map<std::string, std::optional<std::string>, std::less<>>;

  static Error Lost() {
    return {ErrorCode::kBusy, "the state has changed too much while it was read: ask again"};
  }

  [[nodiscard]] rocksdb::ReadOptions OfFiles() const {
    rocksdb::ReadOptions read;
    read.snapshot = files_;
    return read;
  }

  /// A row as it was; nullopt: it wasn't changed in memory. Needs the lock.
  [[nodiscard]] std::optional<RowMap::Value> InMemory(Table table, std::string_view key) const {
    const std::optional<NotedRows::Before> before = noted_.Find(table, key);
    std::optional<RowMap::Value> changed;
    if (!before.has_value()) {
      changed = coming_->Find(table, key);
    } else if (before->is_among_changes) {
      changed = before->value;
    }
    return changed.has_value() ? changed : going_->Find(table, key);
  }

  /// The first rows of a range that were changed in memory: more than can be looked at aren't
  /// needed. The lock is held for some rows at a time.
  [[nodiscard]] Result<ChangedRows> FirstChanged(Table table, const Range& range) const {
    constexpr std::size_t kRowsAtATime = 4'096;
    ChangedRows first;
    const auto add = [&](std::string_view key, const auto& value_of) {
      if (!key.starts_with(range.prefix) || (range.after.has_value() && key <= *range.after))
        return;
      const bool is_full = first.size() >= range.most_rows;
      if (is_full && key > std::prev(first.end())->first) return;
      const std::optional<RowMap::Value> value = value_of(key);
      if (!value.has_value()) return;
      first.insert_or_assign(std::string(key), value->has_value()
                                                   ? std::optional(std::string(**value))
                                                   : std::nullopt);
      if (first.size() > range.most_rows) first.erase(std::prev(first.end()));
    };
    going_->ForEach(table, [&](std::string_view key, const RowMap::Value& value) {
      add(key, [&](std::string_view) { return std::optional(value); });
    });
    const auto in_memory = [&](std::string_view key) { return InMemory(table, key); };
    const std::size_t rows = coming_rows_[static_cast<std::size_t>(table)];
    for (std::size_t begin = 0; begin < rows; begin += kRowsAtATime) {
      const std::shared_lock lock(store_.mutex_);
      if (noted_.is_lost()) return tl::unexpected(Lost());
      const std::span all = coming_->Of(table).rows();
      for (const RowMap::Row& row : all.subspan(begin, std::min(kRowsAtATime, rows - begin))) {
        add(row.key(), in_memory);
      }
    }
    const std::size_t groups = table == Table::kHosts ? coming_groups_ : 0;
    constexpr std::size_t kGroupsAtATime = kRowsAtATime / kMostLatestPages;
    for (std::size_t begin = 0; begin < groups; begin += kGroupsAtATime) {
      const std::shared_lock lock(store_.mutex_);
      if (noted_.is_lost()) return tl::unexpected(Lost());
      const std::span all = coming_->latest_pages().groups();
      for (const RowMap::Row& group :
           all.subspan(begin, std::min(kGroupsAtATime, groups - begin))) {
        const KeysOfGroup keys(group.key());
        for (const std::string_view key : keys.all()) add(key, in_memory);
      }
    }
    return first;
  }

  Impl& store_;
  NotedRows noted_;                        // written by the one that applies, with the lock
  std::shared_ptr<const Changes> coming_;  // changes as long as the store's is the same
  std::shared_ptr<const Changes> going_;
  std::array<std::size_t, kTableCount> coming_rows_{};  // that there were
  std::size_t coming_groups_ = 0;                       // of latest pages
  const rocksdb::Snapshot* files_ = nullptr;
};

std::unique_ptr<StoreSnapshot> Store::Impl::MakeSnapshot() {
  return std::make_unique<Snapshot>(*this);
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::Open(const StoreOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error) {
    return MakeError(ErrorCode::kIo, fmt::format("state directory {} can't be made: {}",
                                                 options.directory.string(), error.message()));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto lock, LockFile::Acquire(options.directory / LockFile::kName));
  auto impl = std::make_unique<Impl>(std::move(lock), options);
  CRAWLSIEVE_RETURN_IF_ERROR(impl->Open(options));
  return std::unique_ptr<Store>(new Store(std::move(impl)));
}

bool Store::IsIn(const std::filesystem::path& directory) {
  const auto has = [&](const char* name) {
    std::error_code ignored;
    return std::filesystem::exists(directory / name, ignored);
  };
  return has(kCurrentFile) || has(kRestoredFolder) || has(kBeingMade);
}

Result<std::optional<std::string>> Store::Get(Table table, std::string_view key) const {
  return impl_->Get(table, key);
}

Status Store::GetAll(Table table, RowMap& rows, std::size_t first) const {
  return impl_->GetAll(table, rows, first);
}

Status Store::Apply(const Changes& changes) { return impl_->Apply(changes); }

Status Store::BeginFlush() { return impl_->BeginFlush(); }

Status Store::Flush() { return impl_->Flush(); }

void Store::GiveRoomBack() { impl_->GiveRoomBack(); }

void Store::WaitForRoom() { impl_->WaitForRoom(); }

Store::RoomReport Store::room_report() const { return impl_->room_report(); }

bool Store::IsFlushing() const { return impl_->IsFlushing(); }

Status Store::Checkpoint(const std::filesystem::path& directory) const {
  return impl_->Checkpoint(directory);
}

std::uint64_t Store::EstimateDocuments() const { return impl_->EstimateDocuments(); }

Result<std::vector<Store::Row>> Store::Range(Table table, std::string_view prefix,
                                             std::string_view from, std::size_t limit) const {
  return impl_->Range(table, prefix, from, limit);
}

std::unique_ptr<StoreSnapshot> Store::MakeSnapshot() const { return impl_->MakeSnapshot(); }

Status Store::ForEach(Table table,
                      const std::function<Status(std::string_view, std::string_view)>& visit,
                      std::string_view from) const {
  return impl_->ForEach(table, visit, from);
}

}  // namespace crawlsieve
