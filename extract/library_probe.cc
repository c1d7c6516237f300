#include "extract/library_probe.h"

#include "extract/features/language_rules.h"
#include "extract/features/terms.h"
#include "extract/html/charset.h"
#include "extract/text/ascii.h"
#include "extract/text/common_characters.h"
#include "extract/text/tokenizer.h"
#include "extract/text/unicode_data.h"
#include "extract/text/utf8.h"
#include "extract/text/word_characters.h"
#include "extract/url/url.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/udata.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

namespace crawlsieve::extract {
namespace {

constexpr UChar32 kEndOfPlane3 = 0x40000;
constexpr UChar32 kPlane14 = 0xE0000;
constexpr UChar32 kEndOfPlane14 = 0xE1000;

/// The characters of Unicode 15.0 in planes 0 to 3 and 14; the rest is for private use. Surrogates
/// are none.
std::vector<UChar32> AllCharacters() {
  std::vector<UChar32> all;
  for (UChar32 c = 0; c < kEndOfPlane14; ++c) {
    if (c == kEndOfPlane3) c = kPlane14;
    if (!U_IS_SURROGATE(c) && IsAssigned(c)) all.push_back(c);
  }
  return all;
}

void AppendUtf16(UChar32 c, std::u16string& text) {
  if (!U_IS_BMP(c)) text += U16_LEAD(c);
  text += U_IS_BMP(c) ? static_cast<char16_t>(c) : static_cast<char16_t>(U16_TRAIL(c));
}

Checksum ChecksumOf(std::u16string_view text) {
  return RawChecksum({reinterpret_cast<const char*>(text.data()), 2 * text.size()});
}

/// Scripts of which there are many characters, all alike: none has two cases, a number or a mark.
bool IsOfLargeSet(UChar32 c) {
  return (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0xA4CF) ||
         (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xE000 && c <= 0xFAFF) ||
         (c >= 0x12000 && c <= 0x1467F) || (c >= 0x17000 && c <= 0x18D08) ||
         (c >= 0x1B170 && c <= 0x1B2FB) || (c >= 0x20000 && c < kEndOfPlane3);
}

/// Which these are; of each the class for words, what kind of letter it is, and its folding.
Checksum ProbeCharacters(const std::vector<UChar32>& characters) {
  std::string all;
  all.reserve(6 * characters.size());
  for (const UChar32 c : characters) {
    all += static_cast<char>(WordBreakProperty(c));
    all += IsLetterOrDigit(c) ? 'a' : ' ';
    if (IsOfLargeSet(c)) continue;
    const UChar32 folded = FoldCase(c);
    const auto kinds = static_cast<unsigned>(IsLetterDigitOrMark(c)) |
                       static_cast<unsigned>(IsAlphabetic(c)) << 1U |
                       static_cast<unsigned>(IsWordCharacter(c)) << 2U |
                       static_cast<unsigned>(IsCurrencySign(c)) << 3U |
                       static_cast<unsigned>(u_isdigit(c)) << 4U;
    all += static_cast<char>(kinds);
    all += static_cast<char>(u_getCombiningClass(c));
    for (int shift = 0; shift < 24; shift += 8) all += static_cast<char>((c ^ folded) >> shift);
  }
  const auto* const places = reinterpret_cast<const char*>(characters.data());
  return RawChecksum(all + ToBytes(RawChecksum({places, characters.size() * sizeof(UChar32)})));
}

std::u16string Normalized(const UNormalizer2& normalizer, std::u16string_view text) {
  std::u16string out(4 * text.size() + 64, u'\0');
  UErrorCode error = U_ZERO_ERROR;
  const std::int32_t size =
      unorm2_normalize(&normalizer, text.data(), static_cast<std::int32_t>(text.size()), out.data(),
                       static_cast<std::int32_t>(out.size()), &error);
  RequireSuccess(error);
  out.resize(static_cast<std::size_t>(size));
  return out;
}

/// NFKC_Casefold of each character, of each that is made of two these two, and of marks in a row.
Checksum ProbeNormalization(const std::vector<UChar32>& characters) {
  const UNormalizer2& normalizer = Normalizer();
  std::u16string all;
  std::vector<UChar32> marks;
  std::u16string boundaries;
  for (const UChar32 c : characters) {
    if (unorm2_isInert(&normalizer, c)) continue;
    if (u_getCombiningClass(c) != 0) marks.push_back(c);
    AppendUtf16(c, all);
    all += u' ';
    boundaries += static_cast<char16_t>('0' + unorm2_hasBoundaryBefore(&normalizer, c));
    std::array<UChar, 8> pair{};
    UErrorCode error = U_ZERO_ERROR;
    const std::int32_t size = unorm2_getRawDecomposition(
        &normalizer, c, pair.data(), static_cast<std::int32_t>(pair.size()), &error);
    if (size > 0 && U_SUCCESS(error)) {
      all.append(pair.data(), static_cast<std::size_t>(size));
      all += u' ';
    }
  }
  // As many in a row as a text may have, the last one first.
  constexpr std::size_t kMarks = 30;
  std::ranges::reverse(marks);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (i % kMarks == 0) all += u'a';
    AppendUtf16(marks[i], all);
  }
  return ChecksumOf(Normalized(normalizer, all) + boundaries);
}

struct BreaksCloser {
  void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
};
using Breaks = std::unique_ptr<UBreakIterator, BreaksCloser>;

/// Appends where words of `text` end.
void AppendBreaks(UBreakIterator& breaks, std::u16string_view text, std::string& ends) {
  std::u16string buffer;
  const std::u16string_view shown = ForWordBreaks(text, buffer);
  UErrorCode error = U_ZERO_ERROR;
  ubrk_setText(&breaks, shown.data(), static_cast<std::int32_t>(shown.size()), &error);
  RequireSuccess(error);
  std::int32_t last = ubrk_first(&breaks);
  for (std::int32_t end = ubrk_next(&breaks); end != UBRK_DONE; end = ubrk_next(&breaks)) {
    ends += static_cast<char>(end - last);
    last = end;
  }
}

/// Rules of words: what each character does between letters, and any three classes in a row.
Checksum ProbeWordRules(const std::vector<UChar32>& characters) {
  UErrorCode error = U_ZERO_ERROR;
  const Breaks breaks(ubrk_open(UBRK_WORD, "", nullptr, 0, &error));
  RequireSuccess(error);
  std::u16string text;
  std::array<UChar32, U_WB_COUNT> of_class{};
  for (const UChar32 c : characters) {
    if (IsOfLargeSet(c)) continue;
    const auto kind = static_cast<std::size_t>(WordBreakProperty(c));
    if (kind < of_class.size() && of_class[kind] == 0 && c > ' ') of_class[kind] = c;
    // Letters and marks are told by their class; all others by what they do.
    if (kind == U_WB_ALETTER || kind == U_WB_EXTEND) continue;
    for (const char16_t beside : {u'a', u'1'}) {
      text += beside;
      AppendUtf16(c, text);
      text += beside;
    }
    text += u' ';
  }
  for (const UChar32 first : of_class) {
    for (const UChar32 second : of_class) {
      for (const UChar32 third : of_class) {
        for (const UChar32 c : {first, second, third}) {
          if (c != 0) AppendUtf16(c, text);
        }
        text += u' ';
      }
    }
  }
  std::string ends;
  AppendBreaks(*breaks, text, ends);
  return RawChecksum(ends);
}

/// Dictionaries of words, and what is made of text of each script that has one.
Checksum ProbeDictionaries() {
  std::string all;
  for (const char* name : {"cjdict", "thaidict", "laodict", "khmerdict", "burmesedict"}) {
    UErrorCode error = U_ZERO_ERROR;
    UDataMemory* const data = udata_open(U_ICUDATA_NAME "-brkitr", "dict", name, &error);
    if (U_FAILURE(error)) {
      all += '?';
      continue;
    }
    const auto* const head = static_cast<const std::int32_t*>(udata_getMemory(data));
    const auto size = static_cast<std::size_t>(std::max(head[3], 0));
    all += ToBytes(RawChecksum({static_cast<const char*>(udata_getMemory(data)), size}));
    udata_close(data);
  }
  struct Script {
    UChar32 first;
    unsigned count;
  };
  // Thai, Lao, Burmese, Khmer, kana, ideographs.
  constexpr std::array kScripts = {Script{0xE01, 91},  Script{0xE81, 93},   Script{0x1000, 74},
                                   Script{0x1780, 83}, Script{0x3041, 190}, Script{0x4E00, 20'000}};
  std::string text;
  for (const LanguageRules& rules : AllLanguageRules()) {
    text += rules.sample;
    text += ' ';
  }
  std::uint64_t random = 1;
  for (const Script& script : kScripts) {
    for (int i = 0; i < 600; ++i) {
      random = random * 6364136223846793005 + 1442695040888963407;
      const UChar32 c = script.first + static_cast<UChar32>((random >> 33) % script.count);
      std::u16string one;
      AppendUtf16(IsAssigned(c) ? c : ' ', one);
      AppendUtf8(one, text);
      if ((random >> 28) % 16 == 0) text += ' ';
    }
  }
  TokenList tokens;
  (void)Tokenizer({.max_tokens = 100'000, .max_token_bytes = 256}).Append(text, tokens);
  return RawChecksum(all + tokens.text);
}

/// Every byte and every pair of bytes in each encoding, and longer ones where there are any.
Checksum ProbeEncodings() {
  CharsetDecoder decoder;
  std::string all;
  const auto add = [&](std::string_view label, std::string_view bytes) {
    const DecodedText decoded = decoder.Decode(bytes, {.charset = label});
    all += ToBytes(RawChecksum(decoded.text));
    all += decoded.encoding;
  };
  std::string singles;
  for (int byte = 1; byte < 256; ++byte) {
    singles += static_cast<char>(byte);
    singles += '\n';
  }
  for (const char* label :
       {"ibm866",         "iso-8859-2",   "iso-8859-3",   "iso-8859-4",   "iso-8859-5",
        "iso-8859-6",     "iso-8859-7",   "iso-8859-8",   "iso-8859-10",  "iso-8859-13",
        "iso-8859-14",    "iso-8859-15",  "koi8-r",       "koi8-u",       "macintosh",
        "windows-874",    "windows-1250", "windows-1251", "windows-1252", "windows-1253",
        "windows-1254",   "windows-1255", "windows-1256", "windows-1257", "windows-1258",
        "x-mac-cyrillic", "utf-16le"}) {
    add(label, singles);
  }
  std::string pairs = singles;
  for (int lead = 0x80; lead < 256; ++lead) {
    for (int trail = 0x30; trail < 256; ++trail) {
      pairs += static_cast<char>(lead);
      pairs += static_cast<char>(trail);
      pairs += '\n';
    }
  }
  for (const char* label : {"gb18030", "big5", "euc-jp", "shift_jis", "euc-kr"}) add(label, pairs);
  std::string fours;  // of the basic plane, and the first ones behind it
  for (int first = 0x81; first <= 0x90; ++first) {
    if (first == 0x85) first = 0x90;
    for (int second = '0'; second <= '9'; ++second) {
      for (int third = 0x81; third <= 0xFE; ++third) {
        for (int fourth = '0'; fourth <= '9'; ++fourth) {
          for (const int byte : {first, second, third, fourth}) fours += static_cast<char>(byte);
        }
      }
    }
  }
  add("gb18030", fours);
  std::string threes;
  std::string escaped = "\x1B$B";
  for (int row = 0x21; row < 0x7F; ++row) {
    for (int cell = 0x21; cell < 0x7F; ++cell) {
      threes += '\x8F';
      threes += static_cast<char>(row | 0x80);
      threes += static_cast<char>(cell | 0x80);
      escaped += static_cast<char>(row);
      escaped += static_cast<char>(cell);
    }
  }
  add("euc-jp", threes);
  add("iso-2022-jp", escaped + "\x1B(Jab\\~\x1B(Iab\x1B(Bab\x1B$@!!\x1B(B");
  return RawChecksum(all);
}

/// Names that show the rules, and what characters become in names.
Checksum ProbeNames(const std::vector<UChar32>& characters) {
  constexpr std::array kHosts = {"xn--",
                                 "xn--a",
                                 "xn--ascii-",
                                 "xn--mnchen-3ya.de",
                                 "XN--MNCHEN-3YA",
                                 "xn--zzzzzzzz",
                                 "xn--é",
                                 "faß.de",
                                 "FAẞ.de",
                                 "xn--fa-hia",
                                 "a\u200Db",
                                 "\u0915\u094D\u200D\u0937",
                                 "xn--1ug",
                                 "\u05D0\u05D1",
                                 "a\u05D0",
                                 "1\u05D0",
                                 "\u0661a",
                                 "\u226E",
                                 "a。b",
                                 "a..ü",
                                 "ü.",
                                 "-ü",
                                 "ü-",
                                 "ab--ü",
                                 "x\u00ADü",
                                 "\u2488com",
                                 "xn--a.ü",
                                 "xn--0.pt",
                                 "xn--a-ecp.ru",
                                 "\u0130stanbul",
                                 "\uFB05x",
                                 "xn--zca",
                                 "xn--80ak6aa92e.com",
                                 "·ü",
                                 "a\u0301",
                                 "\u0301a",
                                 "☃.net",
                                 "a_ü",
                                 "a b.ü",
                                 "a<ü",
                                 "=\u0338ü",
                                 "xn--u-ccb",
                                 "a．ü",
                                 "xn--nxasmm1c.com",
                                 "xn--ls8h.la",
                                 "\u0640\u0628",
                                 "\u06F0a\u0628",
                                 "\u0628\u06F0\u0660",
                                 "1.\u0628",
                                 "xn--o-0gab.org",
                                 "\u1C89x",
                                 "xn--99999999",
                                 "\u10A0x",
                                 "xn--2d8h"};
  std::string all;
  for (const std::string_view host : kHosts) {
    all += CanonicalizeUrl(fmt::format("http://{}/", host)).host;
    all += ' ';
  }
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2* const mapping = unorm2_getInstance(nullptr, "uts46", UNORM2_COMPOSE, &error);
  RequireSuccess(error);
  std::u16string text;
  constexpr UChar32 kCapitalSharpS = 0x1E9E;  // among the hosts
  for (const UChar32 c : characters) {
    if (unorm2_isInert(mapping, c) || IsForbiddenInNames(c) || c == kCapitalSharpS) continue;
    AppendUtf16(c, text);
    text += u' ';
  }
  return RawChecksum(all + ToBytes(ChecksumOf(Normalized(*mapping, text))));
}

struct ConverterCloser {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};

/// `utf8` in another encoding; empty where that has not all of its characters.
std::string Encoded(std::string_view utf8, const char* icu_name) {
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<UConverter, ConverterCloser> converter(ucnv_open(icu_name, &error));
  if (U_FAILURE(error)) return {};
  ucnv_setFromUCallBack(converter.get(), UCNV_FROM_U_CALLBACK_STOP, nullptr, nullptr, nullptr,
                        &error);
  std::u16string text;
  for (std::size_t at = 0; at < utf8.size();) AppendUtf16(Next(utf8, at), text);
  std::string encoded(4 * text.size() + 16, '\0');
  const std::int32_t size =
      ucnv_fromUChars(converter.get(), encoded.data(), static_cast<std::int32_t>(encoded.size()),
                      text.data(), static_cast<std::int32_t>(text.size()), &error);
  if (U_FAILURE(error)) return {};
  encoded.resize(static_cast<std::size_t>(size));
  return encoded;
}

/// Letters of `text`, valid UTF-8, each once.
std::vector<std::string> LettersOf(std::string_view text) {
  std::set<UChar32> letters;
  for (std::size_t at = 0; at < text.size();) {
    const UChar32 c = Next(text, at);
    if (u_isalpha(c)) letters.insert(FoldCase(c));
  }
  std::vector<std::string> all;
  for (const UChar32 c : letters) {
    std::u16string one;
    AppendUtf16(c, one);
    AppendUtf8(one, all.emplace_back());
  }
  return all;
}

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  TokenList tokens;
  (void)Tokenizer({.max_tokens = 10'000, .max_token_bytes = 256}).Append(text, tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) words.emplace_back(tokens.Span(i, 1));
  return words;
}

/// The last one to four letters of each word, each ending once.
std::vector<std::string> EndingsOf(const std::vector<std::string>& words) {
  std::set<std::string> endings;
  for (const std::string& word : words) {
    std::size_t at = word.size();
    for (int letters = 0; letters < 4 && at > 0; ++letters) {
      (void)Previous(word, at);
      endings.insert(word.substr(at));
    }
  }
  return {endings.begin(), endings.end()};
}

/// Words of the language, and made-up ones: with each ending of two letters, many of three, and
/// those that words of any language have, behind different letters.
std::vector<std::string> WordsToStem(const LanguageRules& rules,
                                     const std::vector<std::string>& endings,
                                     const std::vector<std::string>& letters_of_all) {
  const std::string own = fmt::format("{} {}", rules.sample, rules.stop_words);
  std::vector<std::string> words = WordsOf(own);
  std::string head;
  for (const std::string& word : words) {
    if (word.size() > head.size()) head = word;
  }
  head.resize(CutAtCodePoint(head, head.size() / 2));
  const bool is_latin = std::ranges::any_of(own, IsAsciiAlpha);
  const std::vector<std::string> letters =
      LettersOf(is_latin ? own + " abcdefghijklmnopqrstuvwxyz" : own);
  for (const std::string& letter : letters_of_all) words.push_back(head + letter);
  for (const std::string& first : letters) {
    for (const std::string& second : letters)
      words.push_back(fmt::format("{}{}{}", head, first, second));
  }
  if (is_latin) {
    for (const char first : std::string_view("aeiou")) {
      for (const std::string& second : letters) {
        for (const char third : std::string_view("sxtnre")) {
          words.push_back(fmt::format("{}{}{}{}", head, first, second, third));
        }
      }
    }
  }
  std::size_t letter = 0;
  for (const std::string& ending : endings) {
    // Of Latin letters for the languages that have these.
    if (IsAsciiAlpha(ending.back()) != is_latin) continue;
    letter = (letter + 7) % letters.size();
    words.push_back(head + ending);
    words.push_back(fmt::format("{}{}{}", head, letters[letter], ending));
  }
  return words;
}

bool IsAsKnown(const LibraryProbe& probe) { return probe.result == probe.known; }

}  // namespace

std::vector<LibraryProbe> ProbeIcu() {
  const std::vector<UChar32> characters = AllCharacters();
  return {
      {"characters", ProbeCharacters(characters), {0x89aba431d3326b15, 0x7b989861a6b370f0}},
      {"normalization", ProbeNormalization(characters), {0x0d376aec8596b9b1, 0x0c7a743460db4f09}},
      {"words", ProbeWordRules(characters), {0x607273a53bca6a58, 0x6113f45b859f1eea}},
      {"dictionaries", ProbeDictionaries(), {0xd5f962bc4d0c12a7, 0xaf66bb2097b8afc3}},
      {"encodings", ProbeEncodings(), {0xc18dd9029190443e, 0xc343abadc375ea5a}},
      {"names", ProbeNames(characters), {0x6e727a3415a46fa7, 0x59cfc43ab4d846c7}},
  };
}

LibraryProbe ProbeCharsetDetection() {
  constexpr std::array kEncodings = {
      "windows-1252", "ISO-8859-2",   "windows-1250", "windows-1251", "KOI8-R",       "ISO-8859-5",
      "ISO-8859-7",   "windows-1253", "windows-1254", "ISO-8859-6",   "windows-1256", "ISO-8859-8",
      "windows-1255", "windows-874",  "windows-31j",  "EUC-JP",       "ISO-2022-JP",  "gb18030",
      "Big5",         "windows-949",  "UTF-16LE",     "ibm866"};
  CharsetDecoder decoder;
  std::string all;
  for (const LanguageRules& rules : AllLanguageRules()) {
    for (const char* encoding : kEncodings) {
      for (const std::string_view text : {rules.sample, rules.stop_words}) {
        const std::string bytes = Encoded(text, encoding);
        // Others aren't looked at.
        if (bytes.empty() || AsciiPrefix(bytes) == bytes.size()) continue;
        all += decoder.Decode(bytes, {}).encoding;
        all += ' ';
      }
    }
  }
  return {"charset detection", RawChecksum(all), {0x8c8f1824822844f2, 0x56b73ad2358cfcc2}};
}

LibraryProbe ProbeStems() {
  std::string text;
  for (const LanguageRules& rules : AllLanguageRules()) {
    if (rules.stemmer != nullptr) text += fmt::format("{} ", rules.sample);
  }
  const std::vector<std::string> endings = EndingsOf(WordsOf(text));
  const std::vector<std::string> letters = LettersOf(text);
  TermFinder finder({}, FeatureHasher(""));
  std::string all;
  for (const LanguageRules& rules : AllLanguageRules()) {
    if (rules.stemmer == nullptr) continue;
    for (const std::string& word : WordsToStem(rules, endings, letters)) {
      all += finder.TermOf(rules.code, word);
      all += ' ';
    }
  }
  return {"stems", RawChecksum(all), {0x03afbe310e3d1820, 0xe63687ace2daf782}};
}

LibraryNames NamesOf(const std::vector<LibraryProbe>& icu, const LibraryProbe& uchardet,
                     const LibraryProbe& stems) {
  LibraryNames names;
  std::string results;
  for (const LibraryProbe& probe : icu) results += ToBytes(probe.result);
  names.icu = std::ranges::all_of(icu, IsAsKnown)
                  ? "icu=72.1 unicode=15.0"
                  : fmt::format("icu={} unicode=15.0", Hex(RawChecksum(results)));
  names.uchardet =
      IsAsKnown(uchardet) ? "uchardet-0.0.7" : fmt::format("uchardet-{}", Hex(uchardet.result));
  if (!IsAsKnown(stems)) names.stems = fmt::format(" stems={}", Hex(stems.result));
  return names;
}

const LibraryNames& NamesOfLibraries() {
  static const LibraryNames names = NamesOf(ProbeIcu(), ProbeCharsetDetection(), ProbeStems());
  return names;
}

}  // namespace crawlsieve::extract
