#include "extract/html/tag_reader.h"

#include "extract/html/character_references.h"
#include "extract/text/ascii.h"

#include <algorithm>
#include <cstring>

namespace crawlsieve::extract::html {
namespace {

/// The first `length` of the eight bytes, `length` <= 8.
constexpr std::uint64_t Cut(std::uint64_t word, std::size_t length) {
  return length >= 8 ? word : word & ((std::uint64_t{1} << 8 * length) - 1);
}

}  // namespace

void TagReader::Begin(std::string_view html, const MarkupBits& bits) {
  html_ = html.data();
  size_ = html.size();
  name_end_ = bits.name_end();
  double_quote_ = bits.double_quote();
  single_quote_ = bits.single_quote();
  work_ = 0;
  signed_.Reset(std::size_t{16} << 10);
  most_signed_ = 0;
}

inline std::uint64_t TagReader::Load(std::size_t at, std::size_t length) const {
  std::uint64_t word = 0;
  if (at + 8 <= size_) {
    std::memcpy(&word, html_ + at, 8);
    return LowerCaseWord(word);
  }
  std::memcpy(&word, html_ + at, std::min(length, size_ - at));
  return LowerCaseWord(word);
}

inline std::size_t TagReader::EndOf(std::size_t at, bool at_slash) const {
  while (true) {
    const std::size_t end = MarkupBits::Next(name_end_, at, size_);
    if (end == size_) return end;
    const char c = html_[end];
    if (c == '=' || (c == '/' && !at_slash)) {
      at = end + 1;
      continue;
    }
    return end;
  }
}

inline std::size_t TagReader::ReadName(std::size_t at, TagToken& token) {
  const std::size_t end = EndOf(at, true);
  const std::size_t length = end - at;
  name_is_new_ = false;
  token.tag = Tag::kUnknown;
  if (length <= 16) {
    const std::uint64_t low = Cut(Load(at, length), length);
    const std::uint64_t high = length > 8 ? Cut(Load(at + 8, length - 8), length - 8) : 0;
    token.tag = FindTag(low, high);
    // Of the names only h1 to h6 have a digit, for which a control character could be taken.
    if (length == 2 && token.tag >= Tag::kH1 && token.tag <= Tag::kH6 && html_[at + 1] < '0') {
      token.tag = Tag::kUnknown;
    }
  }
  if (token.tag != Tag::kUnknown) {
    token.name = static_cast<NameId>(token.tag);
    return end;
  }
  const NameTable::Found found = names_.Find({html_ + at, length});
  token.name = found.name;
  name_is_new_ = found.is_new;
  return end;
}

inline TagReader::Step TagReader::ReadAttribute(std::size_t& at, RawAttribute& attribute) {
  std::size_t i = at;
  // Before an attribute's name.
  while (true) {
    if (i >= size_) return Step::kPageEnd;
    const char c = html_[i];
    if (c == '>') {
      at = i + 1;
      return Step::kTagEnd;
    }
    if (c == '/') {
      if (i + 1 < size_ && html_[i + 1] == '>') {
        at = i + 2;
        return Step::kSelfClosing;
      }
    } else if (!IsAsciiSpace(c)) {
      break;
    }
    ++i;
  }
  ++work_;
  attribute.name = i;
  // A '=' in front is part of the name.
  i = MarkupBits::Next(name_end_, i + 1, size_);
  attribute.name_end = i;
  while (i < size_ && IsAsciiSpace(html_[i])) ++i;
  if (i >= size_) return Step::kPageEnd;
  if (html_[i] != '=') {
    attribute.value = attribute.value_end = i;
    at = i;
    return Step::kAttribute;
  }
  ++i;
  while (i < size_ && IsAsciiSpace(html_[i])) ++i;
  if (i >= size_) return Step::kPageEnd;
  const char quote = html_[i];
  if (quote == '"' || quote == '\'') {
    attribute.value = i + 1;
    i = MarkupBits::Next(quote == '"' ? double_quote_ : single_quote_, i + 1, size_);
    attribute.value_end = i;
    if (i == size_) return Step::kPageEnd;
    at = i + 1;
    return Step::kAttribute;
  }
  attribute.value = i;
  if (quote != '>') i = EndOf(i, false);
  attribute.value_end = i;
  if (i == size_) return Step::kPageEnd;
  at = i;
  return Step::kAttribute;
}

std::size_t TagReader::ReadStartTag(std::size_t begin, Pool<Attribute>& attributes,
                                    TagToken& token) {
  std::size_t at = ReadName(begin + 1, token);
  token.begin = static_cast<std::uint32_t>(begin);
  token.first_attribute = static_cast<std::uint32_t>(attributes.size());
  token.kinds = 0;
  token.attributes = 0;
  token.self_closing = false;
  RawAttribute raw;
  while (true) {
    switch (ReadAttribute(at, raw)) {
      case Step::kPageEnd:
        return kNoEnd;
      case Step::kSelfClosing:
        token.self_closing = true;
        return at;
      case Step::kTagEnd:
        return at;
      case Step::kAttribute:
        break;
    }
    const std::size_t length = raw.name_end - raw.name;
    if (length > 10) continue;
    const std::uint64_t low = Cut(Load(raw.name, length), length);
    const std::uint64_t high = length > 8 ? Cut(Load(raw.name + 8, length - 8), length - 8) : 0;
    const AttributeKind kind = FindAttribute(length, low, high);
    if (kind == AttributeKind::kOther || token.Has(kind)) continue;
    // Of the names only this one has a ':', for which a control character could be taken.
    if (kind == AttributeKind::kXmlLang && html_[raw.name + 3] != ':') continue;
    token.kinds |= MaskOf(kind);
    ++token.attributes;
    attributes.push_back({static_cast<std::uint32_t>(raw.value),
                          static_cast<std::uint32_t>(raw.value_end - raw.value) & 0x7FFFFFFU,
                          static_cast<std::uint32_t>(kind) & 0x1FU});
  }
}

std::size_t TagReader::ReadEndTag(std::size_t begin, TagToken& token) {
  const std::size_t at = ReadName(begin + 2, token);
  token.begin = static_cast<std::uint32_t>(begin);
  if (at < size_ && html_[at] == '>') return at + 1;
  return SkipAttributes(at);
}

std::size_t TagReader::SkipAttributes(std::size_t at) {
  RawAttribute raw;
  while (true) {
    switch (ReadAttribute(at, raw)) {
      case Step::kPageEnd:
        return kNoEnd;
      case Step::kSelfClosing:
      case Step::kTagEnd:
        return at;
      case Step::kAttribute:
        break;
    }
  }
}

std::uint64_t TagReader::SignatureOf(std::size_t begin, const KeyedHash& hash) {
  std::size_t at = EndOf(begin + 1, true);
  signed_.clear();
  RawAttribute raw;
  while (ReadAttribute(at, raw) == Step::kAttribute) {
    std::string_view value(html_ + raw.value, raw.value_end - raw.value);
    if (value.find('&') != std::string_view::npos) {
      decoded_.clear();
      AppendDecoded(value, true, decoded_);
      value = decoded_;
    }
    signed_.push_back({hash.Of({html_ + raw.name, raw.name_end - raw.name}, true),
                       hash.Of(value, false), static_cast<std::uint32_t>(signed_.size())});
  }
  if (signed_.empty()) return 0;
  most_signed_ = std::max(most_signed_, signed_.size());
  Signed* const first = &signed_[0];
  std::sort(first, first + signed_.size(), [](const Signed& a, const Signed& b) {
    return a.name != b.name ? a.name < b.name : a.order < b.order;
  });
  std::uint64_t signature = 1;
  for (std::size_t i = 0; i < signed_.size(); ++i) {
    if (i > 0 && signed_[i].name == signed_[i - 1].name) continue;
    signature = hash.Mix(signature, hash.Mix(signed_[i].name, signed_[i].value));
  }
  return signature;
}

}  // namespace crawlsieve::extract::html
