#pragma once

#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// `text`, which a page, a record or a file name may have brought, as one line that is safe to show
/// on a terminal: what could move the cursor, change colours, reorder the line or hide in it is
/// written as an escape. Bytes of ASCII that are controls, and bytes that are no UTF-8, become
/// `\x1b`; other controls (C1), line separators, invisible characters and those that set the
/// direction of text become `\u{202e}`. All else stays, the backslash too.
[[nodiscard]] std::string Printable(std::string_view text);

/// The same for text of several lines made by us: line feeds stay.
[[nodiscard]] std::string PrintableLines(std::string_view text);

/// The same for JSON in valid UTF-8, which stays the same JSON: the characters become `\u202e`.
[[nodiscard]] std::string PrintableJson(std::string_view json);

}  // namespace crawlsieve::consumer
