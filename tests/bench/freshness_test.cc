#include "bench/freshness/change_histories.h"
#include "bench/freshness/fetch_policies.h"
#include "bench/freshness/fetch_simulation.h"
#include "tests/support/temporary_directory.h"

#include <fstream>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace crawlsieve::bench {
namespace {

std::vector<ChangeHistory> Load(const std::string& text) {
  const testing::TemporaryDirectory directory;
  const auto path = directory.path() / "histories.tsv";
  std::ofstream(path) << text;
  return LoadChangeHistories(path).value_or(std::vector<ChangeHistory>());
}

TEST(ChangeHistories, ALineIsANameAndTimes) {
  const auto histories = Load("a/Terms of use.md\t100.5\t200\nb\t1e2\n");
  ASSERT_EQ(histories.size(), 2U);
  EXPECT_EQ(histories[0].document, "a/Terms of use.md");
  EXPECT_EQ(histories[0].times, (std::vector<double>{100.5, 200}));
  EXPECT_EQ(histories[1].times, (std::vector<double>{100}));
}

TEST(ChangeHistories, OtherLinesAreErrors) {
  for (const char* line :
       {"a", "a\t", "a\tx", "a\t2\t1", "a\t-1", "a\tnan", "a\tinf", "a\t1e300", "a\t1 "}) {
    EXPECT_TRUE(Load(std::string("good\t1\n") + line + "\n").empty()) << line;
  }
  EXPECT_FALSE(LoadChangeHistories("/nowhere/histories.tsv").has_value());
}

TEST(ChangeWindow, IsTheLastDaysAndDocumentsThatWereThereAMonthBefore) {
  const ChangeWindow window =
      WindowOf({{"old", {0, 1000}}, {"just", {870}}, {"young", {870.1}}}, 100).value();
  EXPECT_EQ(window.begin, 900);
  EXPECT_EQ(window.days, 100);
  ASSERT_EQ(window.documents.size(), 2U);
  EXPECT_EQ(window.documents[1].document, "just");
}

TEST(ChangeWindow, OfAShortFileBeginsAMonthAfterIt) {
  const ChangeWindow window = WindowOf({{"a", {50}}, {"b", {60, 150}}}, 730).value();
  EXPECT_EQ(window.begin, 80);
  EXPECT_EQ(window.days, 70);
  EXPECT_EQ(window.documents.size(), 1U);
}

TEST(ChangeWindow, WithoutDocumentsOrDaysIsAnError) {
  EXPECT_FALSE(WindowOf({}, 730).has_value());
  EXPECT_FALSE(WindowOf({{"a", {50}}}, 730).has_value());
}

/// Takes the documents in turn, whatever their number, and notes what it hears.
class InTurn final : public FetchPolicy {
 public:
  [[nodiscard]] double Urgency(std::size_t document, double /*now*/) const override {
    return document == next ? 1 : 0;
  }
  void Fetched(std::size_t document, double /*now*/, bool changed) override {
    next = 1 - document;
    ++(changed ? changes : others);
  }
  std::size_t next = 0;
  int changes = 0;
  int others = 0;
};

TEST(Simulate, CountsByHand) {
  // Two documents, a fetch a day: document 0 on days 1 and 3, document 1 on days 2 and 4.
  ChangeWindow window;
  window.begin = 100;
  window.days = 4;
  window.documents = {{"a", {0, 102.5}}, {"b", {0, 102.9}}};
  InTurn policy;
  const Outcome outcome = Simulate(window, 2, policy);
  // Day 3: document 0 is fetched anew, document 1 is stale. Day 4: both are up to date.
  EXPECT_DOUBLE_EQ(outcome.freshness, 0.75);
  EXPECT_EQ(outcome.changed, 2);
  EXPECT_EQ(outcome.wasted, 0);
  EXPECT_EQ(policy.changes, 2);
  EXPECT_EQ(policy.others, 2);
}

/// Documents of several hosts that change at random, at rates of a wide range.
ChangeWindow MadeUp(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ChangeHistory> histories;
  for (int host = 0; host < 60; ++host) {
    const double host_rate = std::exp(std::normal_distribution<double>(-4.5, 1.5)(random));
    for (int i = 0; i < 4; ++i) {
      const double rate = host_rate * std::exp(std::normal_distribution<double>(0, 1)(random));
      ChangeHistory history{std::to_string(host) + ".example/" + std::to_string(i), {0}};
      double time = 0;
      while ((time += std::exponential_distribution<double>(rate)(random)) < 700) {
        history.times.push_back(time);
      }
      histories.push_back(history);
    }
  }
  return WindowOf(histories, 500).value();
}

TEST(AllPolicies, TheScheduleClosesMostOfTheGapOnRatesItHasNotSeen) {
  std::map<std::string_view, double> sums;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const ChangeWindow window = MadeUp(seed);
    for (const NamedPolicy& named : AllPolicies(window, 14)) {
      sums[named.name] += Simulate(window, 14, *named.policy).freshness;
    }
  }
  const double gap = sums["optimum"] - sums["uniform"];
  ASSERT_GT(gap, 0.05);
  EXPECT_GT((sums["schedule"] - sums["uniform"]) / gap, 0.65) << "seeds 1 to 3";
  EXPECT_GT(sums["schedule"], sums["nutch"]);
  EXPECT_GT(sums["schedule"], sums["stormcrawler"]);
  EXPECT_GT(sums["schedule"], sums["verdicts"]);
}

}  // namespace
}  // namespace crawlsieve::bench
