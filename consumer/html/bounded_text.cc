#include "consumer/html/bounded_text.h"

namespace crawlsieve::consumer {

std::string BoundedText(std::string_view text, std::size_t most) {
  constexpr std::string_view kEllipsis = "…";
  if (text.size() <= most) return std::string(text);
  std::size_t end = most < kEllipsis.size() ? 0 : most - kEllipsis.size();
  // Bytes 10xxxxxx go on with a character. There are three of them in a row at most.
  for (int i = 0; i < 3 && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U;
       ++i) {
    --end;
  }
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

}  // namespace crawlsieve::consumer
