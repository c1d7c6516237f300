#pragma once

#include "consumer/input/formats/input_format.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// The head of an HTTP message or a WARC record: a start line, fields, an empty line.
struct HeaderBlock {
  enum class End {
    kComplete,
    kCut,       ///< the text ended before the empty line
    kTooLarge,  ///< no empty line within the limit
  };

  std::string start_line;
  std::vector<Header> fields;  ///< whole lines only: a line that is cut is not taken for a value
  std::size_t size = 0;        ///< bytes with the empty line, if `end` is kComplete
  End end = End::kCut;
};

/// Reads the head that `text` starts with, looking at no more than `max_bytes` of it. Lines end
/// with CRLF or LF; a line that starts with white space continues the one before.
[[nodiscard]] HeaderBlock ParseHeaderBlock(std::string_view text, std::size_t max_bytes);

/// The value of the last field `name`, whatever its case; nullptr: there is none.
[[nodiscard]] const std::string* FindField(const std::vector<Header>& fields,
                                           std::string_view name);

/// The values of all fields `name`, joined by commas, as HTTP defines for list fields.
[[nodiscard]] std::string JoinFields(const std::vector<Header>& fields, std::string_view name);

/// A number in decimal digits and nothing else; nullopt also where it doesn't fit.
[[nodiscard]] std::optional<std::uint64_t> ParseNumber(std::string_view digits);

/// The number in the last field `name`; nullopt: there is none.
[[nodiscard]] std::optional<std::uint64_t> FindNumber(const std::vector<Header>& fields,
                                                      std::string_view name);

/// An HTTP status: an integer of up to three digits. Crawlers write negative ones, and 0, for
/// fetches that got no response. nullopt: it is none.
[[nodiscard]] std::optional<int> ParseStatusCode(std::string_view digits);

/// For ASCII letters.
[[nodiscard]] bool EqualsIgnoringCase(std::string_view a, std::string_view b);
[[nodiscard]] bool StartsWithIgnoringCase(std::string_view text, std::string_view prefix);

/// Without spaces, tabs and line ends around it.
[[nodiscard]] std::string_view TrimSpaces(std::string_view text);

}  // namespace crawlsieve::consumer
