#include "consumer/input/formats/header_block.h"

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using End = HeaderBlock::End;

TEST(HeaderBlock, ReadsFieldsAndItsSize) {
  const HeaderBlock block =
      ParseHeaderBlock("HTTP/1.1 200 OK\r\nA: 1\r\nb :\t2 \r\n\r\nbody", 1000);
  EXPECT_EQ(block.end, End::kComplete);
  EXPECT_EQ(block.start_line, "HTTP/1.1 200 OK");
  EXPECT_EQ(block.fields, (std::vector<Header>{{"A", "1"}, {"b", "2"}}));
  EXPECT_EQ(block.size, 33u);
}

TEST(HeaderBlock, TakesBareLineFeedsAndFoldedLines) {
  const HeaderBlock block = ParseHeaderBlock("x\nA: 1\n  2\n\t3\nB:\n\n", 1000);
  EXPECT_EQ(block.fields, (std::vector<Header>{{"A", "1 2 3"}, {"B", ""}}));
}

TEST(HeaderBlock, PassesOverLinesWithoutColon) {
  const HeaderBlock block = ParseHeaderBlock("x\n folded into nothing\njunk\nA: 1\n\n", 1000);
  EXPECT_EQ(block.fields, (std::vector<Header>{{"A", "1"}}));
}

TEST(HeaderBlock, DoesNotTakeACutLineForAField) {
  const std::string whole = "x\nA: 12\n\n";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const HeaderBlock block = ParseHeaderBlock(whole.substr(0, size), 1000);
    EXPECT_EQ(block.end, End::kCut) << size;
    EXPECT_EQ(block.fields.size(), size >= 8 ? 1u : 0u) << size;
  }
}

TEST(HeaderBlock, StopsAtItsLimit) {
  const std::string whole = "x\nA: 1\nB: 2\n\n";
  EXPECT_EQ(ParseHeaderBlock(whole, whole.size()).end, End::kComplete);
  const HeaderBlock block = ParseHeaderBlock(whole, whole.size() - 1);
  EXPECT_EQ(block.end, End::kTooLarge);
  EXPECT_EQ(block.fields.size(), 2u);
}

TEST(HeaderBlock, FindsTheLastFieldInAnyCase) {
  const std::vector<Header> fields = {{"Content-Type", "a"}, {"X", "b"}, {"content-type", "c"}};
  EXPECT_EQ(*FindField(fields, "CONTENT-TYPE"), "c");
  EXPECT_EQ(FindField(fields, "content"), nullptr);
  EXPECT_EQ(JoinFields(fields, "content-type"), "a,c");
}

TEST(HeaderBlock, ReadsNumbersWithoutOverflow) {
  EXPECT_EQ(ParseNumber("18446744073709551615"), 18446744073709551615ULL);
  for (const char* text : {"", "18446744073709551616", "-1", "+1", "1x", " 1", "0x1"}) {
    EXPECT_EQ(ParseNumber(text), std::nullopt) << text;
  }
  EXPECT_EQ(ParseStatusCode("404"), 404);
  EXPECT_EQ(ParseStatusCode("-6"), -6);
  EXPECT_EQ(ParseStatusCode("1000"), std::nullopt);
  EXPECT_EQ(ParseStatusCode(""), std::nullopt);
}

}  // namespace
}  // namespace crawlsieve::consumer
