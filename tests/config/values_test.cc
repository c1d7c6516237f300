#include "config/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::config {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(ParseInteger, ReadsDecimalDigits) {
  EXPECT_EQ(ParseInteger("0"), 0U);
  EXPECT_EQ(ParseInteger("18446744073709551615"), 18'446'744'073'709'551'615U);
}

TEST(ParseInteger, RefusesEverythingElse) {
  for (const char* text : {"", " 1", "1 ", "-1", "+1", "1.0", "0x10", "1e3", "1_000", "ten"}) {
    EXPECT_FALSE(ParseInteger(text)) << text;
  }
  EXPECT_EQ(ParseInteger("18446744073709551616").error(), "is too large");
}

TEST(ParseFraction, ReadsUpToFourDigits) {
  EXPECT_EQ(ParseFraction("0"), 0U);
  EXPECT_EQ(ParseFraction("1"), 10'000U);
  EXPECT_EQ(ParseFraction("1.0"), 10'000U);
  EXPECT_EQ(ParseFraction("0.7"), 7'000U);
  EXPECT_EQ(ParseFraction("0.0725"), 725U);
}

TEST(ParseFraction, RefusesEverythingElse) {
  for (const char* text : {"", ".5", "0.", "0,5", "-0.5", "0.12345", "00.5", "5e-1", "0.5 ", "x"}) {
    EXPECT_FALSE(ParseFraction(text)) << text;
  }
  EXPECT_EQ(ParseFraction("1.0001").error(), "must be 0 to 1");
  EXPECT_EQ(ParseFraction("7").error(), "must be 0 to 1");
}

TEST(FormatFraction, WritesWhatIsReadBack) {
  for (std::uint32_t value = 0; value <= 10'000; ++value) {
    EXPECT_EQ(ParseFraction(FormatFraction(value)), value);
  }
  EXPECT_EQ(FormatFraction(7'000), "0.7");
  EXPECT_EQ(FormatFraction(10'000), "1");
}

TEST(ParseSize, ReadsEveryUnit) {
  EXPECT_EQ(ParseSize("7B"), 7U);
  EXPECT_EQ(ParseSize("64KiB"), 64U << 10);
  EXPECT_EQ(ParseSize("8MiB"), 8U << 20);
  EXPECT_EQ(ParseSize("2GiB"), 2ULL << 30);
}

TEST(ParseSize, AsksForTheUnit) {
  EXPECT_THAT(ParseSize("1024").error(), HasSubstr("has no unit"));
}

TEST(ParseSize, RefusesOtherUnitsAndFractions) {
  for (const char* text : {"", "MiB", "8M", "8MB", "8mib", "8 MiB", "1.5MiB", "-1MiB"}) {
    EXPECT_FALSE(ParseSize(text)) << text;
  }
}

TEST(ParseSize, RefusesWhatOverflows) {
  EXPECT_EQ(ParseSize("8589934592GiB").error(), "is too large");
  EXPECT_EQ(ParseSize("99999999999999999999B").error(), "is too large");
}

TEST(ParseDuration, ReadsEveryUnit) {
  EXPECT_EQ(ParseDuration("200ms"), milliseconds(200));
  EXPECT_EQ(ParseDuration("10s"), milliseconds(10'000));
  EXPECT_EQ(ParseDuration("5m"), milliseconds(300'000));
  EXPECT_EQ(ParseDuration("1h"), milliseconds(3'600'000));
  EXPECT_EQ(ParseDuration("7d"), milliseconds(7 * 86'400'000LL));
}

TEST(ParseDuration, AsksForTheUnit) {
  EXPECT_THAT(ParseDuration("200").error(), HasSubstr("has no unit"));
  EXPECT_THAT(ParseDuration("0").error(), HasSubstr("has no unit"));
}

TEST(ParseDuration, RefusesOtherUnitsAndFractions) {
  for (const char* text : {"", "s", "1.5s", "1 s", "1h30m", "1min", "1S", "-1s", "1w"}) {
    EXPECT_FALSE(ParseDuration(text)) << text;
  }
}

TEST(ParseBoolean, KnowsTwoWords) {
  EXPECT_EQ(ParseBoolean("true"), true);
  EXPECT_EQ(ParseBoolean("false"), false);
  for (const char* text : {"", "True", "yes", "on", "1"}) EXPECT_FALSE(ParseBoolean(text)) << text;
}

TEST(FormatSize, TakesTheLargestUnitThatDivides) {
  EXPECT_EQ(FormatSize(0), "0B");
  EXPECT_EQ(FormatSize(1000), "1000B");
  EXPECT_EQ(FormatSize(1536), "1536B");
  EXPECT_EQ(FormatSize(64 << 10), "64KiB");
  EXPECT_EQ(FormatSize(3ULL << 30), "3GiB");
}

TEST(FormatDuration, TakesTheLargestUnitThatDivides) {
  EXPECT_EQ(FormatDuration(milliseconds(0)), "0s");
  EXPECT_EQ(FormatDuration(milliseconds(250)), "250ms");
  EXPECT_EQ(FormatDuration(milliseconds(1500)), "1500ms");
  EXPECT_EQ(FormatDuration(milliseconds(90'000)), "90s");
  EXPECT_EQ(FormatDuration(milliseconds(7 * 86'400'000LL)), "7d");
}

TEST(FormatDuration, IsReadBackAsTheSame) {
  for (const std::int64_t count : {1LL, 999LL, 1000LL, 61'000LL, 3'600'000LL, 86'400'001LL}) {
    EXPECT_EQ(ParseDuration(FormatDuration(milliseconds(count))), milliseconds(count)) << count;
  }
}

}  // namespace
}  // namespace crawlsieve::config
