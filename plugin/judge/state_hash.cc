#include "plugin/judge/state_hash.h"

#include <cstdint>
#include <string>

namespace crawlsieve {
namespace {

void AppendSized(std::string_view bytes, std::string& text) {
  for (int shift = 0; shift < 64; shift += 8) {
    text += static_cast<char>(std::uint64_t{bytes.size()} >> shift);
  }
  text += bytes;
}

}  // namespace

Result<Checksum> StateHash(const Store& store) {
  Checksum hash;
  std::string record;
  for (const Table table : kFoldedTables) {
    const auto read =
        store.ForEach(table, [&](std::string_view key, std::string_view value) -> Status {
          record = ToBytes(hash);
          record += static_cast<char>(table);
          AppendSized(key, record);
          AppendSized(value, record);
          hash = RawChecksum(record);
          return {};
        });
    if (!read) return tl::unexpected(read.error());
  }
  return hash;
}

}  // namespace crawlsieve
