#include "extract/text/utf8.h"

#include <unicode/utf16.h>
#include <unicode/utf8.h>

namespace crawlsieve::extract {

void AppendUtf8(std::u16string_view utf16, std::string& utf8) {
  constexpr UChar32 kReplacement = 0xFFFD;
  constexpr std::size_t kMaxBytesPerUnit = 3;  // a surrogate pair is two units and four bytes
  std::size_t length = utf8.size();
  utf8.resize(length + kMaxBytesPerUnit * utf16.size());
  for (std::size_t i = 0; i < utf16.size();) {
    UChar32 code_point = 0;
    U16_NEXT(utf16.data(), i, utf16.size(), code_point);
    if (U_IS_SURROGATE(code_point)) code_point = kReplacement;
    U8_APPEND_UNSAFE(utf8.data(), length, code_point);
  }
  utf8.resize(length);
}

void AppendRepaired(std::string_view bytes, std::string& utf8) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t i = 0;
  while (i < bytes.size()) {
    const std::size_t start = i;
    UChar32 code_point = 0;
    U8_NEXT(data, i, bytes.size(), code_point);
    utf8.append(code_point < 0 ? kReplacementCharacter : bytes.substr(start, i - start));
  }
}

}  // namespace crawlsieve::extract
