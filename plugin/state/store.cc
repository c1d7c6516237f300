#include "plugin/state/store.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <sys/file.h>
#include <unistd.h>

namespace crawlsieve {
namespace {

constexpr std::array<const char*, kTableCount> kTableNames = {
    "documents", "content", "urls", "hosts", "marks", "meta", "restart"};

/// Eight bytes each, for every table; more only shorten lists of a few entries.
constexpr std::size_t kMemtableBuckets = 50'000;

/// Of a key of documents: those that share them are inserted next to each other.
constexpr std::size_t kHintBytes = 5;

std::size_t IndexOf(Table table) { return static_cast<std::size_t>(table); }

rocksdb::Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }

Error ToError(const rocksdb::Status& status, const std::filesystem::path& directory) {
  const ErrorCode code = status.IsCorruption() ? ErrorCode::kCorruption
                         : status.IsBusy()     ? ErrorCode::kBusy
                                               : ErrorCode::kIo;
  return {code, fmt::format("state in {}: {}{}", directory.string(), status.ToString(),
                            status.IsCorruption()
                                ? "; move the directory away, and the next start rebuilds the "
                                  "state from the admission log"
                                : "")};
}

/// Drops what RocksDB says beside the statuses that it returns. Its own log file would lie on the
/// same disk as the tables, and when that is full or broken the second line written to it is a
/// failed assertion, which ends the process in the place of the error that should be reported.
/// Test: Store.ReportsAFullDiskAndKeepsWhatWasWritten
class NoLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

/// A file locked for as long as this lives; it holds the process id of the owner.
class LockFile {
 public:
  static Result<LockFile> Acquire(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) {
      return MakeError(ErrorCode::kIo, fmt::format("{}: {}", path.string(), std::strerror(errno)));
    }
    LockFile lock(file);
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      std::array<char, 32> owner{};
      const ssize_t size = ::pread(file, owner.data(), owner.size() - 1, 0);
      const std::string_view pid(owner.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
      return MakeError(ErrorCode::kBusy,
                       fmt::format("state directory {} is in use by process {}: stop it, or give "
                                   "this one a directory of its own",
                                   path.parent_path().string(), pid.empty() ? "unknown" : pid));
    }
    const std::string pid = std::to_string(::getpid());
    if (::ftruncate(file, 0) != 0 ||
        ::pwrite(file, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
      return MakeError(ErrorCode::kIo, fmt::format("{}: {}", path.string(), std::strerror(errno)));
    }
    return lock;
  }

  LockFile(LockFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile() {
    if (file_ >= 0) ::close(file_);
  }

 private:
  explicit LockFile(int file) : file_(file) {}
  int file_;
};

}  // namespace

void Changes::Put(Table table, std::string_view key, std::string value) {
  TableChanges& changes = tables_[IndexOf(table)];
  if (const auto known = changes.find(key); known != changes.end()) {
    known->second = std::move(value);
  } else {
    changes.emplace(key, std::move(value));
  }
}

void Changes::Delete(Table table, std::string_view key) {
  tables_[IndexOf(table)].insert_or_assign(std::string(key), std::nullopt);
}

std::optional<std::optional<std::string_view>> Changes::Find(Table table,
                                                             std::string_view key) const {
  const TableChanges& changes = tables_[IndexOf(table)];
  const auto found = changes.find(key);
  if (found == changes.end()) return std::nullopt;
  if (!found->second.has_value()) return std::optional<std::string_view>();
  return std::optional<std::string_view>(*found->second);
}

std::vector<const Changes::TableChanges::value_type*> Changes::Of(Table table) const {
  const TableChanges& changes = tables_[IndexOf(table)];
  std::vector<const TableChanges::value_type*> all;
  all.reserve(changes.size());
  for (const auto& change : changes) all.push_back(&change);
  if (table == Table::kDocuments) {  // whose skip list is quicker so
    std::ranges::sort(all, {}, [](const auto* change) { return std::string_view(change->first); });
  }
  return all;
}

bool Changes::empty() const {
  for (const TableChanges& changes : tables_) {
    if (!changes.empty()) return false;
  }
  return true;
}

void Changes::Clear() {
  for (TableChanges& changes : tables_) changes.clear();
}

class Store::Impl {
 public:
  Impl(LockFile lock, const StoreOptions& options)
      : lock_(std::move(lock)), directory_(options.directory) {
    write_options_.disableWAL = !options.survive_crash;
  }
  ~Impl() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) {
      if (db_ != nullptr) (void)db_->DestroyColumnFamilyHandle(handle);
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Status Open(const StoreOptions& options) {
    rocksdb::DBOptions db_options;
    // Only where there is nothing: a database whose list of files was cut opens without complaint
    // otherwise, with tables that are empty and others that are not.
    // One that was being made when the process ended is made to the end.
    std::error_code ignored;
    const std::filesystem::path being_made = directory_ / "being-made";
    const bool is_new = std::filesystem::exists(being_made, ignored) ||
                        !std::filesystem::exists(directory_ / "CURRENT", ignored);
    if (is_new && !std::ofstream(being_made)) {
      return MakeError(ErrorCode::kIo, being_made.string() + " can't be written");
    }
    db_options.create_if_missing = is_new;
    db_options.create_missing_column_families = is_new;
    db_options.max_open_files = 512;
    db_options.info_log = std::make_shared<NoLog>();
    db_options.avoid_flush_during_shutdown = !options.survive_crash;
    db_options.db_write_buffer_size = options.write_buffer_bytes;
    // The log of writes is kept until every table has written what is in it: a table that hardly
    // changes would keep all of it, and opening reads it.
    db_options.max_total_wal_size = options.write_buffer_bytes;
    db_options.allow_concurrent_memtable_write = false;  // hash tables can't, and one thread writes

    rocksdb::BlockBasedTableOptions blocks;
    blocks.block_cache = rocksdb::NewLRUCache(options.block_cache_bytes);
    // Most lookups are for content and URLs never seen: the filter answers them without a read.
    blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    blocks.whole_key_filtering = false;  // the prefix is the whole key
    blocks.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;

    rocksdb::ColumnFamilyOptions family;
    family.write_buffer_size = options.write_buffer_bytes / 4;
    family.compression = rocksdb::kLZ4Compression;
    family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
    // What is not yet in files is in a hash table by the whole key, for nothing reads it in order
    // but ForEach. In RocksDB's skip list a fold spent half of its time (bench/fold_bench: 22,000
    // entries a second into a growing state instead of 39,000).
    family.prefix_extractor.reset(rocksdb::NewNoopTransform());
    family.memtable_factory.reset(rocksdb::NewHashSkipListRepFactory(kMemtableBuckets));

    // Documents come with ascending keys, and a skip list that remembers where the last one went
    // takes them in one step each. It is in order already when it is written to a file, for which a
    // hash table is sorted first: a fifth of the processor time of a fold.
    rocksdb::ColumnFamilyOptions ascending = family;
    ascending.memtable_factory.reset(new rocksdb::SkipListFactory);
    ascending.memtable_insert_with_hint_prefix_extractor.reset(
        rocksdb::NewCappedPrefixTransform(kHintBytes));

    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    families.emplace_back(rocksdb::kDefaultColumnFamilyName, family);
    for (std::size_t i = 0; i < kTableCount; ++i) {
      const bool is_ascending = static_cast<Table>(i) == Table::kDocuments;
      families.emplace_back(kTableNames[i], is_ascending ? ascending : family);
    }
    rocksdb::DB* db = nullptr;
    const rocksdb::Status status =
        rocksdb::DB::Open(db_options, directory_.string(), families, &handles_, &db);
    db_.reset(db);
    if (status.IsInvalidArgument()) {
      return tl::unexpected(ToError(rocksdb::Status::Corruption(status.ToString()), directory_));
    }
    if (!status.ok()) return tl::unexpected(ToError(status, directory_));
    if (is_new) std::filesystem::remove(being_made, ignored);
    return {};
  }

  rocksdb::DB& db() { return *db_; }
  // The first handle is RocksDB's own default family, which stays empty.
  rocksdb::ColumnFamilyHandle* handle(Table table) { return handles_[1 + IndexOf(table)]; }
  const std::filesystem::path& directory() const { return directory_; }
  const rocksdb::WriteOptions& write_options() const { return write_options_; }

 private:
  LockFile lock_;
  std::filesystem::path directory_;
  rocksdb::WriteOptions write_options_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::Open(const StoreOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error) {
    return MakeError(ErrorCode::kIo, fmt::format("state directory {}: {}",
                                                 options.directory.string(), error.message()));
  }
  auto lock = LockFile::Acquire(options.directory / "crawlsieve.lock");
  if (!lock) return tl::unexpected(lock.error());
  auto impl = std::make_unique<Impl>(std::move(*lock), options);
  if (auto opened = impl->Open(options); !opened) return tl::unexpected(opened.error());
  return std::unique_ptr<Store>(new Store(std::move(impl)));
}

Result<std::optional<std::string>> Store::Get(Table table, std::string_view key) const {
  std::string value;
  const rocksdb::Status status =
      impl_->db().Get(rocksdb::ReadOptions(), impl_->handle(table), ToSlice(key), &value);
  if (status.IsNotFound()) return std::optional<std::string>();
  if (!status.ok()) return tl::unexpected(ToError(status, impl_->directory()));
  return std::optional<std::string>(std::move(value));
}

Status Store::Apply(const Changes& changes) {
  rocksdb::WriteBatch batch;
  for (std::size_t i = 0; i < kTableCount; ++i) {
    rocksdb::ColumnFamilyHandle* family = impl_->handle(static_cast<Table>(i));
    for (const auto* change : changes.Of(static_cast<Table>(i))) {
      const auto& [key, value] = *change;
      const rocksdb::Status status =
          value.has_value() ? batch.Put(family, key, *value) : batch.Delete(family, key);
      if (!status.ok()) return tl::unexpected(ToError(status, impl_->directory()));
    }
  }
  const rocksdb::Status status = impl_->db().Write(impl_->write_options(), &batch);
  if (!status.ok()) return tl::unexpected(ToError(status, impl_->directory()));
  return {};
}

Status Store::ForEach(Table table,
                      const std::function<Status(std::string_view, std::string_view)>& visit,
                      std::string_view from) const {
  rocksdb::ReadOptions read;
  read.fill_cache = false;
  read.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> it(impl_->db().NewIterator(read, impl_->handle(table)));
  for (it->Seek(ToSlice(from)); it->Valid(); it->Next()) {
    if (auto visited = visit(it->key().ToStringView(), it->value().ToStringView()); !visited) {
      return visited;
    }
  }
  if (!it->status().ok()) return tl::unexpected(ToError(it->status(), impl_->directory()));
  return {};
}

}  // namespace crawlsieve
