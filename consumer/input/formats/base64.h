#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Decodes base64 of RFC 4648, both alphabets, with or without padding, line breaks allowed.
/// nullopt: a byte of no alphabet, data behind the padding, or a lone last character.
[[nodiscard]] std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace crawlsieve::consumer
