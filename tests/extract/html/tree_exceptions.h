#pragma once

#include <span>
#include <string_view>

namespace crawlsieve::html_check {

/// A case of others' tests whose expected tree isn't what the parser reports, and why that is
/// right.
struct TreeException {
  std::string_view file;
  std::string_view data;
  std::string_view events;  ///< what is reported, as RenderShort has it
  std::string_view reason;
};

[[nodiscard]] std::span<const TreeException> TreeExceptions();

/// nullptr: the case has to pass.
[[nodiscard]] const TreeException* FindTreeException(std::string_view file, std::string_view data);

}  // namespace crawlsieve::html_check
