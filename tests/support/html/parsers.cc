#include "tests/support/html/parsers.h"

#include "extract/html/fast_parser.h"
#include "tests/support/html/oracle_process.h"

#include <stdexcept>

namespace crawlsieve::html_check {

std::vector<std::string> KernelNames() {
  std::vector<std::string> names;
  for (const extract::HtmlKernel kernel : extract::SupportedHtmlKernels()) {
    names.emplace_back(extract::HtmlKernelName(kernel));
  }
  return names;
}

std::unique_ptr<extract::HtmlParser> MakeParser(const extract::Limits& limits,
                                                std::string_view name) {
  if (name == "gumbo") return extract::MakeGumboParser(limits);
  for (const extract::HtmlKernel kernel : extract::SupportedHtmlKernels()) {
    if (name == extract::HtmlKernelName(kernel)) return extract::MakeFastParser(limits, kernel);
  }
  if (name.find('/') != std::string_view::npos) {
    return std::make_unique<OracleProcess>(std::string(name));
  }
  throw std::invalid_argument("no such parser: " + std::string(name));
}

std::uint64_t WorkOf(const extract::HtmlParser& parser) {
  const auto* const fast = dynamic_cast<const extract::FastParser*>(&parser);
  return fast == nullptr ? 0 : fast->work();
}

}  // namespace crawlsieve::html_check
