#include "consumer/observability/printable.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

/// A code point and how many bytes it takes.
struct CodePoint {
  std::uint32_t value;
  std::size_t bytes;
};

/// The code point that `text`, not empty, starts with; nullopt: no valid UTF-8 starts there.
std::optional<CodePoint> Decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return CodePoint{lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return std::nullopt;
  std::uint32_t value = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) return std::nullopt;
    value = (value << 6U) | (next & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[bytes] || value > 0x10FFFF || is_surrogate) return std::nullopt;
  return CodePoint{value, bytes};
}

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

/// Above ASCII, what a terminal obeys or doesn't show.
constexpr std::array<Range, 10> kUnsafe = {{
    {0x80, 0x9F},        // C1: U+009B starts a sequence as ESC [ does
    {0xAD, 0xAD},        // soft hyphen
    {0x61C, 0x61C},      // Arabic letter mark
    {0x180E, 0x180E},    // Mongolian vowel separator
    {0x200B, 0x200F},    // of no width; marks of direction
    {0x2028, 0x202E},    // line and paragraph separator; embeddings and overrides
    {0x2060, 0x206F},    // invisible operators; isolates
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFF9, 0xFFFB},    // interlinear annotation
    {0xE0000, 0xE007F},  // tags
}};

bool IsUnsafe(std::uint32_t value) {
  if (value < 0x80) return value < 0x20 || value == 0x7F;
  for (const Range& range : kUnsafe) {
    if (value >= range.first && value <= range.last) return true;
  }
  return false;
}

enum class Notation { kLine, kLines, kJson };

void AppendEscape(const CodePoint& point, Notation notation, std::string& out) {
  if (notation != Notation::kJson) {
    out += point.value < 0x80 ? fmt::format("\\x{:02x}", point.value)
                              : fmt::format("\\u{{{:x}}}", point.value);
  } else if (point.value > 0xFFFF) {
    const std::uint32_t rest = point.value - 0x10000;
    out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10U), 0xDC00 + (rest & 0x3FFU));
  } else {
    out += fmt::format("\\u{:04x}", point.value);
  }
}

std::string Escape(std::string_view text, Notation notation) {
  std::string out;
  out.reserve(text.size());
  const auto is_plain = [](char c) { return c >= ' ' && c < 0x7F; };
  while (true) {
    std::size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return out;
    const std::optional<CodePoint> point = Decode(text);
    if (!point) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    // Line feeds and tabs of JSON stand between its tokens; those in strings are escaped already.
    const bool is_layout = (point->value == '\n' && notation != Notation::kLine) ||
                           (point->value == '\t' && notation == Notation::kJson);
    if (IsUnsafe(point->value) && !is_layout) {
      AppendEscape(*point, notation, out);
    } else {
      out += text.substr(0, point->bytes);
    }
    text.remove_prefix(point->bytes);
  }
}

}  // namespace

std::string Printable(std::string_view text) { return Escape(text, Notation::kLine); }
std::string PrintableLines(std::string_view text) { return Escape(text, Notation::kLines); }
std::string PrintableJson(std::string_view json) { return Escape(json, Notation::kJson); }

}  // namespace crawlsieve::consumer
