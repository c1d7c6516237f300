#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Decodes base64 of RFC 4648, both alphabets, with or without padding, line breaks allowed.
/// nullopt: a byte of no alphabet, data behind the padding, or a lone last character.
[[nodiscard]] std::optional<std::string> DecodeBase64(std::string_view text);

/// Whether a body of which it isn't known is in base64: all of it is base64 of the first alphabet
/// with padding, 16 characters at least; and what comes out is gzip, PDF or text, or there are 64
/// characters at least, of both cases and with digits.
///
/// Markup is never taken for base64, which has neither `<` nor spaces, nor is a checksum in
/// hexadecimal digits. A text of one long word can be.
[[nodiscard]] bool LooksLikeBase64Body(std::string_view body);

}  // namespace crawlsieve::consumer
