#include "plugin/state/database.h"

#include "plugin/state/latest_page_key.h"
#include "plugin/state/owner_advice.h"
#include "plugin/state/read_together.h"
#include "plugin/state/row_group.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

namespace crawlsieve {
namespace {

constexpr std::array<const char*, kTableCount> kTableNames = {
    "documents", "content", "urls", "hosts", "marks", "meta", "restart"};

constexpr const char* kSites = "sites";
constexpr const char* kLatestPages = "latest_pages";
constexpr std::size_t kFamilyCount = 1 + kTableCount + 2;

/// What keys of table hosts begin with that are of sites, and the first byte behind these.
constexpr std::string_view kSitePrefix("\0", 1);
constexpr std::string_view kBehindSites("\1", 1);

/// Changes of so many groups are fetched at the same time.
constexpr std::size_t kGroupsTogether = 32;

/// In RocksDB's own family: there once all rows are where they belong. A state that has it and
/// lacks a family isn't an older one.
constexpr std::string_view kArranged = "arranged";

bool IsOfSites(Table table, std::string_view key) {
  return table == Table::kHosts && key.starts_with(kSitePrefix);
}

/// RocksDB's own family, one for each table, in the order of Table, and those of sites.
std::vector<rocksdb::ColumnFamilyDescriptor> AllFamilies(std::size_t block_cache_bytes) {
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = rocksdb::NewLRUCache(block_cache_bytes);
  // Most lookups are for content and URLs never seen: the filter answers them without a read.
  blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  blocks.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;

  rocksdb::ColumnFamilyOptions family;
  family.compression = rocksdb::kLZ4Compression;
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));

  // Keys that are hashes, or as good as: every file has some of everywhere. Files of about the
  // same size are merged, so that a row is written anew a few times, not at every level.
  rocksdb::ColumnFamilyOptions scattered = family;
  scattered.compaction_style = rocksdb::kCompactionStyleUniversal;
  // How often a row is written anew grows with the number of files that came, and the faster the
  // fewer may lie there (docs/decisions/0041). To look into more of them costs less, but for hosts:
  // each page reads its host's row, which every file may have.
  rocksdb::ColumnFamilyOptions merged_late = scattered;
  merged_late.level0_file_num_compaction_trigger = 8;

  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  families.emplace_back(rocksdb::kDefaultColumnFamilyName, family);
  for (std::size_t i = 0; i < kTableCount; ++i) {
    const auto table = static_cast<Table>(i);
    const bool is_merged_late = table == Table::kContent || table == Table::kUrls;
    families.emplace_back(kTableNames[i], is_merged_late           ? merged_late
                                          : table == Table::kHosts ? scattered
                                                                   : family);
  }
  families.emplace_back(kSites, merged_late);
  merged_late.merge_operator = MergeOfRowGroups();
  families.emplace_back(kLatestPages, merged_late);
  return families;
}

/// Of a state on disk; empty where that can't be read, which whoever opens it will find.
std::vector<std::string> NamesOfFamilies(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  const rocksdb::Status listed =
      rocksdb::DB::ListColumnFamilies(rocksdb::DBOptions(), directory.string(), &names);
  return listed.ok() ? names : std::vector<std::string>();
}

/// RocksDB would read on without a family that it isn't told of.
Status KnowsAll(const std::vector<std::string>& names,
                const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                const std::filesystem::path& directory) {
  for (const std::string& name : names) {
    if (std::ranges::find(families, name, &rocksdb::ColumnFamilyDescriptor::name) ==
        families.end()) {
      return MakeError(ErrorCode::kMismatch,
                       fmt::format("state in {}: another version made {} in it, which this one "
                                   "doesn't know; use that version",
                                   directory.string(), name));
    }
  }
  return {};
}

/// How many of the first of AllFamilies a state has that was written before there were those of
/// sites; nullopt: it is none of these.
std::optional<std::size_t> OlderFamilies(const std::vector<std::string>& names) {
  if (names.size() <= kTableCount || names.size() >= kFamilyCount) return std::nullopt;
  const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  if (!std::ranges::all_of(kTableNames, has)) return std::nullopt;
  if (names.size() > 1 + kTableCount && !has(kSites)) return std::nullopt;
  return names.size();
}

/// Whether a state was arranged once, whatever families it has now.
rocksdb::Status LookForArranged(const std::filesystem::path& directory, bool& is_arranged) {
  rocksdb::DBOptions options;
  options.info_log = NoLog();
  const std::vector<rocksdb::ColumnFamilyDescriptor> own{
      {rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions()}};
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status =
      rocksdb::DB::OpenForReadOnly(options, directory.string(), own, &families, &opened);
  const std::unique_ptr<rocksdb::DB> db(opened);
  if (!status.ok()) return status;
  std::string ignored;
  status = db->Get(rocksdb::ReadOptions(), families.front(), ToSlice(kArranged), &ignored);
  is_arranged = status.ok();
  const rocksdb::Status closed = db->DestroyColumnFamilyHandle(families.front());
  return status.IsNotFound() ? closed : status;
}

class Silent final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

/// Files of some families that become part of a database in one step.
class FilesToAdd {
 public:
  FilesToAdd(rocksdb::DB& db, const std::filesystem::path& folder) : db_(db), folder_(folder) {}

  /// The file of a family. A row may be put behind a deletion of all rows, which spares it.
  rocksdb::Status Put(rocksdb::ColumnFamilyHandle* family, std::string_view key,
                      std::string_view value) {
    rocksdb::SstFileWriter* file = nullptr;
    rocksdb::Status status = FileOf(family, file);
    return status.ok() ? file->Put(ToSlice(key), ToSlice(value)) : status;
  }
  rocksdb::Status DeleteRange(rocksdb::ColumnFamilyHandle* family, std::string_view begin,
                              std::string_view end) {
    rocksdb::SstFileWriter* file = nullptr;
    rocksdb::Status status = FileOf(family, file);
    return status.ok() ? file->DeleteRange(ToSlice(begin), ToSlice(end)) : status;
  }

  rocksdb::Status Add() {
    std::vector<rocksdb::IngestExternalFileArg> files;
    for (const auto& [family, file] : files_) {
      rocksdb::Status finished = file->Finish();
      if (!finished.ok()) return finished;
      rocksdb::IngestExternalFileArg& arg = files.emplace_back();
      arg.column_family = family;
      arg.external_files = {PathOf(family)};
      arg.options.move_files = true;
      arg.options.write_global_seqno = false;
    }
    return db_.IngestExternalFiles(files);
  }

 private:
  /// One for each family, because each would be a sorted run of its own.
  rocksdb::Status FileOf(rocksdb::ColumnFamilyHandle* family, rocksdb::SstFileWriter*& file) {
    std::unique_ptr<rocksdb::SstFileWriter>& writer = files_[family];
    rocksdb::Status status;
    if (writer == nullptr) {
      writer = std::make_unique<rocksdb::SstFileWriter>(rocksdb::EnvOptions(),
                                                        db_.GetOptions(family), family);
      status = writer->Open(PathOf(family));
    }
    file = writer.get();
    return status;
  }

  [[nodiscard]] std::string PathOf(rocksdb::ColumnFamilyHandle* family) const {
    return folder_ / (family->GetName() + ".sst");
  }

  rocksdb::DB& db_;
  const std::filesystem::path& folder_;
  std::map<rocksdb::ColumnFamilyHandle*, std::unique_ptr<rocksdb::SstFileWriter>> files_;
};

rocksdb::Status DecodeGroup(std::string_view bytes, RowGroup& group) {
  std::optional<RowGroup> decoded = RowGroup::Decode(bytes);
  if (!decoded.has_value()) return NoGroup();
  group = *std::move(decoded);
  return rocksdb::Status::OK();
}

}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const std::filesystem::path& directory,
                                                 rocksdb::DBOptions options,
                                                 std::size_t block_cache_bytes) {
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = AllFamilies(block_cache_bytes);
  const std::vector<std::string> names = NamesOfFamilies(directory);
  CRAWLSIEVE_RETURN_IF_ERROR(KnowsAll(names, families, directory));
  if (OlderFamilies(names).has_value()) {
    bool was_arranged = false;
    const rocksdb::Status looked = LookForArranged(directory, was_arranged);
    if (!looked.ok()) return tl::unexpected(ToError(looked, directory));
    // Else RocksDB finds that families of its list are missing.
    if (!was_arranged) options.create_missing_column_families = true;
  }
  std::unique_ptr<Database> database(new Database(directory));
  rocksdb::DB* rocksdb = nullptr;
  const rocksdb::Status opened =
      rocksdb::DB::Open(options, directory.string(), families, &database->families_, &rocksdb);
  CRAWLSIEVE_RETURN_IF_ERROR(database->Opened(opened, rocksdb));
  return database;
}

Result<std::unique_ptr<Database>> Database::OpenForReading(const std::filesystem::path& directory,
                                                           const rocksdb::DBOptions& options,
                                                           std::size_t block_cache_bytes) {
  std::vector<rocksdb::ColumnFamilyDescriptor> families = AllFamilies(block_cache_bytes);
  const std::vector<std::string> names = NamesOfFamilies(directory);
  CRAWLSIEVE_RETURN_IF_ERROR(KnowsAll(names, families, directory));
  const std::optional<std::size_t> older = OlderFamilies(names);
  if (older.has_value()) families.erase(families.begin() + *older, families.end());
  std::unique_ptr<Database> database(new Database(directory));
  rocksdb::DB* rocksdb = nullptr;
  const rocksdb::Status opened = rocksdb::DB::OpenForReadOnly(options, directory.string(), families,
                                                              &database->families_, &rocksdb);
  CRAWLSIEVE_RETURN_IF_ERROR(database->Opened(opened, rocksdb));
  return database;
}

Status Database::Opened(const rocksdb::Status& status, rocksdb::DB* rocksdb) {
  rocksdb_.reset(rocksdb);
  if (status.IsInvalidArgument()) {
    return tl::unexpected(ToError(rocksdb::Status::Corruption(status.ToString()), directory_));
  }
  if (!status.ok()) return tl::unexpected(ToError(status, directory_));
  const rocksdb::Status found = FindArrangement();
  return found.ok() ? Status() : tl::unexpected(ToError(found, directory_));
}

Database::~Database() {
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    if (rocksdb_ != nullptr) (void)rocksdb_->DestroyColumnFamilyHandle(family);
  }
}

rocksdb::Status Database::FindArrangement() {
  std::string ignored;
  rocksdb::Status arranged =
      rocksdb_->Get(rocksdb::ReadOptions(), families_.front(), ToSlice(kArranged), &ignored);
  if (!arranged.ok() && !arranged.IsNotFound()) return arranged;
  is_arranged_ = arranged.ok();
  if (is_arranged_) {
    if (families_.size() < kFamilyCount) {
      return rocksdb::Status::Corruption("families of sites are missing");
    }
    sites_ = families_[kFamilyCount - 2];
    latest_pages_ = families_[kFamilyCount - 1];
    return rocksdb::Status::OK();
  }
  // At first they were among those of hosts, then all of them in one family.
  const std::unique_ptr<rocksdb::Iterator> it(
      rocksdb_->NewIterator(rocksdb::ReadOptions(), HomeOf(Table::kHosts)));
  it->Seek(ToSlice(kSitePrefix));
  const bool among_hosts = it->Valid() && it->key().starts_with(ToSlice(kSitePrefix));
  const bool had_family = families_.size() > 1 + kTableCount && !among_hosts;
  sites_ = had_family ? families_[1 + kTableCount] : HomeOf(Table::kHosts);
  latest_pages_ = sites_;
  return it->status();
}

Result<bool> Database::Arrange(const std::filesystem::path& folder) {
  rocksdb::ColumnFamilyHandle* const from = sites_;
  rocksdb::ColumnFamilyHandle* const sites = families_[kFamilyCount - 2];
  rocksdb::ColumnFamilyHandle* const latest_pages = families_[kFamilyCount - 1];
  const std::string_view first = from == sites ? kBeforeLatestPages : kSitePrefix;
  FilesToAdd files(*rocksdb_, folder);
  rocksdb::Status status = files.Put(families_.front(), kArranged, "");
  std::string group_key;
  std::vector<std::pair<char, std::string>> members;  // of that group, until it is put
  const auto put_group = [&] {
    if (members.empty()) return rocksdb::Status::OK();
    RowGroup group;
    for (const auto& [last_byte, value] : members) group.Put(last_byte, value);
    rocksdb::Status put = files.Put(latest_pages, group_key, group.Encode());
    members.clear();
    return put;
  };
  rocksdb::ReadOptions read;
  read.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> it(rocksdb_->NewIterator(read, from));
  it->Seek(ToSlice(first));
  const auto is_in = [&] { return it->Valid() && it->key().ToStringView() < kBehindSites; };
  const bool are_any = is_in();
  if (status.ok() && are_any) status = files.DeleteRange(from, first, kBehindSites);
  for (; status.ok() && is_in(); it->Next()) {
    const std::string_view key = it->key().ToStringView();
    if (!IsLatestPage(key)) {
      status = files.Put(sites, key, it->value().ToStringView());
      continue;
    }
    if (GroupOf(key) != group_key) {
      status = put_group();
      group_key = GroupOf(key);
    }
    members.emplace_back(key.back(), it->value().ToString());
  }
  if (status.ok()) status = put_group();
  if (status.ok()) status = it->status();
  if (status.ok()) status = files.Add();
  if (status.ok()) status = FindArrangement();
  if (!status.ok()) return tl::unexpected(ToError(status, directory_));
  return are_any;
}

rocksdb::ColumnFamilyHandle* Database::HomeOf(Table table) const {
  return families_[1 + static_cast<std::size_t>(table)];
}

rocksdb::ColumnFamilyHandle* Database::FamilyOf(Table table, std::string_view key) const {
  if (!IsOfSites(table, key)) return HomeOf(table);
  return IsLatestPage(key) ? latest_pages_ : sites_;
}

bool Database::HasGroups(const rocksdb::ColumnFamilyHandle* family) const {
  return is_arranged_ && family == latest_pages_;
}

Result<std::optional<std::string>> Database::Get(const rocksdb::ReadOptions& read, Table table,
                                                 std::string_view key) const {
  rocksdb::ColumnFamilyHandle* const family = FamilyOf(table, key);
  const bool in_group = HasGroups(family);
  std::string value;
  rocksdb::Status status =
      rocksdb_->Get(read, family, ToSlice(in_group ? GroupOf(key) : key), &value);
  if (status.IsNotFound()) return std::optional<std::string>();
  RowGroup group;
  if (status.ok() && in_group) status = DecodeGroup(value, group);
  if (!status.ok()) return tl::unexpected(ToError(status, directory_));
  if (!in_group) return std::optional<std::string>(std::move(value));
  const std::optional<std::string_view> member = group.Find(key.back());
  return member.has_value() ? std::optional<std::string>(*member) : std::nullopt;
}

Status Database::GetAll(Table table, std::vector<const RowMap::Row*> wanted, RowMap& rows) const {
  for (auto& [family, of_family] : ByFamily(table, std::move(wanted))) {
    const rocksdb::Status read = HasGroups(family)
                                     ? ReadMembers(*rocksdb_, family, of_family, rows)
                                     : ReadRows(*rocksdb_, family, std::move(of_family), rows);
    if (!read.ok()) return tl::unexpected(ToError(read, directory_));
  }
  return {};
}

RowIterator Database::Iterate(const rocksdb::ReadOptions& read, Table table) const {
  std::vector<FamilyIterator> families;
  const auto add = [&](rocksdb::ColumnFamilyHandle* family) {
    families.emplace_back(std::unique_ptr<rocksdb::Iterator>(rocksdb_->NewIterator(read, family)),
                          HasGroups(family));
  };
  add(HomeOf(table));
  if (table == Table::kHosts) {
    if (sites_ != HomeOf(table)) add(sites_);
    if (latest_pages_ != sites_) add(latest_pages_);
  }
  return RowIterator(std::move(families));
}

Result<std::string> Database::LastDocument() const {
  const std::unique_ptr<rocksdb::Iterator> it(
      rocksdb_->NewIterator(rocksdb::ReadOptions(), HomeOf(Table::kDocuments)));
  it->SeekToLast();
  if (it->Valid()) return it->key().ToString();
  if (!it->status().ok()) return tl::unexpected(ToError(it->status(), directory_));
  return std::string();
}

std::vector<Database::FamilyRows> Database::ByFamily(Table table,
                                                     std::vector<const RowMap::Row*> rows) const {
  std::vector<FamilyRows> parts;
  if (rows.empty()) return parts;
  if (table != Table::kHosts) {
    parts.push_back({HomeOf(table), std::move(rows)});
    return parts;
  }
  for (const RowMap::Row* const row : rows) {
    rocksdb::ColumnFamilyHandle* const family = FamilyOf(table, row->key());
    auto part = std::ranges::find(parts, family, &FamilyRows::family);
    if (part == parts.end()) part = parts.insert(part, {family, {}});
    part->rows.push_back(row);
  }
  return parts;
}

std::vector<Database::FamilyChanges> Database::ByFamily(Table table, const Changes& changes) const {
  std::vector<FamilyChanges> parts;
  for (FamilyRows& part : ByFamily(table, changes.Of(table).InOrder())) {
    parts.push_back({part.family, std::move(part.rows), {}});
  }
  if (table == Table::kHosts && !changes.latest_pages().empty()) {
    parts.push_back({latest_pages_, {}, &changes.latest_pages()});
  }
  return parts;
}

Status Database::WriteFile(const FamilyChanges& changes, const std::string& path) const {
  const auto& [family, rows, latest_pages] = changes;
  // What was written last is read soonest.
  constexpr bool kDropFromPageCache = false;
  rocksdb::SstFileWriter file(rocksdb::EnvOptions(), rocksdb_->GetOptions(family), family,
                              kDropFromPageCache);
  rocksdb::Status status = file.Open(path);
  if (latest_pages != nullptr) {
    if (status.ok()) status = WriteGroups(*latest_pages, file);
  } else {
    for (auto row = rows.begin(); status.ok() && row != rows.end(); ++row) {
      status = (*row)->value().has_value()
                   ? file.Put(ToSlice((*row)->key()), ToSlice(*(*row)->value()))
                   : file.Delete(ToSlice((*row)->key()));
    }
  }
  if (status.ok()) status = file.Finish();
  return status.ok() ? Status() : tl::unexpected(ToError(status, directory_));
}

rocksdb::Status Database::WriteGroups(const GroupMap& groups, rocksdb::SstFileWriter& file) const {
  rocksdb::Status status;
  GroupChanges changes;
  const std::vector<const RowMap::Row*> in_order = groups.InOrder();
  for (std::size_t i = 0; status.ok() && i < in_order.size(); ++i) {
    if (i % kGroupsTogether == 0) {
      const std::span rest = std::span(in_order).subspan(i);
      groups.Fetch(rest.first(std::min(kGroupsTogether, rest.size())));
    }
    groups.ChangesOf(*in_order[i], changes);
    status = WriteGroup(in_order[i]->key(), changes, file);
  }
  return status;
}

/// Rows that come to a group are merged into it by RocksDB, some time. One that loses some of its
/// rows is read and written anew; one that was deleted needn't be read.
rocksdb::Status Database::WriteGroup(std::string_view key, const GroupChanges& changes,
                                     rocksdb::SstFileWriter& file) const {
  const auto has_value = [](const GroupChanges::Row& row) { return row.value.has_value(); };
  const bool only_come = !changes.others_deleted && std::ranges::all_of(changes.rows, has_value);
  std::string before;
  RowGroup group;
  if (!changes.others_deleted && !only_come) {
    rocksdb::ReadOptions read;
    read.fill_cache = false;
    rocksdb::Status status = rocksdb_->Get(read, latest_pages_, ToSlice(key), &before);
    if (status.ok()) status = DecodeGroup(before, group);
    if (!status.ok() && !status.IsNotFound()) return status;
  }
  for (const auto& [number, value] : changes.rows) {
    if (value.has_value()) {
      group.Put(static_cast<char>(number), *value);
    } else {
      group.Remove(static_cast<char>(number));
    }
  }
  if (only_come) return file.Merge(ToSlice(key), group.Encode());
  if (group.members().empty()) return file.Delete(ToSlice(key));
  return file.Put(ToSlice(key), group.Encode());
}

std::uint64_t Database::EstimateDocuments() const {
  std::uint64_t rows = 0;
  rocksdb_->GetIntProperty(HomeOf(Table::kDocuments), rocksdb::DB::Properties::kEstimateNumKeys,
                           &rows);
  return rows;
}

rocksdb::Status NoGroup() { return rocksdb::Status::Corruption("a row is no group of rows"); }

Error ToError(const rocksdb::Status& status, const std::filesystem::path& directory) {
  const ErrorCode code = status.IsCorruption() ? ErrorCode::kCorruption
                         : status.IsBusy()     ? ErrorCode::kBusy
                                               : ErrorCode::kIo;
  const std::string what = status.ToString();
  std::string advice;
  if (status.IsCorruption()) {
    advice =
        "; move the directory away, and the next start rebuilds the state from the admission log";
  } else if (status.IsNoSpace()) {
    advice = "; nothing is lost: once the disk has room, the next start goes on from here";
  } else if (what.find(std::strerror(EACCES)) != std::string::npos) {
    advice = OwnerAdvice(directory);
  }
  return {code, fmt::format("state in {}: {}{}", directory.string(), what, advice)};
}

std::shared_ptr<rocksdb::Logger> NoLog() { return std::make_shared<Silent>(); }

}  // namespace crawlsieve
