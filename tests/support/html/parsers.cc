#include "tests/support/html/parsers.h"

namespace crawlsieve::html_check {

std::vector<std::string> KernelNames() { return {"gumbo"}; }

std::unique_ptr<extract::HtmlParser> MakeParser(const extract::Limits& limits,
                                                std::string_view kernel) {
  return kernel == "gumbo" ? extract::MakeGumboParser(limits) : nullptr;
}

}  // namespace crawlsieve::html_check
