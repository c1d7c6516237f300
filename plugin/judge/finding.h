#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/verdict/comparison.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/reason.h"

#include <cstdint>
#include <optional>

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

/// What a page that repeats none has in common with live pages of its site, as far as they were
/// compared: with those that the index finds nearest.
struct SiteNeighbours {
  Score similarity;             ///< the highest
  bool has_same_words = false;  ///< one has the same words, nearly, in another order
};

/// What a page's content was found to be.
struct Finding {
  Reason reason = Reason::kNotEvaluated;
  std::optional<DocumentRow> match;  ///< what the page repeats
  Comparison comparison;             ///< of page and match
  SiteNeighbours neighbours;         ///< where there is no match
};

/// The reason of a page that isn't compared with any other; nullopt: it is compared.
[[nodiscard]] std::optional<Reason> ReasonWithoutComparison(const log::Page& page,
                                                            const PageTraits& traits,
                                                            const JudgeParameters& parameters);

/// Finds the reason of a page and the document that it repeats: docs/verdicts.md, "How a reason is
/// found". `own` is the live kept version of the page's URL. The one copy of this rule: the fold
/// and the evaluation of page pairs both use it. Adds to `work`. Reads `view`, changes nothing.
/// Errors: those of the view, kCorruption where index and rows contradict each other, and kBusy
/// where it needs more candidates than the view knows yet.
[[nodiscard]] Result<Finding> FindMatch(const log::Page& page,
                                        const std::optional<DocumentRow>& own,
                                        const JudgeParameters& parameters, JudgeView& view,
                                        ConfirmWork& work);

}  // namespace crawlsieve
