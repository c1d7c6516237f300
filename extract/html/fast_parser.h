#pragma once

#include "extract/html/html_text.h"
#include "extract/html/markup_bits.h"
#include "extract/html/options.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace crawlsieve::extract {

/// What the events of a page depend on. Part of the scheme: raised with every change of them.
inline constexpr int kFastParserVersion = 2;

/// Our own parser: the HTML standard as of January 2026, with scripting off. Takes time linear in
/// the page's size for any page.
///
/// Limits::max_parse_allocations bounds the nodes of the tree. Limits::max_parse_memory and the
/// page's size bound memory: a page of n bytes may have that of 65,536 + n / 4 nodes of 32 bytes
/// each, to which bitmaps, attributes, names and lists of formatting elements count. Beyond them a
/// page ends with ParseEnd::kNodes; a page of 128 MiB or more ends with ParseEnd::kMemory. No clock
/// is looked at. Memory that ordinary pages need stays with the parser.
class FastParser : public HtmlParser {
 public:
  /// Steps of the last parse: tokens, attributes, nodes, and rounds of every loop that no constant
  /// bounds. The same for the same page, on every machine.
  [[nodiscard]] virtual std::uint64_t work() const = 0;
};

[[nodiscard]] std::unique_ptr<FastParser> MakeFastParser(const Limits& limits,
                                                         HtmlKernel kernel = BestHtmlKernel());

}  // namespace crawlsieve::extract
