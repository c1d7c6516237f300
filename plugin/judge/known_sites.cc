#include "plugin/judge/known_sites.h"

#include <utility>

namespace crawlsieve {

Result<const site::Site*> KnownSites::Find(std::string_view name, std::uint64_t max_sites,
                                           RowReader& rows) {
  const std::optional<SiteState>* known = sites_.Find(name);
  if (known == nullptr) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto state, ReadSite(name, max_sites, rows));
    known = &sites_.Add(name, std::move(state));
  }
  return known->has_value() ? &(*known)->site : nullptr;
}

Result<const site::Site*> KnownSites::FindLearned(std::string_view name, std::uint64_t max_sites,
                                                  RowReader& rows) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto slot, SlotHeldBy(name, max_sites, rows));
  if (!slot.has_value()) return nullptr;
  if (const site::Site* const known = learned_.Find(name)) return known;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto row, SiteRow::Read(rows, *slot));
  return &learned_.Add(name, std::move(row.site));
}

void KnownSites::Take(const SiteStep& step) {
  if (step.forgotten.has_value()) Forget(*step.forgotten);
  if (!step.taken.has_value()) return;
  if (step.takes_latest) learned_.Forget(step.site);
  std::optional<SiteState>* const known = sites_.Find(step.site);
  if (known != nullptr && !Update(step, *known)) sites_.Forget(step.site);
}

bool KnownSites::Update(const SiteStep& step, std::optional<SiteState>& state) {
  if (!state.has_value() || step.drops_latest) return false;
  // A reading takes the pages of the host with "www." last.
  auto& [of_host, of_www] = state->latest_pages;
  const bool is_behind = step.is_www ? !step.takes_latest || of_host == 0 : of_www == 0;
  if (!is_behind) return false;
  static_cast<void>(state->site.AddPage(*step.taken));
  (step.is_www ? of_www : of_host) = step.latest_pages;
  return true;
}

void KnownSites::Forget(std::string_view name) {
  sites_.Forget(name);
  learned_.Forget(name);
}

void KnownSites::Clear() {
  sites_.Clear();
  learned_.Clear();
}

}  // namespace crawlsieve
