#include "plugin/judge/score_rows.h"

#include "plugin/judge/page_site.h"
#include "plugin/judge/rows.h"
#include "plugin/log/links.h"
#include "plugin/site/url_parts.h"

namespace crawlsieve {

void ScoreRows::NameFirst(const log::Page& page, const RowNamer& name) {
  NameSite(page.canonical_url(), name);
  if (page.links().empty() || bytes_left_ == 0) return;
  const auto links = log::UnpackLinks(page.links(), page.canonical_url());
  if (!links) return;  // whoever needs them reports that
  for (const auto* const list : {&links->main_text, &links->elsewhere}) {
    for (const std::string& url : *list) {
      if (bytes_left_ == 0) return;
      NameRow(Table::kUrls, UrlRow::Key(url, page, parameters_.scope), name);
      NameSite(url, name);
    }
  }
}

void ScoreRows::NameRow(Table table, std::string_view key, const RowNamer& name) {
  const std::size_t bytes = key.size() + kRowBytes;
  if (bytes > bytes_left_) {
    bytes_left_ = 0;
    return;
  }
  bytes_left_ -= bytes;
  name(table, key);
}

void ScoreRows::NameSite(std::string_view url, const RowNamer& name) {
  if (parameters_.sites.max == 0 || sites_.size() >= max_sites_) return;
  const std::string_view site = site::SiteOf(url);
  if (site == last_site_) return;
  last_site_ = site;
  if (!sites_.insert(last_site_).second) return;
  NameSiteRows(site, parameters_.sites.max,
               [&](std::string_view key) { NameRow(Table::kHosts, key, name); });
}

void ScoreRows::NameParts(RowReader& rows, const RowNamer& name) {
  for (const std::string& site : sites_) {
    if (bytes_left_ == 0) return;
    NameSiteParts(site, rows, [&](std::string_view key) { NameRow(Table::kHosts, key, name); });
  }
}

}  // namespace crawlsieve
