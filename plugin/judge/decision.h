#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/schedule/crawl_schedule.h"
#include "plugin/verdict/comparison.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/reason.h"
#include "plugin/verdict/verdict.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace crawlsieve {

/// What confirming near duplicates took; counted, so that no data can make it slow unseen.
struct ConfirmWork {
  std::uint64_t compared = 0;   ///< candidates read from the store and compared
  std::uint64_t confirmed = 0;  ///< of these, near duplicates
  std::uint64_t cut = 0;        ///< pages that had more candidates than `max_candidates`, none near

  ConfirmWork& operator+=(const ConfirmWork& other) {
    compared += other.compared;
    confirmed += other.confirmed;
    cut += other.cut;
    return *this;
  }
};

/// What a page's content was found to be.
struct Finding {
  Reason reason = Reason::kNotEvaluated;
  std::optional<DocumentRow> match;  ///< what the page repeats
  Comparison comparison;             ///< of page and match
};

/// Finds the reason of a page and the document that it repeats: docs/verdicts.md, "How a reason is
/// found". `own` is the live kept version of the page's URL. The one copy of this rule: the fold
/// and the evaluation of page pairs both use it. Adds to `work`. Reads `view`, changes nothing.
/// Errors: those of the view, and kCorruption where index and rows contradict each other.
[[nodiscard]] Result<Finding> FindMatch(const log::Page& page,
                                        const std::optional<DocumentRow>& own,
                                        const JudgeParameters& parameters, JudgeView& view,
                                        ConfirmWork& work);

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
void NameFirstRows(const log::Page& page, const JudgeParameters& parameters, const RowNamer& name);

/// Names the rows that Decide reads of a page besides, given a view that shows the first ones: all
/// of them where index and rows agree, and some that it may not come to. Rows that can't be read
/// count as absent.
void NameDocuments(const log::Page& page, const JudgeParameters& parameters, JudgeView& view,
                   const RowNamer& name);

}  // namespace crawlsieve
