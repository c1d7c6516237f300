#include "plugin/judge/score_rows.h"

#include "plugin/judge/fold_version.h"
#include "plugin/judge/page_site.h"
#include "plugin/judge/rows.h"
#include "plugin/log/links.h"
#include "plugin/site/url_parts.h"

namespace crawlsieve {

void ScoreRows::NameFirst(const log::Page& page, const RowNamer& name) {
  const std::string_view own = site::SiteOf(page.canonical_url());
  NameSite(own, true, name);
  if (page.links().empty() || bytes_left_ == 0) return;
  const auto links = log::UnpackLinks(page.links(), page.canonical_url());
  if (!links) return;  // whoever needs them reports that
  for (const auto* const list : {&links->main_text, &links->elsewhere}) {
    for (const std::string& url : *list) {
      if (bytes_left_ == 0) return;
      NameRow(Table::kUrls, UrlRow::Key(url, page, rules_.parameters.scope), name);
      const std::string_view site = site::SiteOf(url);
      NameSite(site, site == own || rules_.fold_version < kFoldVersionOfOtherSites, name);
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

void ScoreRows::NameSite(std::string_view site, bool with_parts, const RowNamer& name) {
  if (rules_.parameters.sites.max == 0) return;
  if (site == last_site_ && (last_has_parts_ || !with_parts)) return;
  last_site_ = site;
  last_has_parts_ = with_parts;
  if (const auto known = sites_.find(last_site_); known != sites_.end()) {
    known->second = known->second || with_parts;
    return;
  }
  if (sites_.size() >= max_sites_) return;
  sites_.emplace(last_site_, with_parts);
  NameSiteRows(site, rules_.parameters.sites.max,
               [&](std::string_view key) { NameRow(Table::kHosts, key, name); });
}

void ScoreRows::NameParts(RowReader& rows, const RowNamer& name) {
  for (const auto& [site, with_parts] : sites_) {
    if (bytes_left_ == 0) return;
    if (!with_parts) continue;
    NameSiteParts(site, rows, [&](std::string_view key) { NameRow(Table::kHosts, key, name); });
  }
}

}  // namespace crawlsieve
