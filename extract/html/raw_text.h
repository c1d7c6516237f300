#pragma once

#include "extract/html/markup_bits.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crawlsieve::extract::html {

// Where parts of a page end in which tags mean nothing. All take time linear in the distance to the
// end they find, and all return html.size() where there is none.

// `work` grows by the number of places that were looked at.

/// The '<' of the end tag `name` (in lower case) that ends the raw text that begins at `from`.
[[nodiscard]] std::size_t FindRawTextEnd(std::string_view html, const MarkupBits& bits,
                                         std::size_t from, std::string_view name,
                                         std::uint64_t& work);

/// The same for a script: one that has "<!--" and "<script" in it goes on behind "</script>".
[[nodiscard]] std::size_t FindScriptEnd(std::string_view html, const MarkupBits& bits,
                                        std::size_t from, std::uint64_t& work);

/// The byte behind the comment whose text begins at `from`, behind "<!--".
[[nodiscard]] std::size_t FindCommentEnd(std::string_view html, const MarkupBits& bits,
                                         std::size_t from, std::uint64_t& work);

}  // namespace crawlsieve::extract::html
