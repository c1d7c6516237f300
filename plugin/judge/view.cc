#include "plugin/judge/view.h"

#include <utility>

namespace crawlsieve {

Result<std::vector<std::optional<std::string>>> RowReader::Rows(Table table,
                                                                std::span<const std::string> keys) {
  std::vector<std::optional<std::string>> rows;
  rows.reserve(keys.size());
  for (const std::string& key : keys) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, Row(table, key));
    rows.push_back(row.has_value() ? std::optional<std::string>(*row) : std::nullopt);
  }
  return rows;
}

}  // namespace crawlsieve
