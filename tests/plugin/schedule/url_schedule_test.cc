#include "plugin/schedule/url_schedule.h"

#include "plugin/schedule/threshold.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::schedule {
namespace {

UrlSchedule Random(std::mt19937_64& random) {
  const auto number = [&] { return random() >> random() % 64; };
  UrlSchedule url;
  url.last_visit = number();
  url.not_before = number();
  url.state = static_cast<UrlState>(random() % 4);
  url.failures = static_cast<std::uint8_t>(random() % 16);
  url.bucket = random() % 4 == 0 ? UrlSchedule::kNoBucket
                                 : static_cast<std::uint8_t>(random() % RateHistogram::kBuckets);
  url.years = {number(), number(), number()};
  url.weeks = {number(), number(), number()};
  return url;
}

TEST(UrlSchedule, ComesBackFromThirtyBytes) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 20'000; ++i) {
    UrlSchedule url = Random(random);
    url.Fit();
    const std::string bytes = url.Encode();
    ASSERT_EQ(bytes.size(), 30U);
    ASSERT_EQ(UrlSchedule::Decode(bytes).value(), url);
  }
}

TEST(UrlSchedule, FitKeepsTheRateOfWhatIsTooLarge) {
  UrlSchedule url;
  url.years = {1'000'000 * ChangeEvidence::kVisit, 1'000'000 * 3'600ULL, 500'000 * 3'600ULL};
  const LogRate before = EstimateRate(url.years, RateOfMean(3'600), 256);
  url.Fit();
  EXPECT_LT(url.years.changes, 65'536U);
  EXPECT_NEAR(EstimateRate(url.years, RateOfMean(3'600), 256), before, kLogOne / 50);
}

TEST(UrlSchedule, HasTheSameBytesOnEveryMachine) {
  UrlSchedule url;
  url.last_visit = 0x0102030405;
  url.not_before = 0x1112131415;
  url.state = UrlState::kGone;
  url.failures = 3;
  url.bucket = 7;
  url.years = {0x2122, 0x31323334, 0x41424344};
  url.weeks = {0x5152, 0x616263, 0x717273};
  EXPECT_EQ(url.Encode(), std::string("\x23\x07\x05\x04\x03\x02\x01\x15\x14\x13\x12\x11\x22\x21"
                                      "\x34\x33\x32\x31\x44\x43\x42\x41\x52\x51\x63\x62\x61"
                                      "\x73\x72\x71"));
}

TEST(UrlSchedule, RefusesOtherLengthsStatesAndBuckets) {
  const std::string good = UrlSchedule().Encode();
  for (std::size_t size = 0; size < 40; ++size) {
    std::string bytes = good;
    bytes.resize(size);
    EXPECT_EQ(UrlSchedule::Decode(bytes).has_value(), size == 30) << size;
  }
  std::string bytes = good;
  bytes[0] = 0x40;
  EXPECT_FALSE(UrlSchedule::Decode(bytes).has_value());
  bytes = good;
  bytes[1] = static_cast<char>(RateHistogram::kBuckets);
  EXPECT_FALSE(UrlSchedule::Decode(bytes).has_value());
}

}  // namespace
}  // namespace crawlsieve::schedule
