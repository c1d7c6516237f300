#include "plugin/judge/view.h"

namespace crawlsieve {

Result<RowValues> RowReader::Rows(Table table, std::span<const std::string_view> keys) {
  RowValues rows;
  rows.values.reserve(keys.size());
  for (const std::string_view key : keys) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, Row(table, key));
    if (row.has_value()) rows.copies.Put(key, row);
    rows.values.push_back(row.has_value() ? *rows.copies.Find(key) : std::nullopt);
  }
  return rows;
}

}  // namespace crawlsieve
