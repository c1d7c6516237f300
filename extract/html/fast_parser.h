#pragma once

#include "extract/html/html_text.h"
#include "extract/html/markup_bits.h"
#include "extract/html/options.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace crawlsieve::extract {

/// Our own parser: the HTML standard as of January 2026, with scripting off. Takes time linear in
/// the page's size for any page.
///
/// Limits::max_parse_allocations bounds the nodes of the tree, and so do
/// Limits::max_parse_memory and the page's size: a page of n bytes may have 65,536 + n / 4 nodes of
/// 32 bytes each. Beyond them a page ends with ParseEnd::kNodes. No clock is looked at. Memory
/// that ordinary pages need stays with the parser.
class FastParser : public HtmlParser {
 public:
  /// Steps of the last parse: tokens, attributes, nodes, and rounds of every loop that no constant
  /// bounds. The same for the same page, on every machine.
  [[nodiscard]] virtual std::uint64_t work() const = 0;
};

[[nodiscard]] std::unique_ptr<FastParser> MakeFastParser(const Limits& limits,
                                                         HtmlKernel kernel = BestHtmlKernel());

}  // namespace crawlsieve::extract
