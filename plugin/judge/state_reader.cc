#include "plugin/judge/state_reader.h"

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

Result<RowMap::Value> StateReader::Row(Table table, std::string_view key) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(last_, store_->Get(table, key));
  return RowMap::Value(last_);
}

}  // namespace crawlsieve
