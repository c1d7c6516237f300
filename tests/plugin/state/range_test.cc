#include "plugin/state/range.h"

#include "plugin/state/latest_page_key.h"
#include "tests/plugin/state/keys_of_hosts.h"
#include "tests/support/temporary_directory.h"

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::EraseLatestPages;
using testing::HostOfLatestPages;
using testing::KeyOfHosts;
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

/// A table with keys of one kind.
struct RangeCase {
  Table table;
  std::string (*key_of)(std::uint64_t number);
  std::string (*prefix_of)(std::uint64_t number);
};

class RangesOfStore : public ::testing::TestWithParam<RangeCase> {};

TEST_P(RangesOfStore, OneBehindTheOtherAreThoseOfAMapWhileRowsChange) {
  constexpr unsigned kSeed = 5;
  const auto& [table, key_of, prefix_of] = GetParam();
  const Table other_table = table == Table::kUrls ? Table::kHosts : Table::kUrls;
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
      const std::string key = key_of(random());
      if (table == Table::kHosts && random() % 20 == 0) {
        const std::string host = HostOfLatestPages(random());
        changes.DeleteLatestPages(host);
        EraseLatestPages(host, expected);
      } else if (random() % 3 == 0) {
        changes.Delete(table, key);
        expected.erase(key);
      } else {
        const std::string value = std::to_string(random() % 100);
        changes.Put(table, key, value);
        expected[key] = value;
      }
      changes.Put(other_table, key, "nothing of it comes up");
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
      prefix = random() % 2 == 0 ? "" : prefix_of(random());
      next = random() % 2 == 0 ? "" : key_of(random());
    }
    const std::size_t limit = 1 + random() % 40;
    const auto rows = (*store)->Range(table, prefix, next, limit);
    ASSERT_TRUE(rows.has_value());
    ASSERT_EQ(KeysOf(*rows), Expected(expected, prefix, next, limit))
        << "step " << step << " seed " << kSeed;
    next = rows->size() < limit ? "" : rows->back().key + '\0';
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, RangesOfStore,
                         ::testing::Values(RangeCase{Table::kUrls, KeyOf,
                                                     [](std::uint64_t number) {
                                                       return "key1" + std::to_string(number % 10);
                                                     }},
                                           RangeCase{
                                               Table::kHosts, KeyOfHosts, [](std::uint64_t number) {
                                                 return GroupOfHost(HostOfLatestPages(number));
                                               }}));

TEST(ChangedRange, IsThatOfAMapWithTheChanges) {
  constexpr unsigned kSeed = 9;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    Rows unchanged;
    for (auto n = random() % 60; n > 0; --n) unchanged[KeyOfHosts(random())] = "unchanged";
    Rows expected = unchanged;
    Changes changes;
    for (auto n = random() % 40; n > 0; --n) {
      const std::string key = KeyOfHosts(random());
      if (random() % 8 == 0) {
        const std::string host = HostOfLatestPages(random());
        changes.DeleteLatestPages(host);
        EraseLatestPages(host, expected);
      } else if (random() % 3 == 0) {
        changes.Delete(Table::kHosts, key);
        expected.erase(key);
      } else {
        changes.Put(Table::kHosts, key, "changed");
        expected[key] = "changed";
      }
    }
    const std::string prefix = random() % 2 == 0 ? "" : GroupOfHost(HostOfLatestPages(random()));
    const std::string first = random() % 2 == 0 ? "" : KeyOfHosts(random());
    const std::size_t limit = 1 + random() % 40;
    const auto source = [&](std::string_view from, std::size_t count) {
      std::vector<Store::Row> rows;
      for (auto row = unchanged.lower_bound(std::string(from));
           row != unchanged.end() && row->first.starts_with(prefix) && rows.size() < count; ++row) {
        rows.push_back({row->first, row->second});
      }
      return Result<std::vector<Store::Row>>(std::move(rows));
    };
    const auto rows = ChangedRange(changes, Table::kHosts, prefix, first, limit, source);
    ASSERT_TRUE(rows.has_value());
    ASSERT_EQ(KeysOf(*rows), Expected(expected, prefix, first, limit))
        << "seed " << kSeed << ", round " << round;
  }
}

TEST(ChangedKeys, LooksThroughChangesOnceForAPart) {
  Changes changes;
  for (std::uint64_t i = 0; i < 1000; ++i) changes.Put(Table::kUrls, KeyOf(i), "1");
  ChangedKeys keys;
  int parts = 0;
  const auto end_of_part = [&parts](std::string_view from) -> std::optional<std::string> {
    ++parts;
    return KeyOf(static_cast<std::uint64_t>(std::stoi(std::string(from.substr(3)))) - 1000 + 500);
  };
  for (std::uint64_t from = 0; from < 500; from += 50) {
    const std::string last = KeyOf(from + 49);
    const auto rows =
        keys.Within(Table::kUrls, {{&changes}, 1}, "", KeyOf(from), &last, end_of_part);
    ASSERT_EQ(rows.size(), 50U) << from;
    EXPECT_EQ(rows.back().key(), last);
  }
  EXPECT_EQ(parts, 1);
  const std::string last = KeyOf(10);
  // Rows that were added since are found; those of other changes, tables and parts are looked for.
  changes.Put(Table::kUrls, "key1005x", "2");
  EXPECT_EQ(keys.Within(Table::kUrls, {{&changes}, 1}, "", KeyOf(0), &last, end_of_part).size(),
            12U);
  EXPECT_EQ(parts, 1);
  EXPECT_EQ(keys.Within(Table::kUrls, {{&changes}, 2}, "", KeyOf(0), &last, end_of_part).size(),
            12U);
  EXPECT_EQ(parts, 2);
  EXPECT_EQ(keys.Within(Table::kHosts, {{&changes}, 2}, "", KeyOf(0), &last, end_of_part).size(),
            0U);
  EXPECT_EQ(parts, 3);
}

}  // namespace
}  // namespace crawlsieve
