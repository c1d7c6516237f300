#include "plugin/state/noted_rows.h"

#include <cstdint>

namespace crawlsieve {

void NotedRows::Note(const Changes& coming, const Changes& later) {
  if (is_lost_) return;
  for (std::size_t i = 0; i < kTableCount; ++i) {
    const auto table = static_cast<Table>(i);
    later.ForEach(table, [&](std::string_view key, const RowMap::Value& /*value*/) {
      if (Find(table, key).has_value()) return;
      const std::optional<RowMap::Value> before = coming.Find(table, key);
      if (!before.has_value()) {
        absent_.Delete(table, key);
      } else if (before->has_value()) {
        among_.Put(table, key, **before);
      } else {
        among_.Delete(table, key);
      }
    });
  }
  if (among_.bytes() + absent_.bytes() <= most_bytes_) return;
  is_lost_ = true;
  among_ = Changes();
  absent_ = Changes();
}

std::optional<NotedRows::Before> NotedRows::Find(Table table, std::string_view key) const {
  if (const auto before = among_.Find(table, key)) return Before{true, *before};
  if (absent_.Find(table, key).has_value()) return Before{};
  return std::nullopt;
}

}  // namespace crawlsieve
