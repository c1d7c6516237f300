#include "plugin/judge/row_history.h"

#include <algorithm>
#include <utility>

namespace crawlsieve {

void RowHistory::BeforeChange(Table table, std::string_view key, const Before& before) {
  auto& rows = tables_[static_cast<std::size_t>(table)];
  auto known = rows.find(key);
  if (known == rows.end()) known = rows.emplace(key, Versions()).first;
  Versions& versions = known->second;
  if (!versions.empty() && versions.back().until == entry_) return;
  Version& version = versions.emplace_back(Version{entry_, std::nullopt});
  if (!before.has_value()) return;
  version.row.emplace();
  if (before->has_value()) version.row->emplace(**before);
}

std::optional<RowHistory::Before> RowHistory::Find(Table table, std::string_view key,
                                                   std::uint64_t entry) const {
  const auto& rows = tables_[static_cast<std::size_t>(table)];
  const auto known = rows.find(key);
  if (known == rows.end()) return std::nullopt;
  const auto version = std::ranges::upper_bound(known->second, entry, {}, &Version::until);
  if (version == known->second.end()) return std::nullopt;
  if (!version->row.has_value()) return std::optional<Before>(std::in_place, std::nullopt);
  return std::optional<Before>(std::in_place, RowMap::Value(*version->row));
}

void RowHistory::Clear() {
  for (auto& rows : tables_) rows.clear();
}

}  // namespace crawlsieve
