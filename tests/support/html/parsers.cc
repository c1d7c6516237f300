#include "tests/support/html/parsers.h"

#include "tests/support/html/oracle_process.h"

#include <stdexcept>

namespace crawlsieve::html_check {

std::vector<std::string> KernelNames() { return {"gumbo"}; }

std::unique_ptr<extract::HtmlParser> MakeParser(const extract::Limits& limits,
                                                std::string_view name) {
  if (name == "gumbo") return extract::MakeGumboParser(limits);
  if (name.find('/') != std::string_view::npos) {
    return std::make_unique<OracleProcess>(std::string(name));
  }
  throw std::invalid_argument("no such parser: " + std::string(name));
}

std::uint64_t WorkOf(const extract::HtmlParser& /*parser*/) { return 0; }

}  // namespace crawlsieve::html_check
