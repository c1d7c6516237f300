#include "plugin/state/read_only_store.h"

#include "plugin/base/result.h"
#include "plugin/state/database.h"
#include "plugin/state/lock_file.h"
#include "plugin/state/restored.h"

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

constexpr std::size_t kBlockCacheBytes = 64 << 20;

}  // namespace

class ReadOnlyStore::Impl {
 public:
  explicit Impl(std::filesystem::path directory) : directory_(std::move(directory)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Status Open() {
    CRAWLSIEVE_ASSIGN_OR_RETURN(lock_, LockFile::Share(directory_ / LockFile::kName));
    // `being-made` is there until the first process has made all of the database.
    std::error_code ignored;
    if (!std::filesystem::exists(directory_ / kCurrentFile, ignored) ||
        std::filesystem::exists(directory_ / "being-made", ignored)) {
      return MakeError(ErrorCode::kInvalidInput,
                       fmt::format("there is no state in {}", directory_.string()));
    }
    rocksdb::DBOptions options;
    options.max_open_files = 512;
    options.info_log = NoLog();
    // RocksDB's own log of writes is always empty, because rows come in whole files.
    CRAWLSIEVE_ASSIGN_OR_RETURN(database_,
                                Database::OpenForReading(directory_, options, kBlockCacheBytes));
    return {};
  }

  Result<std::optional<std::string>> Get(Table table, std::string_view key) {
    return database_->Get(rocksdb::ReadOptions(), table, key);
  }

  Result<std::optional<std::string>> ForEachOf(Table table, const StoreSnapshot::Range& range,
                                               const StoreSnapshot::Visit& visit) {
    rocksdb::ReadOptions read;
    read.fill_cache = false;
    read.readahead_size = 2 << 20;
    RowIterator it = database_->Iterate(read, table);
    it.Seek(std::max(range.prefix, range.after.value_or(std::string_view())));
    if (it.Valid() && range.after == it.key()) it.Next();
    std::optional<std::string> last(range.after);
    bool goes_on = true;
    for (std::size_t rows = 0; goes_on && rows < range.most_rows; ++rows, it.Next()) {
      if (!it.Valid() || !it.key().starts_with(range.prefix)) {
        if (!it.status().ok()) return tl::unexpected(ToError(it.status(), directory_));
        return std::optional<std::string>();
      }
      last = std::string(it.key());
      CRAWLSIEVE_ASSIGN_OR_RETURN(goes_on, visit(*last, it.value()));
    }
    return last;
  }

 private:
  const std::filesystem::path directory_;
  std::optional<LockFile> lock_;  // nullopt: of a copy, which no process ever had
  std::unique_ptr<Database> database_;
};

ReadOnlyStore::ReadOnlyStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ReadOnlyStore::~ReadOnlyStore() = default;

Result<std::unique_ptr<ReadOnlyStore>> ReadOnlyStore::Open(const std::filesystem::path& directory) {
  auto impl = std::make_unique<Impl>(directory);
  CRAWLSIEVE_RETURN_IF_ERROR(impl->Open());
  return std::unique_ptr<ReadOnlyStore>(new ReadOnlyStore(std::move(impl)));
}

Result<std::optional<std::string>> ReadOnlyStore::Get(Table table, std::string_view key) const {
  return impl_->Get(table, key);
}

Result<std::optional<std::string>> ReadOnlyStore::ForEachOf(
    Table table, const StoreSnapshot::Range& range, const StoreSnapshot::Visit& visit) const {
  return impl_->ForEachOf(table, range, visit);
}

Status ReadOnlyStore::ForEach(
    Table table, std::string_view prefix,
    const std::function<Status(std::string_view, std::string_view)>& visit) const {
  const auto read =
      impl_->ForEachOf(table, {prefix, std::nullopt, std::numeric_limits<std::size_t>::max()},
                       [&](std::string_view key, std::string_view value) -> Result<bool> {
                         CRAWLSIEVE_RETURN_IF_ERROR(visit(key, value));
                         return true;
                       });
  return read.has_value() ? Status() : tl::unexpected(read.error());
}

}  // namespace crawlsieve
