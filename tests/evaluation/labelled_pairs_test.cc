#include "evaluation/labelled_pairs.h"

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

TEST(ParsePairs, ReadsLabelsAndKinds) {
  const auto pairs = ParsePairs(
      "# a comment\na\tb\tnear\tdates\t0.93\r\n\nc d\te\tdifferent\t\nf\tg\tundecided\tx",
      "pairs.tsv");
  ASSERT_TRUE(pairs.has_value()) << pairs.error().message;
  ASSERT_EQ(pairs->size(), 3U);
  EXPECT_EQ((*pairs)[0].a, "a");
  EXPECT_EQ((*pairs)[0].b, "b");
  EXPECT_EQ((*pairs)[0].label, Label::kNear);
  EXPECT_EQ((*pairs)[0].kind, "dates");
  EXPECT_EQ((*pairs)[1].a, "c d");
  EXPECT_EQ((*pairs)[1].label, Label::kDifferent);
  EXPECT_EQ((*pairs)[1].kind, "");
  EXPECT_EQ((*pairs)[2].label, Label::kOther);
}

TEST(ParsePairs, NamesTheLineThatItCannotRead) {
  for (const char* text : {"a\tb\tnear\tx\na\tb\tnear", "\n\tb\tnear\tx", "\na\tb\t\tx"}) {
    const auto pairs = ParsePairs(text, "pairs.tsv");
    ASSERT_FALSE(pairs.has_value()) << text;
    EXPECT_EQ(pairs.error().message.substr(0, 12), "pairs.tsv:2:");
  }
}

TEST(ReadPairs, SaysWhichFileIsMissing) {
  const auto pairs = ReadPairs("/nowhere/pairs.tsv");
  ASSERT_FALSE(pairs.has_value());
  EXPECT_EQ(pairs.error().code, ErrorCode::kIo);
  EXPECT_NE(pairs.error().message.find("/nowhere/pairs.tsv"), std::string::npos);
}

}  // namespace
}  // namespace crawlsieve::consumer
