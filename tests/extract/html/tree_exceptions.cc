#include "tests/extract/html/tree_exceptions.h"

#include <vector>

namespace crawlsieve::html_check {

std::span<const TreeException> TreeExceptions() {
  // A browser copies the selected option into <selectedcontent>, which the closed list shows in its
  // place. The parser reports each option's text once, where the option is.
  constexpr std::string_view kCopied = "the option's text is reported already";
  static const std::vector<TreeException> exceptions = {
      {"webkit02.dat", "<select><button><selectedcontent></button><option>X", "[[[2:[2:]['X']]]]",
       kCopied},
      {"webkit02.dat", "<select><button><selectedcontent></button><option>x<i>i<b>ib</i>b",
       "[[[2:[2:]['xiibb']]]]", kCopied},
      {"webkit02.dat", "<select><button><selectedcontent></button><option>X<option>Y",
       "[[[2:[2:]['X']['Y']]]]", kCopied},
      {"webkit02.dat", "<select><button><selectedcontent></button><option>X<option selected>Y",
       "[[[2:[2:]['X']['Y']]]]", kCopied},
  };
  return exceptions;
}

const TreeException* FindTreeException(std::string_view file, std::string_view data) {
  for (const TreeException& exception : TreeExceptions()) {
    if (exception.file == file && exception.data == data) return &exception;
  }
  return nullptr;
}

}  // namespace crawlsieve::html_check
