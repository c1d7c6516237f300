#include "extract/html/character_references.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace crawlsieve::extract {
namespace {

/// A name and what it stands for.
struct NamedReference {
  std::uint16_t name_begin;  ///< in kNames
  std::uint16_t text_begin;  ///< in kTexts
  std::uint8_t name_size;
  std::uint8_t text_size;
  bool legacy;  ///< whether it counts without a semicolon, too
};

#define REFERENCE(name, text, legacy) name
constexpr std::string_view kNames =
#include "extract/html/named_references.inc"
    ;
#undef REFERENCE

#define REFERENCE(name, text, legacy) text
constexpr std::string_view kTexts =
#include "extract/html/named_references.inc"
    ;
#undef REFERENCE

#define REFERENCE(name, text, legacy) {0, 0, sizeof(name) - 1, sizeof(text) - 1, legacy},
constexpr NamedReference kSizes[] = {
#include "extract/html/named_references.inc"
};
#undef REFERENCE

constexpr std::size_t kCount = std::size(kSizes);
constexpr std::size_t kLongestName = 31;
constexpr std::size_t kShortestLegacy = 2;
constexpr std::size_t kLongestLegacy = 6;

constexpr std::array<NamedReference, kCount> kReferences = [] {
  std::array<NamedReference, kCount> references{};
  std::size_t name_begin = 0;
  std::size_t text_begin = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    references[i] = kSizes[i];
    references[i].name_begin = static_cast<std::uint16_t>(name_begin);
    references[i].text_begin = static_cast<std::uint16_t>(text_begin);
    name_begin += references[i].name_size;
    text_begin += references[i].text_size;
  }
  return references;
}();

static_assert(kNames.size() < 0x10000 && kTexts.size() < 0x10000 && kCount < 0xFFFF);
static_assert(std::ranges::all_of(kReferences, [](const NamedReference& reference) {
  return reference.name_size <= kLongestName &&
         (!reference.legacy ||
          (reference.name_size >= kShortestLegacy && reference.name_size <= kLongestLegacy));
}));

constexpr std::uint32_t AddToHash(std::uint32_t hash, char c) {
  constexpr std::uint32_t kOdd = 0x9E3779B1;
  return (std::rotl(hash, 5) ^ static_cast<unsigned char>(c)) * kOdd;
}

constexpr int kSlotBits = 12;
constexpr std::size_t kSlotMask = (std::size_t{1} << kSlotBits) - 1;
constexpr std::uint16_t kNoReference = 0xFFFF;

constexpr std::size_t SlotOf(std::uint32_t hash) { return hash >> (32 - kSlotBits); }

/// Indexes of kReferences by their names' hashes; whoever finds a slot taken has the next one.
constexpr std::array<std::uint16_t, kSlotMask + 1> kSlots = [] {
  std::array<std::uint16_t, kSlotMask + 1> slots{};
  for (std::uint16_t& slot : slots) slot = kNoReference;
  for (std::size_t i = 0; i < kCount; ++i) {
    std::uint32_t hash = 0;
    for (std::size_t k = 0; k < kReferences[i].name_size; ++k) {
      hash = AddToHash(hash, kNames[kReferences[i].name_begin + k]);
    }
    std::size_t slot = SlotOf(hash);
    while (slots[slot] != kNoReference) slot = (slot + 1) & kSlotMask;
    slots[slot] = static_cast<std::uint16_t>(i);
  }
  return slots;
}();

const NamedReference* FindName(std::string_view name, std::uint32_t hash) {
  for (std::size_t slot = SlotOf(hash); kSlots[slot] != kNoReference;
       slot = (slot + 1) & kSlotMask) {
    const NamedReference& reference = kReferences[kSlots[slot]];
    if (kNames.substr(reference.name_begin, reference.name_size) == name) return &reference;
  }
  return nullptr;
}

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAlphanumeric(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return (lower >= 'a' && lower <= 'z') || IsDigit(c);
}

/// The digit's value; 16 for what is none.
constexpr std::uint32_t HexValue(char c) {
  if (IsDigit(c)) return static_cast<std::uint32_t>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<std::uint32_t>(lower - 'a' + 10) : 16;
}

/// What the standard replaces the numbers 0x80 to 0x9F with; 0: nothing.
constexpr std::array<std::uint16_t, 32> kWindows1252 = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

void AppendCodePoint(std::uint32_t code_point, std::string& out) {
  const auto append = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    append(code_point);
  } else if (code_point < 0x800) {
    append(0xC0 | code_point >> 6);
    append(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    append(0xE0 | code_point >> 12);
    append(0x80 | (code_point >> 6 & 0x3F));
    append(0x80 | (code_point & 0x3F));
  } else {
    append(0xF0 | code_point >> 18);
    append(0x80 | (code_point >> 12 & 0x3F));
    append(0x80 | (code_point >> 6 & 0x3F));
    append(0x80 | (code_point & 0x3F));
  }
}

/// `text` starts with "&#".
std::size_t AppendNumeric(std::string_view text, std::string& out) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  constexpr std::uint32_t kLast = 0x10FFFF;
  std::size_t at = 2;
  const bool hex = at < text.size() && (text[at] | 0x20) == 'x';
  if (hex) ++at;
  const std::uint32_t base = hex ? 16 : 10;
  const std::size_t digits = at;
  std::uint32_t number = 0;
  for (; at < text.size(); ++at) {
    const std::uint32_t digit = HexValue(text[at]);
    if (digit >= base) break;
    // Beyond the last code point it doesn't matter how far: 16 times that still fits.
    if (number <= kLast) number = number * base + digit;
  }
  if (at == digits) {
    out.push_back('&');
    return 1;
  }
  if (at < text.size() && text[at] == ';') ++at;
  const bool surrogate = number >= 0xD800 && number <= 0xDFFF;
  if (number == 0 || number > kLast || surrogate) {
    number = kReplacement;
  } else if (number >= 0x80 && number <= 0x9F && kWindows1252[number - 0x80] != 0) {
    number = kWindows1252[number - 0x80];
  }
  AppendCodePoint(number, out);
  return at;
}

/// `text` starts with '&' and not with "&#".
std::size_t AppendNamed(std::string_view text, bool in_attribute, std::string& out) {
  const std::string_view rest = text.substr(1);
  const std::size_t limit = std::min(rest.size(), kLongestName + 1);
  std::array<std::uint32_t, kLongestName + 2>
      hashes;  // of the first bytes of `rest`, by their number
  hashes[0] = 0;
  std::size_t run = 0;
  while (run < limit && IsAlphanumeric(rest[run])) {
    hashes[run + 1] = AddToHash(hashes[run], rest[run]);
    ++run;
  }
  const auto append = [&out](const NamedReference& reference) {
    out.append(kTexts.substr(reference.text_begin, reference.text_size));
  };
  // No name has another sign than letters and digits in it: one with a semicolon is the whole run.
  if (run < rest.size() && rest[run] == ';') {
    if (const NamedReference* const found = FindName(rest.substr(0, run), hashes[run])) {
      append(*found);
      return run + 2;
    }
  }
  for (std::size_t size = std::min(run, kLongestLegacy); size >= kShortestLegacy; --size) {
    const NamedReference* const found = FindName(rest.substr(0, size), hashes[size]);
    if (found == nullptr || !found->legacy) continue;
    const bool goes_on = size < rest.size() && (rest[size] == '=' || IsAlphanumeric(rest[size]));
    if (in_attribute && goes_on) break;
    append(*found);
    return size + 1;
  }
  out.push_back('&');
  return 1;
}

}  // namespace

std::size_t AppendReference(std::string_view text, bool in_attribute, std::string& out) {
  if (text.size() > 1 && text[1] == '#') return AppendNumeric(text, out);
  return AppendNamed(text, in_attribute, out);
}

void AppendDecoded(std::string_view text, bool in_attribute, std::string& out) {
  while (true) {
    const std::size_t reference = text.find('&');
    out.append(text.substr(0, reference));
    if (reference == std::string_view::npos) return;
    text.remove_prefix(reference);
    text.remove_prefix(AppendReference(text, in_attribute, out));
  }
}

}  // namespace crawlsieve::extract
