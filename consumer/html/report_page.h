#pragma once

#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// What a report consists of, besides the design.
struct ReportPage {
  std::string_view title;   ///< text
  std::string_view answer;  ///< text: what the reader wants to know, in one sentence
  std::string_view body;    ///< markup
  std::string_view script;  ///< JavaScript; empty: none. Without it everything can be read, too
};

/// A whole page to be opened from a file. Asks for nothing from elsewhere, and forbids the browser
/// to: its content security policy allows this very script and style, and nothing else.
[[nodiscard]] std::string RenderReport(const ReportPage& page);

}  // namespace crawlsieve::consumer
