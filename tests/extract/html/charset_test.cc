#include "extract/html/charset.h"

#include "extract/text/utf8.h"

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <simdjson.h>

namespace crawlsieve::extract {
namespace {

using namespace std::string_literals;

struct Decoded {
  std::string text;
  std::string encoding;
  CharsetSource source;

  friend bool operator==(const Decoded&, const Decoded&) = default;
  friend void PrintTo(const Decoded& d, std::ostream* out) {
    *out << d.text << " (" << d.encoding << ", " << CharsetSourceName(d.source) << ")";
  }
};

Decoded Decode(std::string_view bytes, CharsetHints hints) {
  CharsetDecoder decoder;
  const DecodedText decoded = decoder.Decode(bytes, hints);
  return {std::string(decoded.text), std::string(decoded.encoding), decoded.source};
}

Decoded DecodeAs(std::string_view label, std::string_view bytes) {
  return Decode(bytes, {.charset = label});
}

TEST(CharsetDecoder, DoesNotCopyValidUtf8) {
  const std::string page = "gr\xC3\xBC\xC3\x9F";
  CharsetDecoder decoder;
  EXPECT_EQ(decoder.Decode(page, {}).text.data(), page.data());
}

TEST(CharsetDecoder, BelievesTheByteOrderMarkBeforeAllElse) {
  EXPECT_EQ(Decode("\xEF\xBB\xBF\xC3\xA4", {.content_type = "text/html; charset=koi8-r"}),
            (Decoded{"ä", "UTF-8", CharsetSource::kBom}));
}

TEST(CharsetDecoder, ReadsUtf16WithByteOrderMark) {
  EXPECT_EQ(Decode("\xFF\xFEh\0i\0\xAC\x20\x3D\xD8\x00\xDE"s, {}),
            (Decoded{"hi€😀", "UTF-16LE", CharsetSource::kBom}));
  EXPECT_EQ(Decode("\xFE\xFF\0h\0i\x20\xAC\xD8\x3D\xDE\x00"s, {}),
            (Decoded{"hi€😀", "UTF-16BE", CharsetSource::kBom}));
}

TEST(CharsetDecoder, ReplacesBrokenUtf16) {
  EXPECT_EQ(Decode("\xFF\xFE"
                   "a\0\x3D\xD8"
                   "b\0c"s,
                   {})
                .text,
            "a\uFFFDb\uFFFD");
}

TEST(CharsetDecoder, BelievesTheHeaderBeforeThePage) {
  const std::string page = "<meta charset=utf-8>\xE4";
  EXPECT_EQ(Decode(page, {.content_type = "text/html; charset=iso-8859-1", .prescan = true}),
            (Decoded{"<meta charset=utf-8>ä", "windows-1252", CharsetSource::kHeader}));
}

TEST(CharsetDecoder, TakesTheCrawlersCharsetWhereTheHeaderNamesNone) {
  EXPECT_EQ(Decode("\xE4", {.content_type = "text/html", .charset = "windows-1251"}),
            (Decoded{"д", "windows-1251", CharsetSource::kHeader}));
  EXPECT_EQ(Decode("\xE4", {.content_type = "text/html;charset=l1", .charset = "cp1251"}).text,
            "ä");
}

TEST(CharsetDecoder, ReadsShiftJisDeclaredByMeta) {
  EXPECT_EQ(
      Decode("<meta charset=\"Shift_JIS\">\x93\xFA\x96\x7B\x8C\xEA \xB6\xC5 \x87\x40",
             {.content_type = "text/html", .prescan = true}),
      (Decoded{"<meta charset=\"Shift_JIS\">日本語 ｶﾅ ①", "Shift_JIS", CharsetSource::kMeta}));
}

TEST(CharsetDecoder, BelievesAMetaFarDownThePage) {
  const std::string before = "<!--" + std::string(2000, 'x') + "-->";
  EXPECT_EQ(Decode(before + "<meta charset=iso-8859-2>\xB1", {.prescan = true}),
            (Decoded{before + "<meta charset=iso-8859-2>ą", "ISO-8859-2", CharsetSource::kMeta}));
}

TEST(CharsetDecoder, LooksForMetaOnlyWhereAsked) {
  EXPECT_NE(Decode("<meta charset=gbk>", {}).source, CharsetSource::kMeta);
}

TEST(CharsetDecoder, IgnoresUnknownLabels) {
  EXPECT_EQ(Decode("\xC3\xA4", {.content_type = "text/html; charset=klingon", .charset = "x"}),
            (Decoded{"ä", "UTF-8", CharsetSource::kDetected}));
}

TEST(CharsetDecoder, TakesAsciiForUtf8ByDefault) {
  EXPECT_EQ(Decode("plain", {}), (Decoded{"plain", "UTF-8", CharsetSource::kDefault}));
  EXPECT_EQ(Decode("", {}), (Decoded{"", "UTF-8", CharsetSource::kDefault}));
}

TEST(CharsetDecoder, DetectsRussianBehindALotOfMarkup) {
  // "The quick brown fox ..." in windows-1251, after more ASCII than the detector reads.
  const std::string russian =
      "\xD1\xFA\xE5\xF8\xFC \xE5\xF9\xB8 \xFD\xF2\xE8\xF5 \xEC\xFF\xE3\xEA\xE8\xF5 "
      "\xF4\xF0\xE0\xED\xF6\xF3\xE7\xF1\xEA\xE8\xF5 \xE1\xF3\xEB\xEE\xEA, \xE4\xE0 "
      "\xE2\xFB\xEF\xE5\xE9 \xE6\xE5 \xF7\xE0\xFE. ";
  std::string page(200'000, 'x');
  for (int i = 0; i < 20; ++i) page += russian;
  const Decoded decoded = Decode(page, {});
  EXPECT_EQ(decoded.encoding, "windows-1251");
  EXPECT_EQ(decoded.source, CharsetSource::kDetected);
  EXPECT_NE(decoded.text.find("Съешь ещё этих мягких"), std::string::npos);
}

TEST(CharsetDecoder, DetectsTheSameAfterAnyOtherPage) {
  const std::string russian =
      "\xD1\xFA\xE5\xF8\xFC \xE5\xF9\xB8 \xFD\xF2\xE8\xF5 \xEC\xFF\xE3\xEA\xE8\xF5 "
      "\xF4\xF0\xE0\xED\xF6\xF3\xE7\xF1\xEA\xE8\xF5 \xE1\xF3\xEB\xEE\xEA";
  const std::string japanese = "\x93\xFA\x96\x7B\x8C\xEA\x82\xCC\x95\xB6\x8F\xCD\x81\x42";
  const Decoded fresh = Decode(russian, {});
  CharsetDecoder decoder;
  for (const std::string& before : {russian, japanese, std::string("\x1B$BF|K\\8l\x1B(B")}) {
    (void)decoder.Decode(before, {});
    const DecodedText again = decoder.Decode(russian, {});
    EXPECT_EQ(again.encoding, fresh.encoding);
    EXPECT_EQ(again.text, fresh.text);
  }
}

TEST(CharsetDecoder, DetectsIso2022JpThoughItIsAscii) {
  EXPECT_EQ(Decode("\x1B$BF|K\\8l\x1B(B and more \x1B$BF|K\\8l\x1B(B", {}),
            (Decoded{"日本語 and more 日本語", "ISO-2022-JP", CharsetSource::kDetected}));
}

TEST(CharsetDecoder, ReadsTheCommonEncodings) {
  EXPECT_EQ(DecodeAs("gb2312", "\xD6\xD0\xCE\xC4").text, "中文");
  EXPECT_EQ(DecodeAs("gb18030", "\x81\x30\x81\x30").text, "\u0080");
  EXPECT_EQ(DecodeAs("big5", "\xA4\xA4\xA4\xE5").text, "中文");
  EXPECT_EQ(DecodeAs("euc-jp", "\xC6\xFC\xCB\xDC").text, "日本");
  EXPECT_EQ(DecodeAs("euc-kr", "\xC7\xD1\xB1\xDB").text, "한글");
  EXPECT_EQ(DecodeAs("koi8-r", "\xD7").text, "в");
  EXPECT_EQ(DecodeAs("iso-8859-2", "\xB1").text, "ą");
  EXPECT_EQ(DecodeAs("windows-1252", "\x80\x93x\x94").text, "€“x”");
  EXPECT_EQ(DecodeAs("windows-874", "\xA1").text, "ก");
}

TEST(CharsetDecoder, ReadsAllBytesOfWindows1252) {
  // Five bytes have no letter and stand for the control characters of the same number.
  EXPECT_EQ(DecodeAs("windows-1252", "\x81\x8D\x8F\x90\x9D").text,
            "\u0081\u008D\u008F\u0090\u009D");
}

TEST(CharsetDecoder, ReplacesWhatMeansNothing) {
  EXPECT_EQ(DecodeAs("windows-1253", "a\xD2z").text, "a\uFFFDz");
  EXPECT_EQ(DecodeAs("shift_jis", "a\x93").text, "a\uFFFD");
  EXPECT_EQ(DecodeAs("iso-2022-kr", "anything").text, "\uFFFD");
  EXPECT_EQ(DecodeAs("iso-2022-kr", "").text, "");
}

TEST(CharsetDecoder, ReplacesEachMaximalBrokenSequenceOfUtf8) {
  EXPECT_EQ(DecodeAs("utf-8", "a\xE2\x82z").text, "a\uFFFDz");
  EXPECT_EQ(DecodeAs("utf-8", "\xC0\x80").text, "\uFFFD\uFFFD");
  EXPECT_EQ(DecodeAs("utf-8", "\xED\xA0\x80").text, "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(DecodeAs("utf-8", "\xF0\x9F\x98").text, "\uFFFD");
}

TEST(CharsetDecoder, HasAConverterForEveryEncoding) {
  for (const auto& [label, bytes, text] : std::to_array<std::array<const char*, 3>>({
           {"ibm866", "\x80", "А"},       {"iso-8859-3", "\xA1", "Ħ"},
           {"iso-8859-4", "\xA1", "Ą"},   {"iso-8859-5", "\xB0", "А"},
           {"iso-8859-6", "\xC7", "ا"},   {"iso-8859-7", "\xC1", "Α"},
           {"iso-8859-8", "\xE0", "א"},   {"iso-8859-8-i", "\xE0", "א"},
           {"iso-8859-10", "\xA1", "Ą"},  {"iso-8859-13", "\xC0", "Ą"},
           {"iso-8859-14", "\xA1", "Ḃ"},  {"iso-8859-15", "\xA4", "€"},
           {"koi8-u", "\xA4", "є"},       {"macintosh", "\x8A", "ä"},
           {"windows-1250", "\x8A", "Š"}, {"windows-1253", "\xC1", "Α"},
           {"windows-1254", "\xD0", "Ğ"}, {"windows-1255", "\xE0", "א"},
           {"windows-1256", "\xC7", "ا"}, {"windows-1257", "\xC0", "Ą"},
           {"windows-1258", "\xD0", "Đ"}, {"x-mac-cyrillic", "\x80", "А"},
       })) {
    EXPECT_EQ(DecodeAs(label, bytes).text, text) << label;
  }
}

TEST(CharsetDecoder, YieldsValidUtf8FromAnyBytes) {
  constexpr unsigned kSeed = 20261121;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  CharsetDecoder decoder;
  for (const char* label : {"", "utf-8", "utf-16le", "utf-16be", "gbk", "big5", "euc-jp", "sjis",
                            "euc-kr", "iso-2022-jp", "windows-1255", "ibm866"}) {
    for (int round = 0; round < 50; ++round) {
      std::string bytes(random() % 300, '\0');
      for (char& c : bytes) c = static_cast<char>(random() % 3 == 0 ? random() % 128 : random());
      const DecodedText decoded = decoder.Decode(bytes, {.charset = label});
      EXPECT_TRUE(simdjson::validate_utf8(decoded.text)) << label;
      EXPECT_LE(decoded.text.size(), 3 * bytes.size()) << label;
    }
  }
}

TEST(CharsetDecoder, DecodesAcrossTheEdgesOfItsBuffer) {
  // Surrogate pairs at odd places, so that one of them lies across the edge of any buffer.
  std::string bytes = "\xFF\xFEx\0"s;
  std::string expected = "x";
  for (int i = 0; i < 40'000; ++i) {
    bytes += "\x3D\xD8\x00\xDE"s;
    expected += "😀";
  }
  EXPECT_EQ(Decode(bytes, {}).text, expected);
}

TEST(CharsetDecoder, KeepsNothingBetweenPages) {
  CharsetDecoder decoder;
  (void)decoder.Decode("\x93", {.charset = "sjis"});  // ends in mid character
  EXPECT_EQ(decoder.Decode("\x93\xFA", {.charset = "sjis"}).text, "日");
}

TEST(AppendUtf8, ReplacesLoneSurrogates) {
  std::string out;
  AppendUtf8(std::u16string{u'a', 0xD83D, u'b', 0xDE00, 0xD83D}, out);
  EXPECT_EQ(out, "a\uFFFDb\uFFFD\uFFFD");
}

TEST(CutAtCodePoint, NeverCutsOneInTwo) {
  const std::string text = "aä€😀";
  const std::array<std::size_t, 11> expected = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
  for (std::size_t length = 0; length < expected.size(); ++length) {
    EXPECT_EQ(CutAtCodePoint(text, length), expected[length]) << length;
  }
}

}  // namespace
}  // namespace crawlsieve::extract
