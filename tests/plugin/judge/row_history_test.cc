#include "plugin/judge/row_history.h"

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
