#pragma once

#include "extract/html_text.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::html_check {

/// Names of the kernels that this processor runs, the best one first.
[[nodiscard]] std::vector<std::string> KernelNames();

/// The parser with a kernel; nullptr: there is none of this name.
[[nodiscard]] std::unique_ptr<extract::HtmlParser> MakeParser(const extract::Limits& limits,
                                                              std::string_view kernel);

}  // namespace crawlsieve::html_check
