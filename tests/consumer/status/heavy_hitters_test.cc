#include "consumer/status/heavy_hitters.h"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

std::vector<HeavyHitters::Item> Top(const HeavyHitters& hitters, std::size_t most) {
  return HeavyHitters::Top(hitters, HeavyHitters(1), most);
}

TEST(HeavyHitters, AreExactWhileAllNamesFit) {
  HeavyHitters hitters(3);
  hitters.Add("b.example", 2);
  hitters.Add("a.example", 2);
  hitters.Add("c.example");
  hitters.Add("c.example", 9);
  const auto top = Top(hitters, 10);
  ASSERT_EQ(top.size(), 3U);
  EXPECT_EQ(top[0].name, "c.example");
  EXPECT_EQ(top[0].count, 10U);
  EXPECT_EQ(top[0].error, 0U);
  EXPECT_EQ(top[1].name, "a.example");  // byte order where counts are equal
  EXPECT_EQ(top[2].name, "b.example");
  EXPECT_EQ(hitters.total(), 14U);
}

TEST(HeavyHitters, ShowNoMoreThanAskedFor) {
  HeavyHitters hitters(3);
  for (const char* name : {"a", "b", "c"}) hitters.Add(name);
  EXPECT_EQ(Top(hitters, 2).size(), 2U);
  EXPECT_TRUE(Top(hitters, 0).empty());
}

TEST(HeavyHitters, NameEveryFrequentHostOutOfTenThousandWithBoundsThatHold) {
  constexpr unsigned kSeed = 20261123;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  constexpr std::size_t kCapacity = 512;
  HeavyHitters hitters(kCapacity);
  std::map<std::string, std::uint64_t> truth;
  for (int i = 0; i < 200'000; ++i) {
    // One in four of 20 hosts, the rest evenly of 10,000.
    const auto host = random() % 4 == 0 ? random() % 20 : random() % 10'000;
    const std::string name = "host" + std::to_string(host) + ".example";
    hitters.Add(name);
    ++truth[name];
  }
  EXPECT_EQ(hitters.size(), kCapacity);
  EXPECT_EQ(hitters.total(), 200'000U);
  std::map<std::string, HeavyHitters::Item> counted;
  for (const auto& item : Top(hitters, kCapacity)) counted[item.name] = item;
  for (const auto& [name, item] : counted) {
    EXPECT_GE(item.count, truth[name]) << name;
    EXPECT_LE(item.count - item.error, truth[name]) << name;
    EXPECT_LE(item.error, hitters.total() / kCapacity) << name;
  }
  for (const auto& [name, count] : truth) {
    if (count <= hitters.total() / kCapacity) continue;
    EXPECT_TRUE(counted.contains(name)) << name;
  }
  for (const auto& item : Top(hitters, 20)) {
    EXPECT_LT(std::stoi(item.name.substr(4)), 20) << item.name;
  }
}

TEST(HeavyHitters, ReplaceTheNameThatIsLowest) {
  constexpr unsigned kSeed = 20261124;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  constexpr std::size_t kCapacity = 7;
  HeavyHitters hitters(kCapacity);
  std::vector<HeavyHitters::Item> model;
  for (int i = 0; i < 20'000; ++i) {
    const std::string name(1, static_cast<char>('a' + std::min(random() % 26, random() % 26)));
    const std::uint64_t count = 1 + random() % 3;
    hitters.Add(name, count);
    auto found = std::ranges::find(model, name, &HeavyHitters::Item::name);
    if (found == model.end() && model.size() < kCapacity) {
      found = model.insert(model.end(), {name, 0, 0});
    } else if (found == model.end()) {
      found = std::ranges::min_element(model, {}, &HeavyHitters::Item::count);
      *found = {name, found->count, found->count};
    }
    found->count += count;
    if (i % 100 != 0) continue;
    for (const auto& item : Top(hitters, kCapacity)) {
      const auto expected = std::ranges::find(model, item.name, &HeavyHitters::Item::name);
      ASSERT_NE(expected, model.end()) << i << ' ' << item.name;
      EXPECT_EQ(item.count, expected->count);
      EXPECT_EQ(item.error, expected->error);
    }
  }
}

TEST(HeavyHitters, OfTwoStretchesAreAddedUpWithBoundsThatHold) {
  HeavyHitters one(2);
  one.Add("a", 10);
  one.Add("b", 5);
  one.Add("c", 1);  // takes the place of b
  HeavyHitters other(2);
  other.Add("a", 1);
  other.Add("d", 3);
  const auto top = HeavyHitters::Top(one, other, 10);
  ASSERT_EQ(top.size(), 3U);
  EXPECT_EQ(top[0].name, "a");
  EXPECT_EQ(top[0].count, 11U);
  EXPECT_EQ(top[0].error, 0U);
  // d may have occurred six times in `one`; c once in `other`, which has no free place either.
  EXPECT_EQ(top[1].name, "d");
  EXPECT_EQ(top[1].count, 9U);
  EXPECT_EQ(top[1].error, 6U);
  EXPECT_EQ(top[2].name, "c");
  EXPECT_EQ(top[2].count, 7U);
  EXPECT_EQ(top[2].error, 6U);
}

TEST(HeavyHitters, CutLongNames) {
  HeavyHitters hitters(2);
  hitters.Add(std::string(100'000, 'x'));
  hitters.Add(std::string(100'000, 'x') + 'y');
  const auto top = Top(hitters, 2);
  ASSERT_EQ(top.size(), 1U);
  EXPECT_EQ(top[0].name.size(), HeavyHitters::kMaxNameBytes);
  EXPECT_EQ(top[0].count, 2U);
}

TEST(HeavyHitters, BeginAgainAfterAClear) {
  HeavyHitters hitters(1);
  hitters.Add("a", 5);
  hitters.Clear();
  EXPECT_EQ(hitters.total(), 0U);
  hitters.Add("b");
  ASSERT_EQ(Top(hitters, 9).size(), 1U);
  EXPECT_EQ(Top(hitters, 9)[0].count, 1U);
}

}  // namespace
}  // namespace crawlsieve::consumer
