#include "plugin/base/http_date.h"

#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

std::string Parsed(std::string_view text) {
  const auto time = ParseHttpDate(text);
  return time.has_value() ? FormatRfc3339(*time) : "";
}

TEST(HttpDate, AllThreeFormsOfTheStandardAreRead) {
  EXPECT_EQ(Parsed("Sun, 06 Nov 1994 08:49:37 GMT"), "1994-11-06T08:49:37Z");
  EXPECT_EQ(Parsed("Sunday, 06-Nov-94 08:49:37 GMT"), "1994-11-06T08:49:37Z");
  EXPECT_EQ(Parsed("Sun Nov  6 08:49:37 1994"), "1994-11-06T08:49:37Z");
  EXPECT_EQ(Parsed("Thu, 01 Jan 2200 00:00:00 GMT"), "2200-01-01T00:00:00Z");
  EXPECT_EQ(Parsed("Sunday, 06-Nov-26 08:49:37 GMT"), "2026-11-06T08:49:37Z");
}

TEST(HttpDate, AnythingElseIsNone) {
  for (const char* text :
       {"", "120", "-1", "tomorrow", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 2026 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT more words", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "2026-11-06T08:49:37Z", "Sun, 0x Nov 1994 08:49:37 GMT"}) {
    EXPECT_EQ(Parsed(text), "") << text;
  }
}

}  // namespace
}  // namespace crawlsieve
