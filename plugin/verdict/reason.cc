#include "plugin/verdict/reason.h"

#include <algorithm>
#include <array>

namespace crawlsieve {
namespace {

constexpr std::array<Rule, kReasonCount> kRules = {{
    // clang-format off
    // reason                   name               decision         inserts retires match                   links  host                     novelty
    {Reason::kUnique,         "unique",          Decision::kKeep, true,  false, MatchRule::kNone,       true,  HostCount::kAsPage,      10000},
    {Reason::kExactDuplicate, "exact_duplicate", Decision::kDrop, false, true,  MatchRule::kOtherPage,  false, HostCount::kAsDuplicate, 0},
    {Reason::kNearDuplicate,  "near_duplicate",  Decision::kDrop, false, true,  MatchRule::kOtherPage,  false, HostCount::kAsDuplicate, 1000},
    {Reason::kUnchanged,      "unchanged",       Decision::kDrop, false, false, MatchRule::kOwnVersion, false, HostCount::kNot,         2000},
    {Reason::kUpdated,        "updated",         Decision::kKeep, true,  true,  MatchRule::kNone,       true,  HostCount::kAsPage,      10000},
    {Reason::kClusterBudget,  "cluster_budget",  Decision::kKeep, false, true,  MatchRule::kOtherPage,  true,  HostCount::kAsDuplicate, 3000},
    {Reason::kTooShort,       "too_short",       Decision::kKeep, false, true,  MatchRule::kNone,       true,  HostCount::kAsPage,      3000},
    {Reason::kNotHtml,        "not_html",        Decision::kKeep, true,  true,  MatchRule::kNone,       false, HostCount::kAsPage,      5000},
    {Reason::kErrorStatus,    "error_status",    Decision::kDrop, false, false, MatchRule::kNone,       false, HostCount::kNot,         0},
    {Reason::kDeleted,        "deleted",         Decision::kDrop, false, true,  MatchRule::kNone,       false, HostCount::kNot,         0},
    {Reason::kNotEvaluated,   "not_evaluated",   Decision::kKeep, false, false, MatchRule::kNone,       true,  HostCount::kNot,         5000},
    {Reason::kNotModified,    "not_modified",    Decision::kDrop, false, false, MatchRule::kNone,       false, HostCount::kNot,         2000},
    {Reason::kGone,           "gone",            Decision::kDrop, false, false, MatchRule::kNone,       false, HostCount::kNot,         0},
    {Reason::kRedirect,       "redirect",        Decision::kDrop, false, false, MatchRule::kNone,       false, HostCount::kNot,         0},
    {Reason::kOutdated,       "outdated",        Decision::kDrop, false, false, MatchRule::kNone,       false, HostCount::kNot,         0},
    // clang-format on
}};

constexpr bool RowsAreInOrder() {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (static_cast<std::size_t>(kRules[i].reason) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder());

}  // namespace

const Rule& RuleFor(Reason reason) { return kRules[static_cast<std::size_t>(reason)]; }

HostCount HostCountOf(Reason reason, std::string_view detail) {
  if (reason == Reason::kNotEvaluated &&
      std::find(kLimitCodes.begin(), kLimitCodes.end(), detail) != kLimitCodes.end()) {
    return HostCount::kAsDuplicate;
  }
  return RuleFor(reason).host_count;
}

}  // namespace crawlsieve
