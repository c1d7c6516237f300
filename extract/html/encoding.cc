#include "extract/html/encoding.h"

#include "extract/text/ascii.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace crawlsieve::extract {
namespace {

// GBK is decoded as its superset gb18030, Big5 with its Hong Kong extension and EUC-KR as
// windows-949, as the standard has them.
constexpr std::array kEncodings = {
    Encoding{"UTF-8", EncodingFamily::kUtf8, nullptr},
    Encoding{"IBM866", EncodingFamily::kLegacy, "ibm866"},
    Encoding{"ISO-8859-2", EncodingFamily::kLegacy, "ISO-8859-2"},
    Encoding{"ISO-8859-3", EncodingFamily::kLegacy, "ISO-8859-3"},
    Encoding{"ISO-8859-4", EncodingFamily::kLegacy, "ISO-8859-4"},
    Encoding{"ISO-8859-5", EncodingFamily::kLegacy, "ISO-8859-5"},
    Encoding{"ISO-8859-6", EncodingFamily::kLegacy, "ISO-8859-6"},
    Encoding{"ISO-8859-7", EncodingFamily::kLegacy, "ISO-8859-7"},
    Encoding{"ISO-8859-8", EncodingFamily::kLegacy, "ISO-8859-8"},
    Encoding{"ISO-8859-8-I", EncodingFamily::kLegacy, "ISO-8859-8"},
    Encoding{"ISO-8859-10", EncodingFamily::kLegacy, "ISO-8859-10"},
    Encoding{"ISO-8859-13", EncodingFamily::kLegacy, "ISO-8859-13"},
    Encoding{"ISO-8859-14", EncodingFamily::kLegacy, "ISO-8859-14"},
    Encoding{"ISO-8859-15", EncodingFamily::kLegacy, "ISO-8859-15"},
    Encoding{"KOI8-R", EncodingFamily::kLegacy, "KOI8-R"},
    Encoding{"KOI8-U", EncodingFamily::kLegacy, "KOI8-U"},
    Encoding{"macintosh", EncodingFamily::kLegacy, "macintosh"},
    Encoding{"windows-874", EncodingFamily::kLegacy, "windows-874"},
    Encoding{"windows-1250", EncodingFamily::kLegacy, "windows-1250"},
    Encoding{"windows-1251", EncodingFamily::kLegacy, "windows-1251"},
    Encoding{"windows-1252", EncodingFamily::kLegacy, "windows-1252"},
    Encoding{"windows-1253", EncodingFamily::kLegacy, "windows-1253"},
    Encoding{"windows-1254", EncodingFamily::kLegacy, "windows-1254"},
    Encoding{"windows-1255", EncodingFamily::kLegacy, "windows-1255"},
    Encoding{"windows-1256", EncodingFamily::kLegacy, "windows-1256"},
    Encoding{"windows-1257", EncodingFamily::kLegacy, "windows-1257"},
    Encoding{"windows-1258", EncodingFamily::kLegacy, "windows-1258"},
    Encoding{"x-mac-cyrillic", EncodingFamily::kLegacy, "x-mac-cyrillic"},
    Encoding{"GBK", EncodingFamily::kLegacy, "gb18030"},
    Encoding{"gb18030", EncodingFamily::kLegacy, "gb18030"},
    Encoding{"Big5", EncodingFamily::kLegacy, "Big5-HKSCS"},
    Encoding{"EUC-JP", EncodingFamily::kLegacy, "EUC-JP"},
    Encoding{"ISO-2022-JP", EncodingFamily::kLegacy, "ISO-2022-JP"},
    Encoding{"Shift_JIS", EncodingFamily::kLegacy, "windows-31j"},
    Encoding{"EUC-KR", EncodingFamily::kLegacy, "windows-949"},
    Encoding{"replacement", EncodingFamily::kReplacement, nullptr},
    Encoding{"UTF-16BE", EncodingFamily::kUtf16, "UTF-16BE"},
    Encoding{"UTF-16LE", EncodingFamily::kUtf16, "UTF-16LE"},
};

struct Label {
  std::string_view name;
  std::uint8_t encoding;  ///< index into kEncodings
};

/// The label table of the Encoding Standard, ordered by name for the binary search.
constexpr std::array kLabels = {
    Label{"866", 1},
    Label{"ansi_x3.4-1968", 20},
    Label{"arabic", 6},
    Label{"ascii", 20},
    Label{"asmo-708", 6},
    Label{"big5", 30},
    Label{"big5-hkscs", 30},
    Label{"chinese", 28},
    Label{"cn-big5", 30},
    Label{"cp1250", 18},
    Label{"cp1251", 19},
    Label{"cp1252", 20},
    Label{"cp1253", 21},
    Label{"cp1254", 22},
    Label{"cp1255", 23},
    Label{"cp1256", 24},
    Label{"cp1257", 25},
    Label{"cp1258", 26},
    Label{"cp819", 20},
    Label{"cp866", 1},
    Label{"csbig5", 30},
    Label{"cseuckr", 34},
    Label{"cseucpkdfmtjapanese", 31},
    Label{"csgb2312", 28},
    Label{"csibm866", 1},
    Label{"csiso2022jp", 32},
    Label{"csiso2022kr", 35},
    Label{"csiso58gb231280", 28},
    Label{"csiso88596e", 6},
    Label{"csiso88596i", 6},
    Label{"csiso88598e", 8},
    Label{"csiso88598i", 9},
    Label{"csisolatin1", 20},
    Label{"csisolatin2", 2},
    Label{"csisolatin3", 3},
    Label{"csisolatin4", 4},
    Label{"csisolatin5", 22},
    Label{"csisolatin6", 10},
    Label{"csisolatin9", 13},
    Label{"csisolatinarabic", 6},
    Label{"csisolatincyrillic", 5},
    Label{"csisolatingreek", 7},
    Label{"csisolatinhebrew", 8},
    Label{"cskoi8r", 14},
    Label{"csksc56011987", 34},
    Label{"csmacintosh", 16},
    Label{"csshiftjis", 33},
    Label{"csunicode", 37},
    Label{"cyrillic", 5},
    Label{"dos-874", 17},
    Label{"ecma-114", 6},
    Label{"ecma-118", 7},
    Label{"elot_928", 7},
    Label{"euc-jp", 31},
    Label{"euc-kr", 34},
    Label{"gb18030", 29},
    Label{"gb2312", 28},
    Label{"gb_2312", 28},
    Label{"gb_2312-80", 28},
    Label{"gbk", 28},
    Label{"greek", 7},
    Label{"greek8", 7},
    Label{"hebrew", 8},
    Label{"hz-gb-2312", 35},
    Label{"ibm819", 20},
    Label{"ibm866", 1},
    Label{"iso-10646-ucs-2", 37},
    Label{"iso-2022-cn", 35},
    Label{"iso-2022-cn-ext", 35},
    Label{"iso-2022-jp", 32},
    Label{"iso-2022-kr", 35},
    Label{"iso-8859-1", 20},
    Label{"iso-8859-10", 10},
    Label{"iso-8859-11", 17},
    Label{"iso-8859-13", 11},
    Label{"iso-8859-14", 12},
    Label{"iso-8859-15", 13},
    Label{"iso-8859-2", 2},
    Label{"iso-8859-3", 3},
    Label{"iso-8859-4", 4},
    Label{"iso-8859-5", 5},
    Label{"iso-8859-6", 6},
    Label{"iso-8859-6-e", 6},
    Label{"iso-8859-6-i", 6},
    Label{"iso-8859-7", 7},
    Label{"iso-8859-8", 8},
    Label{"iso-8859-8-e", 8},
    Label{"iso-8859-8-i", 9},
    Label{"iso-8859-9", 22},
    Label{"iso-ir-100", 20},
    Label{"iso-ir-101", 2},
    Label{"iso-ir-109", 3},
    Label{"iso-ir-110", 4},
    Label{"iso-ir-126", 7},
    Label{"iso-ir-127", 6},
    Label{"iso-ir-138", 8},
    Label{"iso-ir-144", 5},
    Label{"iso-ir-148", 22},
    Label{"iso-ir-149", 34},
    Label{"iso-ir-157", 10},
    Label{"iso-ir-58", 28},
    Label{"iso8859-1", 20},
    Label{"iso8859-10", 10},
    Label{"iso8859-11", 17},
    Label{"iso8859-13", 11},
    Label{"iso8859-14", 12},
    Label{"iso8859-15", 13},
    Label{"iso8859-2", 2},
    Label{"iso8859-3", 3},
    Label{"iso8859-4", 4},
    Label{"iso8859-5", 5},
    Label{"iso8859-6", 6},
    Label{"iso8859-7", 7},
    Label{"iso8859-8", 8},
    Label{"iso8859-9", 22},
    Label{"iso88591", 20},
    Label{"iso885910", 10},
    Label{"iso885911", 17},
    Label{"iso885913", 11},
    Label{"iso885914", 12},
    Label{"iso885915", 13},
    Label{"iso88592", 2},
    Label{"iso88593", 3},
    Label{"iso88594", 4},
    Label{"iso88595", 5},
    Label{"iso88596", 6},
    Label{"iso88597", 7},
    Label{"iso88598", 8},
    Label{"iso88599", 22},
    Label{"iso_8859-1", 20},
    Label{"iso_8859-15", 13},
    Label{"iso_8859-1:1987", 20},
    Label{"iso_8859-2", 2},
    Label{"iso_8859-2:1987", 2},
    Label{"iso_8859-3", 3},
    Label{"iso_8859-3:1988", 3},
    Label{"iso_8859-4", 4},
    Label{"iso_8859-4:1988", 4},
    Label{"iso_8859-5", 5},
    Label{"iso_8859-5:1988", 5},
    Label{"iso_8859-6", 6},
    Label{"iso_8859-6:1987", 6},
    Label{"iso_8859-7", 7},
    Label{"iso_8859-7:1987", 7},
    Label{"iso_8859-8", 8},
    Label{"iso_8859-8:1988", 8},
    Label{"iso_8859-9", 22},
    Label{"iso_8859-9:1989", 22},
    Label{"koi", 14},
    Label{"koi8", 14},
    Label{"koi8-r", 14},
    Label{"koi8-ru", 15},
    Label{"koi8-u", 15},
    Label{"koi8_r", 14},
    Label{"korean", 34},
    Label{"ks_c_5601-1987", 34},
    Label{"ks_c_5601-1989", 34},
    Label{"ksc5601", 34},
    Label{"ksc_5601", 34},
    Label{"l1", 20},
    Label{"l2", 2},
    Label{"l3", 3},
    Label{"l4", 4},
    Label{"l5", 22},
    Label{"l6", 10},
    Label{"l9", 13},
    Label{"latin1", 20},
    Label{"latin2", 2},
    Label{"latin3", 3},
    Label{"latin4", 4},
    Label{"latin5", 22},
    Label{"latin6", 10},
    Label{"logical", 9},
    Label{"mac", 16},
    Label{"macintosh", 16},
    Label{"ms932", 33},
    Label{"ms_kanji", 33},
    Label{"replacement", 35},
    Label{"shift-jis", 33},
    Label{"shift_jis", 33},
    Label{"sjis", 33},
    Label{"sun_eu_greek", 7},
    Label{"tis-620", 17},
    Label{"ucs-2", 37},
    Label{"unicode", 37},
    Label{"unicode-1-1-utf-8", 0},
    Label{"unicode11utf8", 0},
    Label{"unicode20utf8", 0},
    Label{"unicodefeff", 37},
    Label{"unicodefffe", 36},
    Label{"us-ascii", 20},
    Label{"utf-16", 37},
    Label{"utf-16be", 36},
    Label{"utf-16le", 37},
    Label{"utf-8", 0},
    Label{"utf8", 0},
    Label{"visual", 8},
    Label{"windows-1250", 18},
    Label{"windows-1251", 19},
    Label{"windows-1252", 20},
    Label{"windows-1253", 21},
    Label{"windows-1254", 22},
    Label{"windows-1255", 23},
    Label{"windows-1256", 24},
    Label{"windows-1257", 25},
    Label{"windows-1258", 26},
    Label{"windows-31j", 33},
    Label{"windows-874", 17},
    Label{"windows-949", 34},
    Label{"x-cp1250", 18},
    Label{"x-cp1251", 19},
    Label{"x-cp1252", 20},
    Label{"x-cp1253", 21},
    Label{"x-cp1254", 22},
    Label{"x-cp1255", 23},
    Label{"x-cp1256", 24},
    Label{"x-cp1257", 25},
    Label{"x-cp1258", 26},
    Label{"x-euc-jp", 31},
    Label{"x-gbk", 28},
    Label{"x-mac-cyrillic", 27},
    Label{"x-mac-roman", 16},
    Label{"x-mac-ukrainian", 27},
    Label{"x-sjis", 33},
    Label{"x-unicode20utf8", 0},
    Label{"x-x-big5", 30},
};
static_assert(std::is_sorted(kLabels.begin(), kLabels.end(),
                             [](const Label& a, const Label& b) { return a.name < b.name; }));

constexpr std::size_t kUtf8Index = 0;
constexpr std::size_t kWindows1252Index = 20;
constexpr std::size_t kUtf16BeIndex = 36;
constexpr std::size_t kUtf16LeIndex = 37;
static_assert(kEncodings[kUtf8Index].name == "UTF-8");
static_assert(kEncodings[kWindows1252Index].name == "windows-1252");
static_assert(kEncodings[kUtf16BeIndex].name == "UTF-16BE");
static_assert(kEncodings[kUtf16LeIndex].name == "UTF-16LE");

}  // namespace

const Encoding* FindEncoding(std::string_view label) {
  const std::string name = AsciiLower(TrimAscii(label));
  const auto* found =
      std::lower_bound(kLabels.begin(), kLabels.end(), std::string_view(name),
                       [](const Label& entry, std::string_view key) { return entry.name < key; });
  if (found == kLabels.end() || found->name != name) return nullptr;
  return &kEncodings[found->encoding];
}

const Encoding& Utf8() { return kEncodings[kUtf8Index]; }
const Encoding& Windows1252() { return kEncodings[kWindows1252Index]; }

ByteOrderMark FindByteOrderMark(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return {&kEncodings[kUtf8Index], 3};
  if (bytes.starts_with("\xFE\xFF")) return {&kEncodings[kUtf16BeIndex], 2};
  if (bytes.starts_with("\xFF\xFE")) return {&kEncodings[kUtf16LeIndex], 2};
  return {};
}

std::string_view FindCharsetParameter(std::string_view content_type) {
  constexpr std::string_view kName = "charset";
  for (std::size_t i = 0; i + kName.size() <= content_type.size(); ++i) {
    if (!StartsWithNoCase(content_type.substr(i), kName)) continue;
    std::string_view rest = TrimAscii(content_type.substr(i + kName.size()));
    if (rest.empty() || rest.front() != '=') continue;
    rest = TrimAscii(rest.substr(1));
    if (rest.empty()) return {};
    if (rest.front() == '"' || rest.front() == '\'') {
      const std::size_t end = rest.find(rest.front(), 1);
      return end == std::string_view::npos ? std::string_view() : rest.substr(1, end - 1);
    }
    return rest.substr(0, rest.find_first_of("; \t\n\f\r,"));
  }
  return {};
}

}  // namespace crawlsieve::extract
