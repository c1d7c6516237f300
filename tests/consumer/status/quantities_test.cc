#include "consumer/status/quantities.h"

#include <limits>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

TEST(Quantities, CountsHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(ShortCount(0), "0");
  EXPECT_EQ(ShortCount(999), "999");
  EXPECT_EQ(ShortCount(1000), "1.00 k");
  EXPECT_EQ(ShortCount(12'345), "12.3 k");
  EXPECT_EQ(ShortCount(999'499), "999 k");
  EXPECT_EQ(ShortCount(999'500), "1.00 M");
  EXPECT_EQ(ShortCount(18'446'744'073'709'551'615U), "18446744 T");
}

TEST(Quantities, LongCountsHaveGroups) {
  EXPECT_EQ(LongCount(0), "0");
  EXPECT_EQ(LongCount(123), "123");
  EXPECT_EQ(LongCount(1234), "1,234");
  EXPECT_EQ(LongCount(1'234'567), "1,234,567");
}

TEST(Quantities, RatesHaveThreeDigitsOrAll) {
  EXPECT_EQ(RateText(0), "0");
  EXPECT_EQ(RateText(-1), "0");
  EXPECT_EQ(RateText(std::numeric_limits<double>::quiet_NaN()), "0");
  EXPECT_EQ(RateText(0.25), "0.25");
  EXPECT_EQ(RateText(12.34), "12.3");
  EXPECT_EQ(RateText(998.9), "999");
  EXPECT_EQ(RateText(12'345.6), "12,346");
}

TEST(Quantities, BytesHaveTheUnitThatFits) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(999), "999 B");
  EXPECT_EQ(BytesText(1536), "1.50 KiB");
  EXPECT_EQ(BytesText(400.0 * 1024 * 1024), "400 MiB");
}

TEST(Quantities, DurationsHaveTwoUnitsAtMost) {
  EXPECT_EQ(DurationText(0), "0 s");
  EXPECT_EQ(DurationText(-3), "0 s");
  EXPECT_EQ(DurationText(0.00012), "0.12 ms");
  EXPECT_EQ(DurationText(0.0123), "12 ms");
  EXPECT_EQ(DurationText(1.44), "1.4 s");
  EXPECT_EQ(DurationText(59.4), "59 s");
  EXPECT_EQ(DurationText(59.6), "1 min");
  EXPECT_EQ(DurationText(200), "3 min 20 s");
  EXPECT_EQ(DurationText(7500), "2 h 5 min");
  EXPECT_EQ(DurationText(3 * 86'400 + 4 * 3600 + 60), "3 d 4 h");
  EXPECT_EQ(DurationText(std::numeric_limits<double>::infinity()), "11574074 d 1 h");
}

TEST(Quantities, SharesOfNothingAreNone) {
  EXPECT_EQ(ShareText(1, 3), "33 %");
  EXPECT_EQ(ShareText(1, 1000), "0.1 %");
  EXPECT_EQ(ShareText(0, 3), "0 %");
  EXPECT_EQ(ShareText(0, 0), "-");
}

TEST(Quantities, TimeLeftIsTheTimeTakenInProportion) {
  EXPECT_DOUBLE_EQ(*SecondsLeft(25, 75, 10), 30);
  EXPECT_DOUBLE_EQ(*SecondsLeft(25, -1, 10), 0);
  EXPECT_FALSE(SecondsLeft(25, 75, 1).has_value());
  EXPECT_FALSE(SecondsLeft(0, 75, 10).has_value());
}

}  // namespace
}  // namespace crawlsieve::consumer
