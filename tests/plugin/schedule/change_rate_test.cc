#include "plugin/schedule/change_rate.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::schedule {
namespace {

constexpr double kDay = 86'400;
constexpr std::uint64_t kDays = 86'400;

double PerDay(LogRate rate) { return std::exp2(static_cast<double>(rate) / kLogOne) * kDay; }

struct Visit {
  double days;
  bool changed;
};

/// The maximum likelihood rate a day of a Poisson process that is looked at after irregular times:
/// the rate at which the derivative of the log likelihood is zero, by bisection.
double LikeliestRate(const std::vector<Visit>& visits) {
  double low = 1e-6;
  double high = 1e3;
  for (int i = 0; i < 200; ++i) {
    const double rate = std::sqrt(low * high);
    double slope = 0;
    for (const Visit& visit : visits) {
      slope += visit.changed ? visit.days / std::expm1(rate * visit.days) : -visit.days;
    }
    (slope > 0 ? low : high) = rate;
  }
  return low;
}

LogRate EstimateOf(const std::vector<Visit>& visits, LogRate prior, std::uint64_t weight) {
  ChangeEvidence evidence;
  for (const Visit& visit : visits) {
    evidence.Add(static_cast<std::uint64_t>(visit.days * kDay), visit.changed);
  }
  return EstimateRate(evidence, prior, weight);
}

TEST(EstimateRate, IsThePriorWithoutEvidence) {
  for (const std::uint64_t days : {1, 7, 60, 1000}) {
    EXPECT_NEAR(PerDay(EstimateRate({}, RateOfMean(days * kDays), 256)) * static_cast<double>(days),
                1, 0.002);
  }
}

TEST(EstimateRate, IsTheMaximumLikelihoodOfRegularVisits) {
  std::vector<Visit> visits;
  for (int i = 0; i < 3'000; ++i) visits.push_back({7, i % 3 == 0});
  const double estimate = PerDay(EstimateOf(visits, RateOfMean(60 * kDays), 256));
  EXPECT_NEAR(estimate / LikeliestRate(visits), 1, 0.005);
}

TEST(EstimateRate, IsCloseToTheTruthForIrregularVisits) {
  std::mt19937_64 random(3);
  for (const double truth : {0.01, 0.1, 0.5}) {
    std::vector<Visit> visits;
    for (int i = 0; i < 4'000; ++i) {
      const double days = std::exponential_distribution<double>(truth)(random) + 0.5;
      const double chance = -std::expm1(-truth * days);
      visits.push_back({days, std::bernoulli_distribution(chance)(random)});
    }
    const double estimate = PerDay(EstimateOf(visits, RateOfMean(60 * kDays), 256));
    EXPECT_NEAR(estimate / truth, 1, 0.3) << truth;
    EXPECT_NEAR(estimate / LikeliestRate(visits), 1, 0.3) << truth;
  }
}

TEST(EstimateRate, RisesWithChangesAndFallsWithVisitsThatFoundNone) {
  std::vector<Visit> visits{{7, true}, {7, false}};
  const LogRate before = EstimateOf(visits, RateOfMean(30 * kDays), 256);
  visits.push_back({7, true});
  EXPECT_GT(EstimateOf(visits, RateOfMean(30 * kDays), 256), before);
  visits.back().changed = false;
  EXPECT_LT(EstimateOf(visits, RateOfMean(30 * kDays), 256), before);
}

TEST(EstimateRate, SixUnchangedVisitsWithinSecondsSayNextToNothing) {
  const LogRate prior = RateOfMean(7 * kDays);
  ChangeEvidence evidence;
  for (int i = 0; i < 6; ++i) evidence.Add(1, false);
  EXPECT_NEAR(PerDay(EstimateRate(evidence, prior, 256)) * 7, 1, 0.01);
}

TEST(EstimateRate, StaysWithinItsBoundsForAnyEvidence) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20'000; ++i) {
    const ChangeEvidence evidence{random() >> (4 + random() % 60), random() >> (4 + random() % 60),
                                  random() >> (4 + random() % 60)};
    const auto prior = static_cast<LogRate>(random());
    const LogRate rate = EstimateRate(evidence, prior, random() % 2'000);
    ASSERT_LE(rate, RateOfMean(kMinMeanSeconds));
    ASSERT_GE(rate, RateOfMean(kMaxMeanSeconds));
  }
}

TEST(ChangeEvidence, HalfIsLeftAfterTheHalfLifeHoweverTheTimeIsCut) {
  const ChangeEvidence full{1'000'000, 80'000'000, 40'000'000};
  const std::uint64_t half_life = 365 * kDays;
  const std::uint64_t begin = 20'000 * kDays;
  ChangeEvidence at_once = full;
  at_once.Fade(begin, begin + half_life, half_life);
  ChangeEvidence in_pieces = full;
  for (std::uint64_t t = 0; t < half_life; t += kDays / 24) {
    in_pieces.Fade(begin + t, begin + t + kDays / 24, half_life);
  }
  for (const ChangeEvidence& left : {at_once, in_pieces}) {
    EXPECT_NEAR(static_cast<double>(left.changes), 500'000, 6'000);
    EXPECT_NEAR(static_cast<double>(left.changed_seconds), 40'000'000, 480'000);
    EXPECT_NEAR(static_cast<double>(left.unchanged_seconds), 20'000'000, 240'000);
  }
}

TEST(ChangeEvidence, FadesNeitherBackwardsNorBelowZero) {
  ChangeEvidence evidence{256, 100, 100};
  evidence.Fade(1'000 * kDays, 10 * kDays, 30 * kDays);
  EXPECT_EQ(evidence, (ChangeEvidence{256, 100, 100}));
  evidence.Fade(0, ~std::uint64_t{0}, 1);
  EXPECT_EQ(evidence, ChangeEvidence());
}

TEST(ChangeEvidence, SumsStayBelowTheirLimitAndKeepTheirRate) {
  ChangeEvidence evidence;
  for (int i = 0; i < 100; ++i) evidence.Add(~std::uint64_t{0}, i % 2 == 0);
  EXPECT_LT(evidence.changed_seconds, ChangeEvidence::kLimit);
  EXPECT_LT(evidence.unchanged_seconds, ChangeEvidence::kLimit);
}

TEST(ChangeEvidence, WithoutItselfIsNothingAndNeverNegative) {
  const ChangeEvidence evidence{256, 100, 50};
  EXPECT_EQ(evidence.Without(evidence), ChangeEvidence());
  EXPECT_EQ(evidence.Without({512, 20, 80}), (ChangeEvidence{0, 80, 0}));
}

}  // namespace
}  // namespace crawlsieve::schedule
