#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/finding.h"
#include "plugin/judge/page_site.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/schedule/crawl_schedule.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/verdict.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace crawlsieve {

/// What judging one page comes to: its verdict, and the rows as they are from then on. Applied by
/// Apply.
struct PageDecision {
  enum class UrlChange { kNone, kWrite, kDelete };

  Verdict verdict;
  std::optional<DocumentRow> retired;   ///< a representative no longer
  std::optional<DocumentRow> inserted;  ///< the page, as a new representative
  std::optional<DocumentRow> matched;   ///< the page's match, where that changes
  std::optional<DocumentRow> left;      ///< another representative, whose cluster the URL has left
  UrlRow url;
  UrlChange url_change = UrlChange::kNone;
  std::optional<UrlRow> adopted;  ///< another URL, which takes over what is known of this one
  std::optional<HostRow> host;
  std::optional<PatternRow> patterns;
  SiteChange site;
  schedule::CrawlChange crawl;  ///< for CrawlSchedule::Add
  ConfirmWork work;
};

/// By what a page is judged besides what the rows hold.
struct JudgeRules {
  const JudgeParameters& parameters;
  std::uint32_t fold_version;
  const schedule::CrawlSchedule& crawl;  ///< as it is before the page
};

/// Judges the page of entry `id` by these rules. A pure function of its arguments and of what
/// `view` shows. Errors: as FindMatch.
[[nodiscard]] Result<PageDecision> Decide(const log::Page& page, DocId id, const JudgeRules& rules,
                                          JudgeView& view);

/// Takes the name of a row that is to be read. The key is valid during the call.
using RowNamer = std::function<void(Table table, std::string_view key)>;

/// Names the rows that Decide reads of a page whatever the state holds.
void NameFirstRows(const log::Page& page, const ReadRules& rules, const RowNamer& name);

/// Names the rows that Decide reads of a page besides, given a view that shows the first ones: all
/// of them where index and rows agree, and some that it may not come to. Rows that can't be read
/// count as absent.
void NameDocuments(const log::Page& page, const ReadRules& rules, JudgeView& view,
                   const RowNamer& name);

}  // namespace crawlsieve
