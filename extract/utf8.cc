#include "extract/utf8.h"

#include <unicode/utf16.h>
#include <unicode/utf8.h>

namespace crawlsieve::extract {

void AppendUtf8(std::u16string_view utf16, std::string& utf8) {
  constexpr UChar32 kReplacement = 0xFFFD;
  std::size_t i = 0;
  while (i < utf16.size()) {
    UChar32 code_point = 0;
    U16_NEXT(utf16.data(), i, utf16.size(), code_point);
    if (code_point < 0x80) {
      utf8.push_back(static_cast<char>(code_point));
      continue;
    }
    if (U_IS_SURROGATE(code_point)) code_point = kReplacement;
    char bytes[U8_MAX_LENGTH];
    std::size_t length = 0;
    U8_APPEND_UNSAFE(bytes, length, code_point);
    utf8.append(bytes, length);
  }
}

}  // namespace crawlsieve::extract
