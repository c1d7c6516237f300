#pragma once

#include "extract/options.h"

#include <memory>
#include <string_view>

namespace crawlsieve::extract {

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
  /// Here a block begins or ends, or a line: no word goes on behind it.
  virtual void OnBreak() = 0;
};

/// How a parse ended.
enum class ParseEnd {
  kDone,
  kMemory,  ///< Limits::max_parse_memory
  kNodes,   ///< Limits::max_parse_allocations
  kTime,    ///< Limits::parse_time_base and parse_time_per_mib
  kDepth,   ///< elements nested so deep that the parser would run out of stack
};

/// `parse_memory`, `parse_nodes`, `parse_time`, `parse_depth`; empty for kDone.
[[nodiscard]] std::string_view ParseEndCode(ParseEnd end);

/// Finds the visible text of HTML pages. Thread-compatible.
///
/// Visible is what a browser shows before a script has run: no script, style, template, noscript,
/// head (except the title), embedded documents and media, metadata of SVG and MathML, comments,
/// closed dialogs, nor elements hidden by the attribute `hidden` or by an inline style
/// `display: none` or `visibility: hidden`. Style sheets are not looked at.
class HtmlParser {
 public:
  virtual ~HtmlParser() = default;

  /// Parses `html`, valid UTF-8, and reports to `events`. Any bytes end within the limits.
  /// When the result isn't kDone, `events` has heard nothing.
  [[nodiscard]] virtual ParseEnd Parse(std::string_view html, HtmlEvents& events) = 0;
};

/// A parser that builds a tree with Gumbo 0.10.1 (HTML5, tree construction included).
/// Takes Limits::max_parse_memory of address space; memory of the size that ordinary pages need
/// stays with it between pages, the rest goes back to the system.
[[nodiscard]] std::unique_ptr<HtmlParser> MakeGumboParser(const Limits& limits);

}  // namespace crawlsieve::extract
