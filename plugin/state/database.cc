#include "plugin/state/database.h"

#include "plugin/state/owner_advice.h"

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

namespace crawlsieve {
namespace {

constexpr std::array<const char*, kTableCount> kTableNames = {
    "documents", "content", "urls", "hosts", "marks", "meta", "restart"};

class Silent final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

}  // namespace

const char* NameOf(Table table) { return kTableNames.at(static_cast<std::size_t>(table)); }

std::vector<rocksdb::ColumnFamilyDescriptor> FamiliesOf(std::size_t block_cache_bytes) {
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

  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  families.emplace_back(rocksdb::kDefaultColumnFamilyName, family);
  for (std::size_t i = 0; i < kTableCount; ++i) {
    const auto table = static_cast<Table>(i);
    const bool is_scattered =
        table == Table::kContent || table == Table::kUrls || table == Table::kHosts;
    families.emplace_back(kTableNames[i], is_scattered ? scattered : family);
  }
  return families;
}

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
