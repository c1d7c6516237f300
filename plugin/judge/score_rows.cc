#include "plugin/judge/score_rows.h"

#include "plugin/judge/page_site.h"
#include "plugin/judge/rows.h"
#include "plugin/log/links.h"
#include "plugin/site/url_parts.h"

namespace crawlsieve {

void ScoreRows::NameFirst(const log::Page& page, const RowNamer& name) {
  NameSite(page.canonical_url(), name);
  if (page.links().empty()) return;
  const auto links = log::UnpackLinks(page.links(), page.canonical_url());
  if (!links) return;  // whoever needs them reports that
  for (const auto* const list : {&links->main_text, &links->elsewhere}) {
    for (const std::string& url : *list) {
      const std::string key = UrlRow::Key(url, page, parameters_.scope);
      if (key.size() > key_bytes_) return;
      key_bytes_ -= key.size();
      name(Table::kUrls, key);
      NameSite(url, name);
    }
  }
}

void ScoreRows::NameSite(std::string_view url, const RowNamer& name) {
  if (parameters_.sites.max == 0 || sites_.size() >= max_sites_) return;
  const std::string_view site = site::SiteOf(url);
  if (site == last_site_) return;
  last_site_ = site;
  if (!sites_.insert(last_site_).second) return;
  NameSiteRows(site, parameters_.sites.max,
               [&name](std::string_view key) { name(Table::kHosts, key); });
}

void ScoreRows::NameParts(RowReader& rows, const RowNamer& name) const {
  for (const std::string& site : sites_) {
    NameSiteParts(site, rows, [&name](std::string_view key) { name(Table::kHosts, key); });
  }
}

}  // namespace crawlsieve
