#include "plugin/fingerprint/scheme.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

TEST(SchemeId, IsAPrefixAndSixteenHexDigits) {
  const std::string id = SchemeId({.key = "key"}, "words 1");
  ASSERT_EQ(id.size(), 20u);
  EXPECT_EQ(id.substr(0, 4), "cs2-");
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef", 4), std::string::npos);
  EXPECT_EQ(id, SchemeId({.key = "key"}, "words 1"));
}

// A change here makes every log and state written so far foreign: it must be meant.
TEST(SchemeId, OfThisVersionStaysTheSame) {
  EXPECT_EQ(SchemeId({.key = "", .version = SchemeVersion::k1}, ""), "cs1-15744e2e576a7369");
  EXPECT_EQ(SchemeId({.key = ""}, ""), "cs2-f6dcd08ee9e46468");
}

TEST(SchemeId, TellsItsVersion) {
  for (const SchemeVersion version : {SchemeVersion::k1, SchemeVersion::k2}) {
    EXPECT_EQ(VersionOfScheme(SchemeId({.key = "key", .version = version}, "words")), version);
  }
}

TEST(SchemeId, DependsOnKeyAndExtractionAndTheBorderBetweenThem) {
  const std::set<std::string> ids{SchemeId({.key = ""}, ""),    SchemeId({.key = "a"}, ""),
                                  SchemeId({.key = ""}, "a"),   SchemeId({.key = "ab"}, "c"),
                                  SchemeId({.key = "a"}, "bc"), SchemeId({.key = "c"}, "ab")};
  EXPECT_EQ(ids.size(), 6u);
}

}  // namespace
}  // namespace crawlsieve
