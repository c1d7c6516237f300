#include "consumer/input/formats/base64.h"

#include "tests/support/compress.h"

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

TEST(Base64, DecodesTheExamplesOfTheStandard) {
  EXPECT_EQ(DecodeBase64(""), "");
  EXPECT_EQ(DecodeBase64("Zg=="), "f");
  EXPECT_EQ(DecodeBase64("Zm8="), "fo");
  EXPECT_EQ(DecodeBase64("Zm9v"), "foo");
  EXPECT_EQ(DecodeBase64("Zm9vYmFy"), "foobar");
}

TEST(Base64, TakesUrlAlphabetLineBreaksAndMissingPadding) {
  EXPECT_EQ(DecodeBase64("+/+/"), DecodeBase64("-_-_"));
  EXPECT_EQ(DecodeBase64("Zm9v\r\nYmFy\n"), "foobar");
  EXPECT_EQ(DecodeBase64("Zm8"), "fo");
}

TEST(Base64, RefusesWhatIsNotBase64) {
  for (const char* text :
       {"Z", "Zm9vY", "Zm9v!", "Zg==Zg==", "Zg=", "Zg===", "=", "Zm 9v", "Zm9v="}) {
    EXPECT_EQ(DecodeBase64(text), std::nullopt) << text;
  }
}

TEST(Base64, ReadsBackEveryLength) {
  for (std::size_t size = 0; size < 100; ++size) {
    const std::string bytes = testing::Noise(size, size);
    EXPECT_EQ(DecodeBase64(testing::Base64(bytes)), bytes) << size;
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
