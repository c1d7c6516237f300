#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crawlsieve::extract::html {

/// The attributes that visibility, hints, links or the tree look at; others are passed over.
enum class AttributeKind : std::uint8_t {
  kAlt,
  kClass,
  kColor,
  kContent,
  kData,
  kEncoding,
  kFace,
  kHidden,
  kHref,
  kHttpEquiv,
  kId,
  kLang,
  kName,
  kOpen,
  kPopover,
  kRel,
  kRole,
  kSize,
  kStyle,
  kType,
  kXmlLang,
  kOther,
};

inline constexpr std::size_t kAttributeKinds = static_cast<std::size_t>(AttributeKind::kOther);

/// A set of kinds, one bit for each.
using AttributeMask = std::uint32_t;
[[nodiscard]] constexpr AttributeMask MaskOf(AttributeKind kind) {
  return AttributeMask{1} << static_cast<unsigned>(kind);
}

/// An attribute's value in the page, as it stands there: references aren't decoded.
struct Attribute {
  std::uint32_t offset;
  std::uint32_t length : 27;
  std::uint32_t kind : 5;

  [[nodiscard]] AttributeKind Kind() const { return static_cast<AttributeKind>(kind); }
};
static_assert(sizeof(Attribute) == 8);

/// Larger pages don't fit the offsets and lengths.
inline constexpr std::size_t kMaxHtmlBytes = (std::size_t{1} << 27) - 1;

/// The kind of the attribute whose name, in lower case, has `length` bytes and starts with the
/// bytes of `low` and `high` (little endian, zeros behind the name).
[[nodiscard]] inline AttributeKind FindAttribute(std::size_t length, std::uint64_t low,
                                                 std::uint64_t high) {
  const auto word = [](std::string_view name) constexpr {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < name.size() && i < 8; ++i) {
      bytes |= static_cast<std::uint64_t>(static_cast<unsigned char>(name[i])) << 8 * i;
    }
    return bytes;
  };
  using Kind = AttributeKind;
  switch (length) {
    case 2:
      if (low == word("id")) return Kind::kId;
      break;
    case 3:
      if (low == word("alt")) return Kind::kAlt;
      if (low == word("rel")) return Kind::kRel;
      break;
    case 4:
      if (low == word("href")) return Kind::kHref;
      if (low == word("type")) return Kind::kType;
      if (low == word("role")) return Kind::kRole;
      if (low == word("lang")) return Kind::kLang;
      if (low == word("name")) return Kind::kName;
      if (low == word("size")) return Kind::kSize;
      if (low == word("face")) return Kind::kFace;
      if (low == word("open")) return Kind::kOpen;
      if (low == word("data")) return Kind::kData;
      break;
    case 5:
      if (low == word("class")) return Kind::kClass;
      if (low == word("style")) return Kind::kStyle;
      if (low == word("color")) return Kind::kColor;
      break;
    case 6:
      if (low == word("hidden")) return Kind::kHidden;
      break;
    case 7:
      if (low == word("content")) return Kind::kContent;
      if (low == word("popover")) return Kind::kPopover;
      break;
    case 8:
      if (low == word("encoding")) return Kind::kEncoding;
      if (low == word("xml:lang")) return Kind::kXmlLang;
      break;
    case 10:
      if (low == word("http-equ") && high == word("iv")) return Kind::kHttpEquiv;
      break;
    default:
      break;
  }
  return Kind::kOther;
}

}  // namespace crawlsieve::extract::html
