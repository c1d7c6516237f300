#include "consumer/status/differing_part.h"

#include <algorithm>
#include <cstddef>

namespace crawlsieve::consumer {
namespace {

bool GoesOnWithACharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

SplitText Split(std::string_view text, std::size_t before, std::size_t after) {
  return {text.substr(0, before), text.substr(before, text.size() - before - after),
          text.substr(text.size() - after)};
}

}  // namespace

SplitPair SplitWhereDifferent(std::string_view left, std::string_view right) {
  const std::size_t shorter = std::min(left.size(), right.size());
  std::size_t before = 0;
  while (before < shorter && left[before] == right[before]) ++before;
  const auto cuts_a_character = [](std::string_view text, std::size_t at) {
    return at < text.size() && GoesOnWithACharacter(text[at]);
  };
  while (before > 0 && (cuts_a_character(left, before) || cuts_a_character(right, before))) {
    --before;
  }
  std::size_t after = 0;
  while (after < shorter - before &&
         left[left.size() - 1 - after] == right[right.size() - 1 - after])
    ++after;
  // The bytes behind the cut are the same in both.
  while (after > 0 && cuts_a_character(left, left.size() - after)) --after;
  return {Split(left, before, after), Split(right, before, after)};
}

}  // namespace crawlsieve::consumer
