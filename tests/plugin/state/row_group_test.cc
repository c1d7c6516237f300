#include "plugin/state/row_group.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using Members = std::map<unsigned char, std::string>;

Members MembersOf(std::string_view bytes) {
  const std::optional<RowGroup> decoded = RowGroup::Decode(bytes);
  EXPECT_TRUE(decoded.has_value());
  const RowGroup group = decoded.value_or(RowGroup());
  Members members;
  for (const RowGroup::Member& member : group.members()) {
    members.emplace(static_cast<unsigned char>(member.last_byte), member.value);
  }
  return members;
}

std::string Encode(const Members& members) {
  RowGroup group;
  for (const auto& [last_byte, value] : members) group.Put(static_cast<char>(last_byte), value);
  return group.Encode();
}

/// What RocksDB reads where `operands` were merged into a row, or into none; nullopt: it can't.
std::optional<std::string> FullMerge(const rocksdb::Slice* row,
                                     const std::vector<rocksdb::Slice>& operands) {
  std::string merged;
  rocksdb::Slice unused;
  rocksdb::MergeOperator::MergeOperationOutput out(merged, unused);
  const rocksdb::MergeOperator::MergeOperationInput in("key", row, operands, nullptr);
  return MergeOfRowGroups()->FullMergeV2(in, &out) ? std::optional(merged) : std::nullopt;
}

TEST(RowGroup, HasTheMembersThatWerePut) {
  const std::string long_value(70'000, 'x');
  RowGroup group;
  EXPECT_EQ(group.Encode(), "");
  group.Put('\xff', "last");
  group.Put('b', long_value);
  group.Put('\0', "");
  group.Put('b', "replaced");
  group.Put('c', long_value);
  group.Put('d', "gone");
  group.Remove('d');
  group.Remove('e');
  EXPECT_EQ(group.Find('b'), "replaced");
  EXPECT_EQ(group.Find('d'), std::nullopt);
  EXPECT_EQ(MembersOf(group.Encode()),
            (Members{{0, ""}, {'b', "replaced"}, {'c', long_value}, {255, "last"}}));
}

TEST(RowGroup, EncodesLastByteLengthAndValueByLastByte) {
  EXPECT_EQ(Encode({{200, "xyz"}, {7, std::string(300, 'v')}}),
            "\x07\xac\x02" + std::string(300, 'v') + "\xc8\x03xyz");
}

TEST(RowGroup, RefusesWhatEncodeDoesNotGive) {
  const std::string whole = Encode({{1, "one"}, {2, std::string(200, 'v')}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const bool ends_with_member = size == 0 || size == 5;
    EXPECT_EQ(RowGroup::Decode(whole.substr(0, size)).has_value(), ends_with_member) << size;
  }
  EXPECT_FALSE(RowGroup::Decode(Encode({{2, "a"}}) + Encode({{1, "b"}})).has_value());
  EXPECT_FALSE(RowGroup::Decode(Encode({{2, "a"}}) + Encode({{2, "b"}})).has_value());
  EXPECT_FALSE(RowGroup::Decode("\1\xff\xff\xff\xff\x0f").has_value());
  EXPECT_FALSE(RowGroup::Decode("\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").has_value());
}

// However RocksDB takes them together, as long as it keeps their order.
TEST(MergeOfRowGroups, PutsMembersInTheOrderInWhichTheyCame) {
  constexpr std::uint64_t kSeed = 20261127;
  const auto merge = MergeOfRowGroups();
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " + std::to_string(round));
    Members expected;
    std::vector<std::string> operands;
    for (std::uint64_t i = 0, count = 1 + random() % 8; i < count; ++i) {
      Members members;
      for (std::uint64_t j = 0, size = random() % 6; j < size; ++j) {
        members[static_cast<unsigned char>(random() % 2 == 0 ? random() % 8 : random())] =
            std::string(random() % 200, static_cast<char>('a' + i));
      }
      operands.push_back(Encode(members));
      for (const auto& [last_byte, value] : members) expected[last_byte] = value;
    }
    while (operands.size() > 1 && random() % 3 != 0) {
      const std::size_t first = random() % (operands.size() - 1);
      std::string merged;
      const std::size_t count = 2 + random() % (operands.size() - first - 1);
      const std::deque<rocksdb::Slice> some(
          operands.begin() + static_cast<std::ptrdiff_t>(first),
          operands.begin() + static_cast<std::ptrdiff_t>(first + count));
      ASSERT_TRUE(count == 2 ? merge->PartialMerge("key", some[0], some[1], &merged, nullptr)
                             : merge->PartialMergeMulti("key", some, &merged, nullptr));
      operands[first] = merged;
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(first + 1),
                     operands.begin() + static_cast<std::ptrdiff_t>(first + count));
    }
    std::vector<rocksdb::Slice> left(operands.begin(), operands.end());
    const rocksdb::Slice row = left.front();
    const bool has_row = random() % 2 == 0;
    if (has_row) left.erase(left.begin());
    const std::optional<std::string> merged = FullMerge(has_row ? &row : nullptr, left);
    ASSERT_TRUE(merged.has_value());
    EXPECT_EQ(MembersOf(*merged), expected);
  }
}

TEST(MergeOfRowGroups, RefusesWhatIsNoGroup) {
  const auto merge = MergeOfRowGroups();
  const std::string good = Encode({{1, "one"}});
  std::string merged;
  const rocksdb::Slice bad("\1\5x");
  const rocksdb::Slice fine(good);
  EXPECT_EQ(FullMerge(&bad, {fine}), std::nullopt);
  EXPECT_EQ(FullMerge(&fine, {bad}), std::nullopt);
  EXPECT_FALSE(merge->PartialMerge("key", fine, bad, &merged, nullptr));
  EXPECT_FALSE(merge->PartialMergeMulti("key", {fine, fine, bad}, &merged, nullptr));
}

}  // namespace
}  // namespace crawlsieve
