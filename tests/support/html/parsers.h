#pragma once

#include "extract/html/html_text.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::html_check {

/// Names of the kernels that this processor runs, the best one first.
[[nodiscard]] std::vector<std::string> KernelNames();

/// The parser with a kernel; Gumbo for `gumbo`; another one for the path of an oracle's program.
/// Throws std::invalid_argument when there is none of this name.
[[nodiscard]] std::unique_ptr<extract::HtmlParser> MakeParser(const extract::Limits& limits,
                                                              std::string_view name);

/// Steps of the parser's last parse; 0 for one that doesn't count them.
[[nodiscard]] std::uint64_t WorkOf(const extract::HtmlParser& parser);

}  // namespace crawlsieve::html_check
