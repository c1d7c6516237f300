#include "plugin/schedule/fixed_point.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace crawlsieve::schedule {
namespace {

constexpr double kStep = 1.0 / kLogOne;
constexpr double kQ32 = static_cast<double>(kQ32One);

/// Numbers of every magnitude, the same in each run.
template <typename Check>
void ForManyNumbers(const Check& check) {
  std::mt19937_64 random(1);
  for (int bits = 1; bits <= 62; ++bits) {
    for (int i = 0; i < 50; ++i) check((random() >> (64 - bits)) | std::uint64_t{1} << (bits - 1));
  }
}

TEST(Log2Of, AgreesWithDoublePrecisionToOneStep) {
  ForManyNumbers([](std::uint64_t value) {
    EXPECT_NEAR(Log2Of(value) * kStep, std::log2(static_cast<double>(value)), kStep) << value;
  });
}

TEST(Log2Of, IsExactForPowersOfTwoAndZeroForZero) {
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(Log2Of(std::uint64_t{1} << bit), bit * kLogOne);
  }
  EXPECT_EQ(Log2Of(0), 0);
}

TEST(Log2Of, NeverFallsFromOneNumberToTheNext) {
  for (std::uint64_t value = 1; value < 20'000; ++value) {
    ASSERT_LE(Log2Of(value), Log2Of(value + 1)) << value;
  }
}

TEST(Exp2, AgreesWithDoublePrecision) {
  for (Log2 log = 0; log < 61 * kLogOne; log += 12'345) {
    const double exact = std::exp2(log * kStep);
    EXPECT_NEAR(static_cast<double>(Exp2(log)), exact, exact * 1e-8 + 1) << log;
  }
  for (Log2 log = -32 * kLogOne; log < 29 * kLogOne; log += 12'345) {
    const double exact = std::exp2(log * kStep);
    EXPECT_NEAR(static_cast<double>(Exp2Q32(log)) / kQ32, exact, exact * 1e-8 + 1 / kQ32) << log;
  }
}

TEST(Exp2, SaturatesAtItsBounds) {
  EXPECT_EQ(Exp2(-1), 0U);
  EXPECT_EQ(Exp2(std::numeric_limits<Log2>::min()), 0U);
  EXPECT_EQ(Exp2(std::numeric_limits<Log2>::max()), std::uint64_t{1} << 62);
  EXPECT_EQ(Exp2Q32(std::numeric_limits<Log2>::max()), std::uint64_t{1} << 62);
}

TEST(ExpMinus, AgreesWithDoublePrecision) {
  for (double x = 0; x < 30; x += 0.037) {
    const double value = static_cast<double>(ExpMinus(static_cast<Q32>(x * kQ32))) / kQ32;
    EXPECT_NEAR(value, std::exp(-x), std::exp(-x) * 3e-5 + 1.5 / kQ32) << x;
  }
  EXPECT_EQ(ExpMinus(~Q32{0}), 0U);
}

TEST(Log2OfLn1p, AgreesWithDoublePrecisionForRatiosOfEverySize) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5'000; ++i) {
    const std::uint64_t a = (random() >> (2 + random() % 50)) | 1;
    const std::uint64_t b = (random() >> (2 + random() % 50)) | 1;
    const double exact = std::log2(std::log1p(static_cast<double>(a) / static_cast<double>(b)));
    EXPECT_NEAR(Log2OfLn1p(a, b) * kStep, exact, 2 * kStep) << a << ' ' << b;
  }
}

}  // namespace
}  // namespace crawlsieve::schedule
