#include "plugin/base/timestamp.h"

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using std::chrono::milliseconds;

TEST(Timestamp, FormatsTheEpoch) { EXPECT_EQ(FormatRfc3339(Timestamp{}), "1970-01-01T00:00:00Z"); }

TEST(Timestamp, FormatsMilliseconds) {
  EXPECT_EQ(FormatRfc3339(Timestamp{milliseconds(1'700'000'000'250)}), "2023-11-14T22:13:20.250Z");
}

TEST(Timestamp, FormatsTimesBeforeTheEpoch) {
  EXPECT_EQ(FormatRfc3339(Timestamp{milliseconds(-1)}), "1969-12-31T23:59:59.999Z");
}

TEST(Timestamp, ReadsWhatItWrites) {
  for (const std::int64_t ms : {0LL, 1LL, 951'782'400'000LL, 1'700'000'000'250LL, -86'400'001LL}) {
    const Timestamp time{milliseconds(ms)};
    EXPECT_EQ(ParseRfc3339(FormatRfc3339(time)), time) << ms;
  }
}

TEST(Timestamp, ReadsOffsetsAndLongFractions) {
  EXPECT_EQ(ParseRfc3339("2023-10-18T06:30:00+02:00"), ParseRfc3339("2023-10-18T04:30:00Z"));
  EXPECT_EQ(ParseRfc3339("2023-10-18T04:30:00.123456Z"), ParseRfc3339("2023-10-18T04:30:00.123Z"));
  EXPECT_EQ(ParseRfc3339("2023-10-17T23:00:00-05:30"), ParseRfc3339("2023-10-18T04:30:00Z"));
}

TEST(Timestamp, RefusesWhatIsNotATime) {
  for (const char* text : {"", "2023", "2023-02-30T00:00:00Z", "2023-01-01T24:00:00Z",
                           "2023-01-01T00:00:00", "2023-01-01T00:00:00.Z", "2023-01-01T00:00:00Zx",
                           "2023-01-01T00:00:00+0200", "1700000000"}) {
    EXPECT_EQ(ParseRfc3339(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace crawlsieve
