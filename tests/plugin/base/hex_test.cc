#include "plugin/base/hex.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

TEST(Hex, OfANumberHasAllSixteenDigits) {
  EXPECT_EQ(Hex(0x0123456789abcdefU), "0123456789abcdef");
  EXPECT_EQ(Hex(10), "000000000000000a");
}

TEST(HexOf, WritesTwoDigitsForEachByteInTheirOrder) {
  EXPECT_EQ(HexOf(std::string("\x00\x7f\x80\xff\n", 5)), "007f80ff0a");
  EXPECT_EQ(HexOf(std::array{std::byte{0xa1}, std::byte{0x0b}}), "a10b");
  EXPECT_EQ(HexOf(std::string()), "");
}

}  // namespace
}  // namespace crawlsieve
