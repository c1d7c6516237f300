#pragma once

#include <cstddef>
#include <string_view>

namespace crawlsieve::extract {

/// How the bytes of an encoding are taken apart.
enum class EncodingFamily {
  kUtf8,
  kUtf16,
  kLegacy,
  kReplacement,  ///< encodings too dangerous to decode: the whole page reads as one U+FFFD
};

/// An encoding of the WHATWG Encoding Standard. Immutable; one object for each, compare addresses.
struct Encoding {
  std::string_view name;  ///< as the standard spells it
  EncodingFamily family = EncodingFamily::kUtf8;
  const char* icu_name = nullptr;  ///< of the ICU converter; nullptr where none is used
};

/// The encoding a label means by the table of the standard: "latin1" is windows-1252. Case and
/// white space around the label don't matter. nullptr: no such label, or no converter in
/// ICU (ISO-8859-16, x-user-defined).
[[nodiscard]] const Encoding* FindEncoding(std::string_view label);

[[nodiscard]] const Encoding& Utf8();
[[nodiscard]] const Encoding& Windows1252();

struct ByteOrderMark {
  const Encoding* encoding = nullptr;  ///< nullptr: none there
  std::size_t bytes = 0;
};

/// The byte order mark of UTF-8 or UTF-16 that `bytes` begins with.
[[nodiscard]] ByteOrderMark FindByteOrderMark(std::string_view bytes);

/// The value of `charset=` in a Content-Type, found as the HTML standard does for <meta>; empty
/// when there is none. Points into `content_type`.
[[nodiscard]] std::string_view FindCharsetParameter(std::string_view content_type);

}  // namespace crawlsieve::extract
