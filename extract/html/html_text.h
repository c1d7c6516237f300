#pragma once

#include "extract/html/options.h"
#include "extract/html/segment.h"

#include <memory>
#include <string_view>

namespace crawlsieve::extract {

/// Where a link leads, as the page has it; empty views for attributes that aren't there.
struct LinkTarget {
  std::string_view href;
  std::string_view rel;
};

/// Hears what of a page a reader sees, in document order. Views end with the call.
class HtmlEvents {
 public:
  virtual ~HtmlEvents() = default;

  /// The language attribute of <html>, as it stands there. At most once.
  virtual void OnLanguage(std::string_view tag) = 0;
  /// The text of a <title>; the first one is the page's. May come before or between text.
  virtual void OnTitle(std::string_view text) = 0;
  /// Visible text in UTF-8, white space as in the page. Pieces belong together: a word may go on
  /// in the next one ("foo<b>bar</b>"), unless OnBreak is between them.
  virtual void OnText(std::string_view text) = 0;
  /// A line ends here, or something other than text stands here: no word goes on behind it.
  virtual void OnBreak() = 0;
  /// A block element begins; no word goes on behind it. Blocks and links are closed in the reverse
  /// order of their opening, all of them.
  virtual void OnBlockBegin(Hints hints) = 0;
  virtual void OnBlockEnd() = 0;
  /// A link begins; text flows through it.
  virtual void OnLinkBegin(const LinkTarget& target) = 0;
  virtual void OnLinkEnd() = 0;
  /// <base href>, <link rel=canonical href> and <meta http-equiv=refresh content> of the head, as
  /// they stand there. Before any text; of several the first one counts.
  virtual void OnBase(std::string_view href) = 0;
  virtual void OnCanonical(std::string_view href) = 0;
  virtual void OnRefresh(std::string_view content) = 0;
  /// <meta name=robots content>, in the same place; of several each counts.
  virtual void OnRobots(std::string_view content) = 0;
  /// What stands in for an image. It is no visible text.
  virtual void OnAltText(std::string_view text) = 0;
};

/// How a parse ended.
enum class ParseEnd {
  kDone,
  kMemory,       ///< Limits::max_parse_memory
  kNodes,        ///< Limits::max_parse_allocations
  kTime,         ///< Limits::parse_time_base and parse_time_per_mib
  kDepth,        ///< elements nested so deep that the parser would run out of stack
  kParserError,  ///< the parser contradicted itself: one of its own assertions failed
};

/// `parse_memory`, `parse_nodes`, `parse_time`, `parse_depth`, `parser_error`; empty for kDone.
[[nodiscard]] std::string_view ParseEndCode(ParseEnd end);

/// Finds the visible text of HTML pages. Thread-compatible.
///
/// Visible is what a browser shows before a script has run: no script, style, template, noscript,
/// head (except the title), embedded documents and media, metadata of SVG and MathML, comments,
/// nor text of SVG outside of <text>. Not shown either are closed dialogs and popovers, and
/// elements hidden by the attribute `hidden`, unless an inline style gives them another `display`;
/// elements whose inline style is `display: none`, and text whose inherited `visibility` is
/// `hidden`. <object> without `data` and <applet> show their content. The content of closed
/// <details> is visible: readers open it without a script. Style sheets aren't looked at
/// (docs/extraction.md).
class HtmlParser {
 public:
  virtual ~HtmlParser() = default;

  /// Parses `html`, valid UTF-8, and reports to `events`. Any bytes end within the limits.
  /// When the result isn't kDone, `events` has heard nothing.
  [[nodiscard]] virtual ParseEnd Parse(std::string_view html, HtmlEvents& events) = 0;
};

/// Which rules say what is visible.
enum class VisibleRules {
  kToday,  ///< those of HtmlParser
  /// Those that logs with Gumbo for their parser were begun with: no rules for popovers,
  /// text of SVG and <html hidden>; <object> and <applet> never show their content; what `hidden`
  /// or a style hides, nothing shows again; any declaration of an inline style counts.
  kFirst,
};

/// A parser that builds a tree with Gumbo 0.10.1 (HTML5, tree construction included).
/// Takes Limits::max_parse_memory of address space; memory of the size that ordinary pages need
/// stays with it between pages, the rest goes back to the system.
[[nodiscard]] std::unique_ptr<HtmlParser> MakeGumboParser(
    const Limits& limits, VisibleRules rules = VisibleRules::kToday);

}  // namespace crawlsieve::extract
