#include "consumer/input/formats/fetch_time.h"

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

TEST(FetchTime, ReadsWhatCrawlersWrite) {
  const auto time = ParseRfc3339("2026-03-01T12:30:05.250Z");
  for (const char* text :
       {"2026-03-01T12:30:05.250Z", "2026-03-01T13:30:05.25+01:00", "2026-03-01T12:30:05.250001",
        "2026-03-01T12:30:05.250+0000", "2026-03-01T14:30:05.250+0200", "1772368205250"}) {
    EXPECT_EQ(ParseFetchTime(text), time) << text;
  }
  const auto second = ParseRfc3339("2026-03-01T12:30:05Z");
  for (const char* text : {"1772368205", "Sun Mar 01 12:30:05 UTC 2026",
                           "Sun Mar 01 12:30:05 GMT 2026", "2026-03-01T12:30:05"}) {
    EXPECT_EQ(ParseFetchTime(text), second) << text;
  }
}

TEST(FetchTime, ReadsNothingElse) {
  for (const char* text :
       {"", "0", "x", "-5", "1.5", "99999999999999999", "2026-03-01", "2026-02-30T00:00:00",
        "Sun Mar 01 12:30:05 CET 2026", "Sun Arm 01 12:30:05 UTC 2026", "12:30", "+0000"}) {
    EXPECT_EQ(ParseFetchTime(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
