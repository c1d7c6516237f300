#include "consumer/observability/printable.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using namespace std::string_view_literals;

TEST(Printable, LeavesOrdinaryTextAlone) {
  for (const std::string_view text :
       {"", "http://a.example/b?c=d&e=%1b#f", "C:\\x1b", "Grüße, 日本語, Привет, ภาษาไทย 😀",
        "\u00A0\u0300\uFFFD\U0010FFFF"}) {
    EXPECT_EQ(Printable(text), text);
    EXPECT_EQ(PrintableLines(text), text);
    EXPECT_EQ(PrintableJson(text), text);
  }
}

TEST(Printable, EscapesControlsOfAscii) {
  EXPECT_EQ(Printable("http://a/\x1b]0;title\a\x1b[2J"), "http://a/\\x1b]0;title\\x07\\x1b[2J");
  EXPECT_EQ(Printable("a\0b\r\n\t\b\x7f"sv), "a\\x00b\\x0d\\x0a\\x09\\x08\\x7f");
  for (int c = 0; c < 0x20; ++c) EXPECT_EQ(Printable(std::string(1, char(c))).size(), 4U) << c;
}

TEST(Printable, EscapesControlsOfC1) {
  EXPECT_EQ(Printable("\u009b2J\u0085\u0080\u009f"), "\\u{9b}2J\\u{85}\\u{80}\\u{9f}");
  EXPECT_EQ(Printable("\x9b\x32J"), "\\x9b2J") << "as a byte it is no UTF-8";
}

TEST(Printable, EscapesWhatReordersOrHides) {
  EXPECT_EQ(Printable("\u202egpj.exe\u202c"), "\\u{202e}gpj.exe\\u{202c}");
  for (const std::string_view text :
       {"\u061c", "\u200b", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u2066", "\u2069",
        "\ufeff", "\u00ad", "\U000e0041"}) {
    EXPECT_EQ(Printable(text).substr(0, 3), "\\u{") << text;
  }
}

TEST(Printable, EscapesBytesThatAreNoUtf8) {
  EXPECT_EQ(Printable("a\xff\xc0\x80z"), "a\\xff\\xc0\\x80z");
  EXPECT_EQ(Printable("\xe2\x80"), "\\xe2\\x80") << "cut";
  EXPECT_EQ(Printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b") << "longer than need be";
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
}

TEST(Printable, LinesStayLinesAndNothingElseDoes) {
  EXPECT_EQ(PrintableLines("one\ntwo\r\x1b[1A\n"), "one\ntwo\\x0d\\x1b[1A\n");
}

TEST(Printable, JsonStaysTheSameJson) {
  const nlohmann::json value = {{"url", "http://a/\x1b\u009b\u202e\x7f\U000e0041é"}, {"n", 1}};
  for (const int indent : {-1, 2}) {
    const std::string text = value.dump(indent);
    const std::string safe = PrintableJson(text);
    EXPECT_EQ(nlohmann::json::parse(safe), value);
    EXPECT_EQ(Printable(safe).find("\\u{"), std::string::npos) << "nothing is left to escape";
    EXPECT_NE(safe.find("\\u009b\\u202e\\u007f\\udb40\\udc41é"), std::string::npos) << safe;
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
