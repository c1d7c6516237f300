#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace crawlsieve::extract {

/// Appends `text` with its character references decoded as an HTML tokenizer does it; the rest as
/// it is, NUL and carriage returns too. `in_attribute`: whether `text` is the value of an
/// attribute, in which "&copy=1" is no reference. A reference that could go on behind `text` ends
/// with it. Time is linear in text.size().
void AppendDecoded(std::string_view text, bool in_attribute, std::string& out);

/// The same for the one reference that `text` starts with: appends what it stands for. Returns how
/// many bytes of `text` it takes. An '&' that begins no reference is appended, and takes 1.
/// `text` starts with '&'.
[[nodiscard]] std::size_t AppendReference(std::string_view text, bool in_attribute,
                                          std::string& out);

}  // namespace crawlsieve::extract
