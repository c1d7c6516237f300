#include "plugin/state/range.h"

#include "tests/support/temporary_directory.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::TemporaryDirectory;
using Rows = std::map<std::string, std::string>;

std::string KeyOf(std::uint64_t number) { return "key" + std::to_string(1000 + number % 1000); }

std::vector<std::string> KeysOf(const std::vector<Store::Row>& rows) {
  std::vector<std::string> keys;
  for (const Store::Row& row : rows) keys.push_back(row.key + '=' + row.value);
  return keys;
}

std::vector<std::string> Expected(const Rows& rows, const std::string& prefix,
                                  const std::string& from, std::size_t limit) {
  std::vector<std::string> keys;
  for (auto row = rows.lower_bound(std::max(prefix, from));
       row != rows.end() && row->first.starts_with(prefix) && keys.size() < limit; ++row) {
    keys.push_back(row->first + '=' + row->second);
  }
  return keys;
}

TEST(Store, RangesOneBehindTheOtherAreThoseOfAMapWhileRowsChange) {
  constexpr unsigned kSeed = 5;
  std::mt19937 random(kSeed);
  const TemporaryDirectory directory;
  auto store = Store::Open({.directory = directory.path()});
  ASSERT_TRUE(store.has_value());
  Rows expected;
  std::string next;
  std::string prefix;
  for (int step = 0; step < 4'000; ++step) {
    Changes changes;
    for (auto n = random() % 6; n > 0; --n) {
      const std::string key = KeyOf(random());
      if (random() % 3 == 0) {
        changes.Delete(Table::kUrls, key);
        expected.erase(key);
      } else {
        const std::string value = std::to_string(random() % 100);
        changes.Put(Table::kUrls, key, value);
        expected[key] = value;
      }
      // Of another table: nothing of it comes up.
      changes.Put(Table::kHosts, key, "host");
    }
    ASSERT_TRUE((*store)->Apply(changes).has_value());
    switch (random() % 50) {
      case 0:
        ASSERT_TRUE((*store)->Flush().has_value());
        break;
      case 1:
        ASSERT_TRUE((*store)->BeginFlush().has_value());
        break;
      default:
        break;
    }
    if (random() % 40 == 0) {  // another one is asked for, from anywhere
      prefix = random() % 2 == 0 ? "" : "key1" + std::to_string(random() % 10);
      next = random() % 2 == 0 ? "" : KeyOf(random());
    }
    const std::size_t limit = 1 + random() % 40;
    const auto rows = (*store)->Range(Table::kUrls, prefix, next, limit);
    ASSERT_TRUE(rows.has_value());
    ASSERT_EQ(KeysOf(*rows), Expected(expected, prefix, next, limit))
        << "step " << step << " seed " << kSeed;
    next = rows->size() < limit ? "" : rows->back().key + '\0';
  }
}

TEST(ChangedKeys, LooksThroughChangesOnceForAPart) {
  RowMap map;
  for (std::uint64_t i = 0; i < 1000; ++i) map.Put(KeyOf(i), "1");
  ChangedKeys keys;
  int parts = 0;
  const auto end_of_part = [&parts](std::string_view from) -> std::optional<std::string> {
    ++parts;
    return KeyOf(static_cast<std::uint64_t>(std::stoi(std::string(from.substr(3)))) - 1000 + 500);
  };
  for (std::uint64_t from = 0; from < 500; from += 50) {
    const std::string last = KeyOf(from + 49);
    const auto rows = keys.Within(0, {{&map}, 1}, "", KeyOf(from), &last, end_of_part);
    ASSERT_EQ(rows.size(), 50U) << from;
    EXPECT_EQ(rows.back().key, last);
  }
  EXPECT_EQ(parts, 1);
  const std::string last = KeyOf(10);
  // Rows that were added since are found; those of other maps, tables and parts are looked for.
  map.Put("key1005x", "2");
  EXPECT_EQ(keys.Within(0, {{&map}, 1}, "", KeyOf(0), &last, end_of_part).size(), 12U);
  EXPECT_EQ(parts, 1);
  EXPECT_EQ(keys.Within(0, {{&map}, 2}, "", KeyOf(0), &last, end_of_part).size(), 12U);
  EXPECT_EQ(parts, 2);
  EXPECT_EQ(keys.Within(1, {{&map}, 2}, "", KeyOf(0), &last, end_of_part).size(), 12U);
  EXPECT_EQ(parts, 3);
}

}  // namespace
}  // namespace crawlsieve
