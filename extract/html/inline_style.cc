#include "extract/html/inline_style.h"

#include "extract/text/ascii.h"

#include <algorithm>

namespace crawlsieve::extract {

bool StyleHides(std::string_view style) {
  while (!style.empty()) {
    const std::size_t end = std::min(style.find(';'), style.size());
    const std::string_view declaration = style.substr(0, end);
    style.remove_prefix(std::min(end + 1, style.size()));
    const std::size_t colon = declaration.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view property = TrimAscii(declaration.substr(0, colon));
    std::string_view value = declaration.substr(colon + 1);
    value = TrimAscii(value.substr(0, value.find('!')));  // "none !important"
    if (EqualsNoCase(property, "display") && EqualsNoCase(value, "none")) return true;
    if (EqualsNoCase(property, "visibility") && EqualsNoCase(value, "hidden")) return true;
  }
  return false;
}

}  // namespace crawlsieve::extract
