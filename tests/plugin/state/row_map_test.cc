#include "plugin/state/row_map.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

TEST(RowMap, TellsUnknownMissingAndEmptyApart) {
  RowMap map;
  EXPECT_TRUE(map.empty());
  EXPECT_FALSE(map.Find("key").has_value());
  EXPECT_FALSE(map.Find("").has_value());
  map.Put("key", std::nullopt);
  ASSERT_TRUE(map.Find("key").has_value());
  EXPECT_FALSE(map.Find("key")->has_value());
  map.Put("key", "");
  ASSERT_TRUE(map.Find("key").has_value());
  EXPECT_EQ(*map.Find("key"), RowMap::Value(""));
  map.Put("", "of the empty key");
  EXPECT_EQ(*map.Find(""), RowMap::Value("of the empty key"));
  EXPECT_FALSE(map.empty());
  map.Clear();
  EXPECT_TRUE(map.empty());
  EXPECT_FALSE(map.Find("").has_value());
}

TEST(RowMap, AValueMayBeReplacedByAPartOfItself) {
  RowMap map;
  map.Put("a", "0123456789");
  map.Put("a", (*map.Find("a"))->substr(3));
  EXPECT_EQ(*map.Find("a"), RowMap::Value("3456789"));
  map.Put("b", *map.Find("a"));
  map.Put("a", "x");
  EXPECT_EQ(*map.Find("b"), RowMap::Value("3456789"));
}

TEST(RowMap, TakesKeysFirstAndTheirValuesLater) {
  RowMap map;
  map.Put("known", "value");
  map.PutIfNew("known");
  EXPECT_EQ(*map.Find("known"), RowMap::Value("value"));
  EXPECT_EQ(map.rows().size(), 1U);
  const RowMap::Value known = *map.Find("known");
  for (int i = 0; i < 1'000; ++i) map.PutIfNew("wanted " + std::to_string(i));
  EXPECT_EQ(known, "value");  // where it was
  EXPECT_EQ(*map.Find("wanted 7"), RowMap::Value());
  EXPECT_EQ(map.Find("nobody"), std::nullopt);
  map.SetValue(map.rows()[8], "the value of 7");
  map.SetValue(map.rows()[9], "");
  EXPECT_EQ(*map.Find("wanted 7"), RowMap::Value("the value of 7"));
  EXPECT_EQ(*map.Find("wanted 8"), RowMap::Value(""));
  EXPECT_EQ(*map.Find("wanted 9"), RowMap::Value());
  map.SetValue(map.rows()[8], std::nullopt);
  EXPECT_EQ(*map.Find("wanted 7"), RowMap::Value());
  EXPECT_EQ(*map.Find("known"), RowMap::Value("value"));
}

TEST(RowMap, FindsSeveralAsOneByOne) {
  RowMap map;
  EXPECT_EQ(map.FindAll(RowMap::Keys(std::array<std::string_view, 1>{"a"})),
            std::vector<std::optional<RowMap::Value>>(1));
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) {
    names.push_back("key " + std::to_string(i));
    if (i % 3 == 0) map.Put(names.back(), std::to_string(i));
    if (i % 3 == 1) map.Put(names.back(), std::nullopt);
  }
  for (const std::size_t count : {0U, 1U, 31U, 32U, 33U, 200U}) {
    const std::vector<std::string_view> keys(names.begin(),
                                             names.begin() + static_cast<std::ptrdiff_t>(count));
    const auto found = map.FindAll(RowMap::Keys(keys));
    ASSERT_EQ(found.size(), count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(found[i], map.Find(keys[i])) << keys[i];
  }
}

TEST(RowMap, BehavesLikeAMap) {
  constexpr unsigned kSeed = 42;
  std::mt19937 random(kSeed);
  RowMap map;
  RowMap other;
  std::map<std::string, std::optional<std::string>> model;
  const auto some_key = [&random] {  // with common beginnings, of any byte, some empty
    std::string key(random() % 3 * 4, 'k');
    for (auto length = random() % 4; length > 0; --length) key += static_cast<char>(random() % 256);
    return key;
  };
  const auto some_value = [&random]() -> std::optional<std::string> {
    if (random() % 4 == 0) return std::nullopt;
    const std::size_t size = random() % 200 == 0 ? 100'000 : random() % 40;
    return std::string(size, static_cast<char>(random() % 256));
  };
  for (int round = 0; round < 400; ++round) {
    if (random() % 50 == 0) {
      map.Clear();
      model.clear();
    }
    RowMap& target = random() % 2 == 0 ? map : other;
    std::map<std::string, std::optional<std::string>> put;
    for (auto i = random() % 40; i > 0; --i) {
      const std::string key = some_key();
      const auto value = some_value();
      target.Put(key, value);
      put[key] = value;
    }
    if (&target == &other) {
      map.PutAll(other);
      other.Clear();
    }
    for (const auto& [key, value] : put) model[key] = value;

    std::size_t key_and_value_bytes = 0;
    for (const auto& [key, value] : model) {
      key_and_value_bytes += key.size() + value.value_or("").size();
      const auto found = map.Find(key);
      ASSERT_TRUE(found.has_value()) << "seed " << kSeed << ", round " << round;
      ASSERT_EQ(*found, value.has_value() ? RowMap::Value(*value) : RowMap::Value());
    }
    ASSERT_GE(map.bytes(), key_and_value_bytes);
    const std::string key = some_key();
    ASSERT_EQ(map.Find(key).has_value(), model.contains(key));
    const std::vector<const RowMap::Row*> rows = map.InOrder();
    ASSERT_EQ(rows.size(), model.size());
    ASSERT_EQ(map.rows().size(), model.size());
    auto expected = model.begin();
    for (const RowMap::Row* row : rows) ASSERT_EQ(row->key(), (expected++)->first);
  }
}

// Long beginnings in common, keys that begin others, and zero bytes, which padding could be taken
// for.
TEST(RowMap, IsInOrderHoweverLongItsKeysBeginAlike) {
  RowMap map;
  std::set<std::string> keys;
  for (int i = 0; i < 40; ++i) {
    for (const std::size_t alike : {std::size_t{0}, std::size_t{64} << 10, std::size_t{1} << 20}) {
      keys.insert(std::string(alike, 'a') + std::to_string(i));
    }
  }
  for (const std::string& key : keys) map.PutIfNew(key);
  const std::vector<const RowMap::Row*> rows = map.InOrder();
  ASSERT_EQ(rows.size(), keys.size());
  EXPECT_TRUE(
      std::ranges::equal(rows, keys, {}, [](const RowMap::Row* row) { return row->key(); }));
}

TEST(RowMap, IsInOrderHoweverAlikeItsKeysAre) {
  constexpr std::string_view kBytes("\0\1ab\377", 5);
  std::mt19937 random(3);
  RowMap map;
  std::set<std::string> keys;
  for (int i = 0; i < 5'000; ++i) {
    std::string key(random() % 3 * 11, 'a');
    for (auto bytes = random() % 20; bytes > 0; --bytes) {
      key.push_back(kBytes[random() % kBytes.size()]);
    }
    map.Put(key, std::nullopt);
    keys.insert(std::move(key));
  }
  const std::vector<const RowMap::Row*> rows = map.InOrder();
  ASSERT_EQ(rows.size(), keys.size());
  EXPECT_TRUE(
      std::ranges::equal(rows, keys, {}, [](const RowMap::Row* row) { return row->key(); }));
}

}  // namespace
}  // namespace crawlsieve
