#pragma once

#include "extract/html/html_text.h"
#include "tests/support/html/event_log.h"
#include "tests/support/html/page_tags.h"

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::html_check {

/// Something that another parser does otherwise than today's standard.
///
/// `rewrite` takes the construct out of a page, or writes it in a way that both understand. It is
/// the predicate (a page that it changes holds the construct) and the confirmation: the difference
/// comes from the construct if both parsers agree on the rewritten page. Pages whose tags mislead
/// about SVG, MathML and raw text are tried in each Reading.
struct KnownDifference {
  std::string_view name;
  std::string_view reason;
  std::string (*rewrite)(PageSource page);
  /// Whether the standard makes the same events of the rewritten page. Then the confirmation
  /// demands it: that our parser reports the same as before, and only Gumbo's events change.
  bool keeps_events;
  /// A minimal document, and what it makes of it. A test states that both are so.
  std::string_view example;
  std::string_view standard_events;  ///< as RenderShort has them
  std::string_view other_events;
};

/// For the names of tests.
void PrintTo(const KnownDifference& known, std::ostream* out);

/// Of Gumbo 0.10.1.
[[nodiscard]] std::span<const KnownDifference> KnownDifferences();
/// Of html5ever 0.40.1, the second opinion.
[[nodiscard]] std::span<const KnownDifference> KnownOracleDifferences();

/// Gumbo ended with one of its assertions: there is nothing to compare.
inline constexpr std::string_view kGumboAssertion = "gumbo-assertion";

struct ComparedPage {
  bool differs = false;               ///< in more than white space
  bool white_space_differs = false;   ///< in white space only
  std::string first_difference = {};  ///< of either kind: ours, then Gumbo's
  /// Names of known differences that explain either kind together; empty: none does.
  std::vector<std::string_view> explanation = {};
};

/// Compares two parsers' events of one page, and explains a difference by the names of `known`.
[[nodiscard]] ComparedPage ComparePage(extract::HtmlParser& parser, extract::HtmlParser& other,
                                       std::string_view html,
                                       std::span<const KnownDifference> known = KnownDifferences());

}  // namespace crawlsieve::html_check
