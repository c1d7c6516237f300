#include "plugin/judge/row_history.h"

#include "plugin/state/latest_page_key.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

constexpr Table kTable = Table::kUrls;

class RowHistoryTest : public ::testing::Test {
 protected:
  void SetUp() override { changes_.SetListener(&history_); }

  /// What is told of the row behind an entry: its value, or why there is none.
  [[nodiscard]] std::string Behind(std::uint64_t entry, const std::string& key = "a") const {
    const auto before = history_.Find(kTable, key, entry);
    if (!before.has_value()) return "as it is now";
    if (!before->has_value()) return "unchanged";
    return (*before)->has_value() ? std::string(***before) : "deleted";
  }

  RowHistory history_;
  Changes changes_;
};

TEST_F(RowHistoryTest, HasARowAsItWasBehindEachEntry) {
  history_.BeginEntry(3);
  changes_.Put(kTable, "a", "third");
  history_.BeginEntry(5);
  changes_.Delete(kTable, "a");
  history_.BeginEntry(8);
  changes_.Put(kTable, "a", "eighth");
  EXPECT_EQ(Behind(2), "unchanged");
  EXPECT_EQ(Behind(3), "third");
  EXPECT_EQ(Behind(4), "third");
  EXPECT_EQ(Behind(5), "deleted");
  EXPECT_EQ(Behind(7), "deleted");
  EXPECT_EQ(Behind(8), "as it is now");
}

TEST_F(RowHistoryTest, OfAnEntrysChangesTheFirstCounts) {
  changes_.Put(kTable, "a", "first");
  history_.BeginEntry(2);
  changes_.Put(kTable, "a", "one");
  changes_.Put(kTable, "a", "another");
  EXPECT_EQ(Behind(1), "first");
  EXPECT_EQ(Behind(2), "as it is now");
}

TEST_F(RowHistoryTest, KeepsAValueThatIsOverwrittenInItsPlace) {
  changes_.Put(kTable, "a", "a value that is longer than a string keeps in itself");
  history_.BeginEntry(2);
  changes_.Put(kTable, "a", "short");
  EXPECT_EQ(Behind(1), "a value that is longer than a string keeps in itself");
}

TEST_F(RowHistoryTest, TellsTablesAndRowsApart) {
  history_.BeginEntry(1);
  changes_.Put(Table::kHosts, "a", "of another table");
  changes_.Put(kTable, "b", "of another row");
  EXPECT_EQ(Behind(0), "as it is now");
  EXPECT_EQ(Behind(0, "b"), "unchanged");
}

TEST_F(RowHistoryTest, HasLatestPagesThatWentTogether) {
  const std::string host = "h.example";
  const auto behind = [&](std::uint64_t entry, std::uint32_t number) {
    const auto before = history_.Find(Table::kHosts, LatestPageKey(host, number), entry);
    if (!before.has_value()) return std::string("as it is now");
    if (!before->has_value()) return std::string("unchanged");
    return (*before)->has_value() ? std::string(***before) : std::string("deleted");
  };
  history_.BeginEntry(1);
  changes_.Put(Table::kHosts, LatestPageKey(host, 0), "first");
  history_.BeginEntry(2);
  changes_.DeleteLatestPages(host);
  history_.BeginEntry(3);
  changes_.Put(Table::kHosts, LatestPageKey(host, 0), "third");
  EXPECT_EQ(behind(0, 0), "unchanged");
  EXPECT_EQ(behind(1, 0), "first");
  EXPECT_EQ(behind(2, 0), "deleted");
  EXPECT_EQ(behind(3, 0), "as it is now");
  EXPECT_EQ(behind(1, 1), "unchanged");  // it may be in the store
  EXPECT_EQ(behind(2, 1), "as it is now");
}

TEST_F(RowHistoryTest, IsToldOfNothingOnceNobodyListens) {
  history_.BeginEntry(1);
  changes_.SetListener(nullptr);
  changes_.Put(kTable, "a", "unheard");
  EXPECT_EQ(Behind(0), "as it is now");
}

TEST_F(RowHistoryTest, ForgetsAll) {
  history_.BeginEntry(1);
  changes_.Put(kTable, "a", "first");
  history_.Clear();
  EXPECT_EQ(Behind(0), "as it is now");
}

}  // namespace
}  // namespace crawlsieve
