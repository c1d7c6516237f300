#pragma once

#include <array>
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
  // From fold version 6 on.
  kNotModified,
  kGone,
  kRedirect,
  kOutdated,
};
inline constexpr int kReasonCount = 15;

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
  HostCount host_count;   ///< but for `not_evaluated`, which depends on the code: HostCountOf
  std::uint32_t novelty;  ///< component of the priority, in ten-thousandths
};

/// The rule of a reason. Never fails.
[[nodiscard]] const Rule& RuleFor(Reason reason);

/// Codes of `not_evaluated` for pages that ran into a limit or ended their parse: whoever makes the
/// page chooses that. Such a page is kept and costs its host as much as a duplicate does. Codes
/// that say that the crawler or its store failed are not among them.
inline constexpr std::array<std::string_view, 10> kLimitCodes = {
    "body_too_large", "crashed",     "decompression_ratio", "header_too_large", "parse_depth",
    "parse_memory",   "parse_nodes", "parse_time",          "parser_error",     "too_many_tokens"};

/// How a page of this reason counts in the statistics of its host. `detail` is the verdict's.
[[nodiscard]] HostCount HostCountOf(Reason reason, std::string_view detail);

}  // namespace crawlsieve
