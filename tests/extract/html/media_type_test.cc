#include "extract/html/media_type.h"

#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

using namespace std::string_literals;

constexpr std::string_view kPage = "<!DOCTYPE html><p>x";

TEST(ClassifyMedia, BelievesHtmlLabels) {
  EXPECT_EQ(ClassifyMedia("text/html", "anything <b>goes</b>"), MediaKind::kHtml);
  EXPECT_EQ(ClassifyMedia(" Text/HTML ; charset=utf-8", "x"), MediaKind::kHtml);
  EXPECT_EQ(ClassifyMedia("application/xhtml+xml", "<html/>"), MediaKind::kHtml);
}

TEST(ClassifyMedia, SeesBinaryFormatsLabelledAsHtml) {
  for (const std::string& body :
       {"%PDF-1.7 ..."s, "\x89PNG\r\n\x1A\n...."s, "\xFF\xD8\xFF\xE0"s, "GIF89a......"s,
        "PK\3\4\x14\0"s, "\x1F\x8B\x08\0"s, "RIFF\x10\0\0\0WEBPVP8 "s, "ID3\3\0"s, "BM\x36\0\0"s,
        "\0\0\1\0\1"s, "wOF2\0\1"s, "some text and then \0 zero"s}) {
    EXPECT_EQ(ClassifyMedia("text/html", body), MediaKind::kOther) << body;
    EXPECT_EQ(ClassifyMedia("", body), MediaKind::kOther) << body;
    EXPECT_EQ(ClassifyMedia("text/plain", body), MediaKind::kOther) << body;
  }
}

TEST(ClassifyMedia, TakesWordsForWordsThoughFormatsBeginSo) {
  for (const char* body : {"BMW builds cars", "RIFF raff", "FORM follows function", "ID3 tags"}) {
    EXPECT_EQ(ClassifyMedia("text/html", body), MediaKind::kHtml) << body;
    EXPECT_EQ(ClassifyMedia("text/plain", body), MediaKind::kPlain) << body;
  }
}

TEST(ClassifyMedia, ForgivesAPageItsControlCharacters) {
  EXPECT_EQ(ClassifyMedia("text/html", std::string(kPage) + "\0\x01"s), MediaKind::kHtml);
}

TEST(ClassifyMedia, LooksForBinaryBytesAtTheBeginningOnly) {
  EXPECT_EQ(ClassifyMedia("text/plain", std::string(1445, 'x') + '\0'), MediaKind::kPlain);
  EXPECT_EQ(ClassifyMedia("text/plain", std::string(1444, 'x') + '\0'), MediaKind::kOther);
}

TEST(ClassifyMedia, ReadsUtf16) {
  EXPECT_EQ(ClassifyMedia("text/html", "\xFF\xFE<\0p\0>\0"s), MediaKind::kHtml);
  EXPECT_EQ(ClassifyMedia("", "\xFE\xFF\0<\0p\0>"s), MediaKind::kHtml);
  EXPECT_EQ(ClassifyMedia("text/html; charset=utf-16le", "t\0e\0x\0t\0"s), MediaKind::kHtml);
  EXPECT_EQ(ClassifyMedia("text/plain", "\xFF\xFEt\0"s), MediaKind::kPlain);
}

TEST(ClassifyMedia, GuessesWhereTheLabelSaysNothing) {
  for (const char* type :
       {"", "html", "unknown/unknown", "application/unknown", "*/*", "/", "x/"}) {
    EXPECT_EQ(ClassifyMedia(type, kPage), MediaKind::kHtml) << type;
    EXPECT_EQ(ClassifyMedia(type, " \n<!-- x --><p>"), MediaKind::kHtml) << type;
    EXPECT_EQ(ClassifyMedia(type, "<HTML lang=en>"), MediaKind::kHtml) << type;
    EXPECT_EQ(ClassifyMedia(type, "<bogus>"), MediaKind::kPlain) << type;
    EXPECT_EQ(ClassifyMedia(type, "just words"), MediaKind::kPlain) << type;
    EXPECT_EQ(ClassifyMedia(type, "<?xml version='1.0'?><rss/>"), MediaKind::kOther) << type;
    EXPECT_EQ(ClassifyMedia(type, "<?xml version='1.0'?>\n<html>"), MediaKind::kHtml) << type;
  }
}

TEST(ClassifyMedia, TakesXmlWithAnHtmlRootForHtml) {
  for (const char* type : {"text/xml", "application/xml", "application/vnd.x+xml"}) {
    EXPECT_EQ(ClassifyMedia(type, "<?xml version='1.0'?><!-- c --><html xmlns='x'>"),
              MediaKind::kHtml);
    EXPECT_EQ(ClassifyMedia(type, "<!DOCTYPE html PUBLIC 'x'><html>"), MediaKind::kHtml);
    EXPECT_EQ(ClassifyMedia(type, "<?xml version='1.0'?><rss><html>"), MediaKind::kOther);
    EXPECT_EQ(ClassifyMedia(type, "<?xml version='1.0'"), MediaKind::kOther);
    EXPECT_EQ(ClassifyMedia(type, ""), MediaKind::kOther);
  }
}

TEST(ClassifyMedia, NeverMakesPlainTextHtml) {
  EXPECT_EQ(ClassifyMedia("text/plain", kPage), MediaKind::kPlain);
}

TEST(ClassifyMedia, BelievesOtherLabels) {
  for (const char* type : {"image/png", "application/json", "text/css", "application/pdf",
                           "application/octet-stream"}) {
    EXPECT_EQ(ClassifyMedia(type, kPage), MediaKind::kOther) << type;
  }
}

TEST(ClassifyMedia, TakesAnEmptyBodyByItsLabel) {
  EXPECT_EQ(ClassifyMedia("", ""), MediaKind::kHtml);
  EXPECT_EQ(ClassifyMedia("text/html", ""), MediaKind::kHtml);
  EXPECT_EQ(ClassifyMedia("text/plain", ""), MediaKind::kPlain);
  EXPECT_EQ(ClassifyMedia("image/png", ""), MediaKind::kOther);
}

}  // namespace
}  // namespace crawlsieve::extract
