#pragma once

#include "extract/html/html_text.h"
#include "extract/html/parse_arena.h"

#include <string_view>

#include <gumbo.h>

namespace crawlsieve::extract {

/// Parses `html` with Gumbo within `limits`, on this thread. The tree lies in `arena` and refers to
/// `html`; it ends with the arena's Reset. nullptr where a limit was met or Gumbo's assertions
/// failed: `end` says which, and the arena is to be reset all the same.
[[nodiscard]] const GumboOutput* ParseGuarded(std::string_view html, const Limits& limits,
                                              ParseArena& arena, ParseEnd& end);

}  // namespace crawlsieve::extract
