#include "extract/html/gb18030.h"

#include <algorithm>

namespace crawlsieve::extract {
namespace {

/// Bytes of the character at `at`; of what is none the first byte.
std::size_t SizeOf(std::string_view bytes, std::size_t at) {
  const auto is_in = [&](std::size_t i, unsigned char first, unsigned char last) {
    if (i >= bytes.size()) return false;
    const auto byte = static_cast<unsigned char>(bytes[i]);
    return byte >= first && byte <= last;
  };
  if (!is_in(at, 0x81, 0xFE)) return 1;
  if (is_in(at + 1, 0x40, 0x7E) || is_in(at + 1, 0x80, 0xFE)) return 2;
  const bool is_of_four =
      is_in(at + 1, '0', '9') && is_in(at + 2, 0x81, 0xFE) && is_in(at + 3, '0', '9');
  return is_of_four ? 4 : 1;
}

}  // namespace

const std::vector<Gb18030::Character>& Gb18030::Changed() {
  static const std::vector<Character> characters = {
      {"\x80", 0xFFFD},     {"\xA3\xA0", 0xE5E5}, {"\xA6\xD9", 0xE78D}, {"\xA6\xDA", 0xE78E},
      {"\xA6\xDB", 0xE78F}, {"\xA6\xDC", 0xE790}, {"\xA6\xDD", 0xE791}, {"\xA6\xDE", 0xE792},
      {"\xA6\xDF", 0xE793}, {"\xA6\xEC", 0xE794}, {"\xA6\xED", 0xE795}, {"\xA6\xF3", 0xE796},
      {"\xFE\x59", 0xE81E}, {"\xFE\x61", 0xE826}, {"\xFE\x66", 0xE82B}, {"\xFE\x67", 0xE82C},
      {"\xFE\x6D", 0xE832}, {"\xFE\x7E", 0xE843}, {"\xFE\x90", 0xE854}, {"\xFE\xA0", 0xE864}};
  return characters;
}

Gb18030::Found Gb18030::Find(std::string_view bytes, const std::vector<Character>& characters) {
  for (std::size_t at = 0; at < bytes.size();) {
    if (static_cast<unsigned char>(bytes[at]) < 0x80) {
      ++at;
      continue;
    }
    const std::size_t size = SizeOf(bytes, at);
    const auto found = std::ranges::find(characters, bytes.substr(at, size), &Character::bytes);
    if (found != characters.end()) return {at, &*found};
    at += size;
  }
  return {bytes.size(), nullptr};
}

}  // namespace crawlsieve::extract
