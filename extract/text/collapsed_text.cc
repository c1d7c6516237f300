#include "extract/text/collapsed_text.h"

#include "extract/text/sixteen_bytes.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace crawlsieve::extract {
namespace {

constexpr std::size_t kBlock = SixteenBytes::kSize;

}  // namespace

void CollapsedText::Append(std::string_view text) {
  // Each byte becomes one at most. Before them may be a space, behind them what a whole block has
  // too many.
  const std::size_t most = size_ + text.size() + 1 + kBlock;
  if (bytes_.size() < most) bytes_.resize(std::max(most, 2 * bytes_.size()));
  char* const begin = bytes_.data();
  char* out = begin + size_;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const std::size_t size = std::min(static_cast<std::size_t>(end - at), kBlock);
    const SixteenBytes block =
        size == kBlock ? SixteenBytes::Load(at) : SixteenBytes::LoadFirst(at, size);
    const std::uint32_t spaces = block.Spaces();
    if (space_pending_ || (spaces & 1) != 0) {
      const auto leading = static_cast<std::size_t>(std::countr_one(spaces));
      if (leading >= size) {
        space_pending_ = true;
        at += size;
        continue;
      }
      if (out != begin) *out++ = ' ';
      space_pending_ = false;
      if (leading != 0) {
        at += leading;
        continue;
      }
    }
    // A word begins here, or goes on. Most blocks are right as they stand: single blanks.
    const std::uint32_t behind_word = spaces >> (size - 1);  // white space comes last
    const bool as_it_stands = (spaces & spaces >> 1) == 0 && spaces == block.Equal(' ');
    const std::size_t taken =
        as_it_stands ? size : static_cast<std::size_t>(std::countr_zero(spaces));
    block.Store(out);
    out += taken;
    at += taken;
    if (as_it_stands && behind_word != 0) {
      --out;
      space_pending_ = true;
    }
  }
  size_ = static_cast<std::size_t>(out - begin);
}

}  // namespace crawlsieve::extract
