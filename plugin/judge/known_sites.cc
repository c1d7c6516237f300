#include "plugin/judge/known_sites.h"

#include <algorithm>
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
    Entry& entry = entries_.emplace_front(Entry{std::string(name), std::move(state), {}});
    if (max_sites > 0) {
      const auto owners = LatestPagesOwnersOf(name);
      entry.owner_slots = {SiteSlot::Of(owners[0], max_sites), SiteSlot::Of(owners[1], max_sites)};
    }
    by_name_.emplace(entry.name, entries_.begin());
  }
  const std::optional<SiteState>& state = entries_.front().state;
  return state.has_value() ? &state->site : nullptr;
}

void KnownSites::Take(const SiteChange& change) {
  if (entries_.empty() || change.site.empty()) return;
  if (change.forgotten.has_value()) Forget(*change.forgotten);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    Entry& known = *entry++;
    const auto& slots = known.owner_slots;
    // The page may have come in the place of one of another site's.
    const bool is_same_slot =
        std::find(slots.begin(), slots.end(), change.owner_slot) != slots.end();
    const bool stays = known.name == change.site ? Update(change, known) : !is_same_slot;
    if (!stays) Forget(known.name);
  }
}

bool KnownSites::Update(const SiteChange& change, Entry& entry) {
  if (!entry.state.has_value() || change.drops_latest ||
      entry.owner_slots[0] == entry.owner_slots[1]) {
    return false;
  }
  // A reading takes the pages of the host with "www." last.
  auto& [of_host, of_www] = entry.state->latest_pages;
  const bool is_behind = change.is_www ? !change.takes_latest || of_host == 0 : of_www == 0;
  if (!is_behind) return false;
  static_cast<void>(entry.state->site.AddPage(change.taken));
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
