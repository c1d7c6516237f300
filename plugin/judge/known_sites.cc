#include "plugin/judge/known_sites.h"

#include "plugin/judge/page_site.h"
#include "plugin/site/url_parts.h"

#include <utility>

namespace crawlsieve {

Result<const site::Site*> KnownSites::Find(std::string_view name, std::uint64_t max_sites,
                                           RowReader& rows) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
  } else {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto site, ReadSite(name, max_sites, rows));
    if (entries_.size() >= kMaxSites) Forget(entries_.back().name);
    entries_.push_front({std::string(name), std::move(site)});
    by_name_.emplace(entries_.front().name, entries_.begin());
  }
  const std::optional<site::Site>& site = entries_.front().site;
  return site.has_value() ? &*site : nullptr;
}

void KnownSites::Take(const site::PageObservation& observation) {
  if (by_name_.empty()) return;
  const auto known = by_name_.find(site::SiteOf(observation.url));
  if (known == by_name_.end()) return;
  // A site without rows may have got one, or not, if its slot is taken.
  if (!known->second->site.has_value()) return Forget(site::SiteOf(observation.url));
  static_cast<void>(known->second->site->AddPage(observation));
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
