#include "tests/extract/html/tree_exceptions.h"

#include <vector>

namespace crawlsieve::html_check {

std::span<const TreeException> TreeExceptions() {
  static const std::vector<TreeException> exceptions = {};
  return exceptions;
}

const TreeException* FindTreeException(std::string_view file, std::string_view data) {
  for (const TreeException& exception : TreeExceptions()) {
    if (exception.file == file && exception.data == data) return &exception;
  }
  return nullptr;
}

}  // namespace crawlsieve::html_check
