#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace crawlsieve {

enum class Decision { kKeep, kDrop };

/// Why a page got its decision.
enum class Reason {
  kUnique,
  kExactDuplicate,
  kNearDuplicate,
  kUnchanged,
  kUpdated,
  kClusterBudget,
  kTooShort,
  kNotHtml,
  kErrorStatus,
  kDeleted,
  kNotEvaluated,
};
inline constexpr int kReasonCount = 11;

/// What `match` in a verdict refers to.
enum class MatchRule {
  kNone,        ///< match is null
  kOtherPage,   ///< the live, kept version of another page
  kOwnVersion,  ///< the live, kept version of the same page
};

/// Whether a page with that reason counts in the statistics of its host.
enum class HostCount { kNot, kAsPage, kAsDuplicate };

/// What a reason does. The table in docs/verdicts.md says the same in words, and a test compares.
struct Rule {
  Reason reason;
  std::string_view name;  ///< as in the verdict's `reason`
  Decision decision;
  bool inserts;      ///< the page becomes a representative that later pages may match
  bool retires_own;  ///< the earlier kept version of the same URL stops being a representative
  MatchRule match;
  bool follow_links;
  HostCount host_count;
  std::uint32_t novelty;  ///< component of the priority, in ten-thousandths
};

/// The rule of a reason. Never fails.
[[nodiscard]] const Rule& RuleFor(Reason reason);

}  // namespace crawlsieve
