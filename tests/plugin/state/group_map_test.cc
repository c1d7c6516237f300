#include "plugin/state/group_map.h"

#include "plugin/state/latest_page_key.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

std::optional<RowMap::Value> Found(std::string_view value) {
  return std::optional<RowMap::Value>(std::in_place, value);
}

const std::optional<RowMap::Value> kDeleted(std::in_place, std::nullopt);

GroupChanges ChangesOf(const GroupMap& map, std::string_view host) {
  GroupChanges changes;
  map.ChangesOf(GroupOfHost(host), changes);
  return changes;
}

std::string Page(std::uint32_t number) { return LatestPageKey("host", number); }

TEST(GroupMap, TellsUnchangedDeletedAndEmptyApart) {
  GroupMap map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.bytes(), 0U);
  EXPECT_EQ(map.Find(Page(0)), std::nullopt);
  EXPECT_TRUE(ChangesOf(map, "host").rows.empty());
  map.Put(Page(0), "");
  map.Put(Page(kMostLatestPages - 1), std::nullopt);
  EXPECT_FALSE(map.empty());
  EXPECT_EQ(map.Find(Page(0)), Found(""));
  EXPECT_EQ(map.Find(Page(kMostLatestPages - 1)), kDeleted);
  EXPECT_EQ(map.Find(Page(1)), std::nullopt);
  EXPECT_EQ(map.Find(LatestPageKey("other", 0)), std::nullopt);
  map.Clear();
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.bytes(), 0U);
  EXPECT_EQ(map.Find(Page(0)), std::nullopt);
}

TEST(GroupMap, ARowIsReplacedWhereverItIsAmongThoseOfItsGroup) {
  GroupMap map;
  for (const std::uint32_t number : {3U, 1U, 2U}) map.Put(Page(number), std::to_string(number));
  for (const std::uint32_t number : {1U, 2U, 3U}) {
    map.Put(Page(number), "longer than before");
    EXPECT_EQ(map.Find(Page(number)), Found("longer than before"));
  }
  // By a part of one that is there.
  map.Put(Page(3), (*map.Find(Page(1)))->substr(7));
  EXPECT_EQ(map.Find(Page(3)), Found("than before"));
  EXPECT_EQ(map.groups().size(), 1U);
}

TEST(GroupMap, ADeletedGroupHasTheRowsThatCameLater) {
  GroupMap map;
  map.Put(Page(1), "goes");
  map.Put(Page(2), "goes");
  map.DeleteAll(GroupOfHost("host"));
  map.Put(Page(2), "comes");
  const GroupChanges changes = ChangesOf(map, "host");
  EXPECT_TRUE(changes.others_deleted);
  EXPECT_EQ(changes.rows.size(), 1U);
  for (std::uint32_t number = 0; number < kMostLatestPages; ++number) {
    EXPECT_EQ(map.Find(Page(number)), number == 2 ? Found("comes") : kDeleted);
    EXPECT_EQ(changes.Find(static_cast<unsigned char>(number)), map.Find(Page(number)));
  }
}

TEST(GroupMap, LaterChangesComeBehindEarlierOnes) {
  GroupMap map;
  map.Put(Page(1), "earlier");
  map.Put(Page(2), "earlier");
  GroupMap later;
  later.Put(Page(2), "later");
  later.Put(LatestPageKey("other", 5), "later");
  map.PutAll(later);
  EXPECT_EQ(map.Find(Page(1)), Found("earlier"));
  EXPECT_EQ(map.Find(Page(2)), Found("later"));
  EXPECT_FALSE(ChangesOf(map, "host").others_deleted);
  later.Clear();
  later.DeleteAll(GroupOfHost("host"));
  later.Put(Page(3), "latest");
  map.PutAll(later);
  EXPECT_EQ(map.Find(Page(1)), kDeleted);
  EXPECT_EQ(map.Find(Page(3)), Found("latest"));
  EXPECT_TRUE(ChangesOf(map, "host").others_deleted);
  EXPECT_FALSE(ChangesOf(map, "other").others_deleted);
  EXPECT_EQ(map.Find(LatestPageKey("other", 5)), Found("later"));
}

TEST(GroupMap, RowsAreInOrderHoweverTheyCame) {
  GroupMap map;
  for (const std::uint32_t number : {3U, 63U, 1U, 2U}) map.Put(Page(number), "earlier");
  GroupMap later;
  later.Put(Page(2), "replaced");
  later.Put(Page(2), "later");
  map.PutAll(later);
  std::vector<int> numbers;
  for (const GroupChanges::Row& row : ChangesOf(map, "host").rows) {
    numbers.push_back(row.number);
    EXPECT_EQ(row.value, row.number == 2 ? "later" : "earlier");
  }
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 63}));
}

TEST(GroupMap, GroupsAreInTheOrderOfTheirKeys) {
  GroupMap map;
  for (const std::string_view host : {"b", "a", "ab"}) map.Put(LatestPageKey(host, 0), "page");
  std::vector<std::string_view> keys;
  for (const RowMap::Row* const group : map.InOrder()) keys.push_back(group->key());
  EXPECT_EQ(keys,
            (std::vector<std::string_view>{GroupOfHost("a"), GroupOfHost("ab"), GroupOfHost("b")}));
}

// Memory is what decides how often changes are written to files.
TEST(GroupMap, RowsOfAGroupTakeLessThanRowsOfTheirOwn) {
  constexpr std::size_t kHosts = 100;
  const std::string page(50, 'p');
  GroupMap groups;
  RowMap rows;
  for (std::size_t i = 0; i < kHosts * 10; ++i) {
    const std::string host = "www.host" + std::to_string(i % kHosts) + ".example";
    const std::string key = LatestPageKey(host, static_cast<std::uint32_t>(i / kHosts));
    groups.Put(key, page);
    rows.Put(key, page);
  }
  EXPECT_LT(groups.bytes(), rows.bytes() * 3 / 4);
}

}  // namespace
}  // namespace crawlsieve
