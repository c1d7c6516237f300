#include "plugin/fingerprint/sha1.h"

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

TEST(Sha1, IsThatOfTheStandardsExamples) {
  EXPECT_EQ(Sha1Hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(Sha1Hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(Sha1Hex(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

}  // namespace
}  // namespace crawlsieve
