#include "plugin/judge/state_view.h"

#include "plugin/judge/removal.h"

namespace crawlsieve {

Result<RowMap::Value> StateView::Row(Table table, std::string_view key) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bytes, StoredRow(table, key));
  if (!bytes.has_value()) return bytes;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_purged,
                              PurgedRows(progress().removal.purges).Has(table, key, *bytes));
  return is_purged ? RowMap::Value() : bytes;
}

Result<std::optional<std::string>> StateView::ForEachOf(Table table,
                                                        const StoreSnapshot::Range& range,
                                                        const StoreSnapshot::Visit& visit) {
  const PurgedRows purged(progress().removal.purges);
  return ForEachStored(
      table, range, [&](std::string_view key, std::string_view value) -> Result<bool> {
        CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_purged, purged.Has(table, key, value));
        if (is_purged) return true;
        return visit(key, value);
      });
}

}  // namespace crawlsieve
