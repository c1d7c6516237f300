#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace crawlsieve::extract {

/// The characters of gb18030 that ICU 72 decodes otherwise than later ones do. GB 18030-2022 gave
/// some of two bytes other code points, and a byte 0x80 became the euro sign.
class Gb18030 {
 public:
  /// Bytes of one character, and what they are by ICU 72.
  struct Character {
    std::string_view bytes;
    char16_t code_point;
  };
  static const std::vector<Character>& Changed();

  /// Where the first of `characters` begins in `bytes`, and which one it is; nullptr: none is
  /// there.
  struct Found {
    std::size_t at;
    const Character* character;
  };
  [[nodiscard]] static Found Find(std::string_view bytes, const std::vector<Character>& characters);
};

}  // namespace crawlsieve::extract
