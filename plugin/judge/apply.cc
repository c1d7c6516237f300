#include "plugin/judge/apply.h"

namespace crawlsieve {

void Apply(const PageDecision& decision, Changes& rows, ChangedIndex& index) {
  if (const auto& retired = decision.retired) {
    retired->Delete(rows);
    ContentRow::Of(*retired).Delete(rows);
    if (const auto entry = retired->InIndex()) index.Remove(*entry);
  }
  if (const auto& inserted = decision.inserted) {
    inserted->Write(rows);
    ContentRow::Of(*inserted).Write(rows);
    if (const auto entry = inserted->InIndex()) index.Insert(*entry);
  }
  if (decision.matched.has_value()) decision.matched->Write(rows);
  if (decision.left.has_value()) decision.left->Write(rows);
  switch (decision.url_change) {
    case PageDecision::UrlChange::kNone:
      break;
    case PageDecision::UrlChange::kWrite:
      decision.url.Write(rows);
      break;
    case PageDecision::UrlChange::kDelete:
      decision.url.Delete(rows);
      break;
  }
  if (decision.adopted.has_value()) decision.adopted->Write(rows);
  if (decision.host.has_value()) decision.host->Write(rows);
  if (decision.patterns.has_value()) decision.patterns->Write(rows);
  const SiteChange& site = decision.site;
  if (site.site.empty()) return;
  if (site.owner.has_value()) site.owner->Write(rows);
  if (site.parts_go_of.has_value()) LatestPart::DeleteAll(*site.parts_go_of, rows);
  if (site.part.has_value()) site.part->Write(rows);
  if (site.slot.has_value()) site.slot->Write(rows);
  if (site.learned.has_value()) site.learned->Write(rows);
}

}  // namespace crawlsieve
