#include "plugin/judge/known_sites.h"

#include <string>
#include <utility>

namespace crawlsieve {

Result<const site::Site*> KnownSites::Find(std::string_view name, std::uint64_t max_sites,
                                           RowReader& rows) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
  } else {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto state, ReadSite(name, max_sites, rows));
    if (entries_.size() >= kMaxSites) Forget(entries_.back().name);
    Entry& entry = entries_.emplace_front(Entry{std::string(name), std::move(state)});
    by_name_.emplace(entry.name, entries_.begin());
  }
  const std::optional<SiteState>& state = entries_.front().state;
  return state.has_value() ? &state->site : nullptr;
}

void KnownSites::Take(const SiteChange& change) {
  if (entries_.empty() || !change.taken.has_value()) return;
  if (change.forgotten.has_value()) Forget(*change.forgotten);
  const auto known = by_name_.find(change.site);
  if (known != by_name_.end() && !Update(change, *known->second)) Forget(change.site);
}

bool KnownSites::Update(const SiteChange& change, Entry& entry) {
  if (!entry.state.has_value() || change.drops_latest) return false;
  // A reading takes the pages of the host with "www." last.
  auto& [of_host, of_www] = entry.state->latest_pages;
  const bool is_behind = change.is_www ? !change.takes_latest || of_host == 0 : of_www == 0;
  if (!is_behind) return false;
  static_cast<void>(entry.state->site.AddPage(*change.taken));
  (change.is_www ? of_www : of_host) = change.latest_pages;
  return true;
}

void KnownSites::Forget(std::string_view name) {
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return;
  const Entries::iterator entry = known->second;
  by_name_.erase(known);
  entries_.erase(entry);
}

void KnownSites::Clear() {
  by_name_.clear();
  entries_.clear();
}

}  // namespace crawlsieve
