#pragma once

#include "extract/html/attributes.h"
#include "extract/html/markup_bits.h"
#include "extract/html/name_table.h"
#include "extract/html/node_arena.h"
#include "extract/html/open_elements.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve::extract::html {

/// A start tag or an end tag.
struct TagToken {
  Tag tag = Tag::kUnknown;
  NameId name = 0;
  std::uint32_t begin = 0;  ///< of its '<' in the page
  std::uint32_t first_attribute = 0;
  std::uint8_t attributes = 0;  ///< how many of the known kinds
  AttributeMask kinds = 0;      ///< which ones
  bool self_closing = false;

  [[nodiscard]] bool Has(AttributeKind kind) const { return (kinds & MaskOf(kind)) != 0; }
};

/// Reads tags: names and attributes, as the standard's tokenizer does. Thread-compatible.
class TagReader {
 public:
  explicit TagReader(NameTable& names) : names_(names) {}

  /// `html` and `bits`, its bitmaps, stay as they are until the next Begin.
  void Begin(std::string_view html, const MarkupBits& bits);

  static constexpr std::size_t kNoEnd = static_cast<std::size_t>(-1);

  /// Reads the start tag whose '<' is at `begin`; the byte behind it is a letter. Its attributes of
  /// known kinds go to `attributes`. Returns where it ends, or kNoEnd when the page does before it.
  [[nodiscard]] std::size_t ReadStartTag(std::size_t begin, Pool<Attribute>& attributes,
                                         TagToken& token);
  /// The same for an end tag: "</" is at `begin`. Attributes mean nothing in it.
  [[nodiscard]] std::size_t ReadEndTag(std::size_t begin, TagToken& token);
  /// Where the tag ends whose attributes begin at `at`.
  [[nodiscard]] std::size_t SkipAttributes(std::size_t at);

  /// A hash of the names and values of all attributes of the start tag at `begin`, whatever their
  /// order. Of two with one name the first counts.
  [[nodiscard]] std::uint64_t SignatureOf(std::size_t begin, const KeyedHash& hash);

  /// The most attributes that SignatureOf has held at once since Begin.
  [[nodiscard]] std::size_t most_signed() const { return most_signed_; }
  /// How many attributes were read since Begin.
  [[nodiscard]] std::uint64_t work() const { return work_; }
  /// Whether the last tag's name is new; its number is one more than that of the last new one.
  [[nodiscard]] bool name_is_new() const { return name_is_new_; }

 private:
  struct RawAttribute {
    std::size_t name;
    std::size_t name_end;
    std::size_t value;
    std::size_t value_end;
  };
  enum class Step { kAttribute, kTagEnd, kSelfClosing, kPageEnd };

  /// The name that begins at `at`; returns where it ends.
  [[nodiscard]] std::size_t ReadName(std::size_t at, TagToken& token);
  /// Reads on from `at` to the next attribute's end or to the tag's, and moves `at` there.
  [[nodiscard]] Step ReadAttribute(std::size_t& at, RawAttribute& attribute);
  [[nodiscard]] std::uint64_t Load(std::size_t at, std::size_t length) const;
  /// The end of an attribute's value without quotes, or of a tag's name: white space or '>' and,
  /// with `at_slash`, '/'.
  [[nodiscard]] std::size_t EndOf(std::size_t at, bool at_slash) const;

  NameTable& names_;
  const char* html_ = nullptr;
  std::size_t size_ = 0;
  const std::uint64_t* name_end_ = nullptr;
  const std::uint64_t* double_quote_ = nullptr;
  const std::uint64_t* single_quote_ = nullptr;
  std::uint64_t work_ = 0;
  bool name_is_new_ = false;
  struct Signed {
    std::uint64_t name;
    std::uint64_t value;
    std::uint32_t order;
  };
  Pool<Signed> signed_;
  std::size_t most_signed_ = 0;
  std::string decoded_;
};

}  // namespace crawlsieve::extract::html
