#include "plugin/judge/state_reader.h"

#include "plugin/base/result.h"
#include "plugin/judge/removal.h"

#include <utility>

#include <fmt/format.h>

namespace crawlsieve {

Result<std::unique_ptr<StateReader>> StateReader::Open(const std::filesystem::path& directory) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto store, ReadOnlyStore::Open(directory));
  std::unique_ptr<StateReader> reader(new StateReader(std::move(store)));
  CRAWLSIEVE_ASSIGN_OR_RETURN(reader->stored_, ReadProgress(*reader));
  if (!reader->progress().parameters.has_value()) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("the state in {} is empty: nothing was folded into it that came "
                                 "to its files",
                                 directory.string()));
  }
  return reader;
}

Result<RowMap::Value> StateReader::StoredRow(Table table, std::string_view key) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(last_, store_->Get(table, key));
  return RowMap::Value(last_);
}

Status StateReader::ForEach(
    Table table, std::string_view prefix,
    const std::function<Status(std::string_view, std::string_view)>& visit) const {
  const PurgedRows purged(progress().removal.purges);
  return store_->ForEach(
      table, prefix, [&](std::string_view key, std::string_view value) -> Status {
        CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_purged, purged.Has(table, key, value));
        return is_purged ? Status() : visit(key, value);
      });
}

}  // namespace crawlsieve
