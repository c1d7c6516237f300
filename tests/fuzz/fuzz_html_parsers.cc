// Any page: our HTML parser reports what Gumbo does, with each kernel, or a known difference says
// why not. The first byte chooses what the rest is: the page itself, or the numbers of whole tags,
// so that every mutation is a page whose tags are well formed and whose nesting isn't.

#include "extract/html/html_text.h"
#include "tests/support/html/event_log.h"
#include "tests/support/html/generators.h"
#include "tests/support/html/known_differences.h"
#include "tests/support/html/parsers.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using crawlsieve::extract::HtmlParser;
using namespace crawlsieve::html_check;

[[noreturn]] void Fail(const char* what, const std::string& page, const std::string& difference) {
  std::fprintf(stderr, "%s: %s\n%s\n", what, page.c_str(), difference.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto gumbo = crawlsieve::extract::MakeGumboParser(WideLimits());
  static const auto parsers = [] {
    std::vector<std::unique_ptr<HtmlParser>> made;
    for (const std::string& kernel : KernelNames())
      made.push_back(MakeParser(WideLimits(), kernel));
    return made;
  }();
  const std::string page = PageOfFuzzInput({data, size});
  const ComparedPage compared = ComparePage(*parsers.front(), *gumbo, page);
  if (compared.differs && compared.explanation.empty()) {
    Fail("unexplained difference", page, compared.first_difference);
  }
  const ParsedLog first = ParseLog(*parsers.front(), page);
  for (const auto& parser : parsers) {
    const ParsedLog log = ParseLog(*parser, page);
    if (log.end != first.end || log.log.events() != first.log.events()) {
      Fail("kernels differ", page, "");
    }
  }
  return 0;
}
