#include "plugin/judge/open_marks.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

/// Rows in memory that count how often they are asked for; one key can't be read.
class CountedRows final : public RowReader {
 public:
  Result<RowMap::Value> Row(Table /*table*/, std::string_view key) override {
    ++reads;
    if (key == "broken/0") return MakeError(ErrorCode::kIo, "a bad disk");
    const auto found = rows.find(std::string(key));
    return found == rows.end() ? RowMap::Value() : RowMap::Value(found->second);
  }

  std::map<std::string, std::string> rows;
  int reads = 0;
};

log::Source SourceOf(const std::string& topic, std::int32_t partition) {
  log::Source source;
  source.set_topic(topic);
  source.set_partition(partition);
  return source;
}

state::Mark MarkAt(std::int64_t offset) {
  state::Mark mark;
  mark.set_offset(offset);
  return mark;
}

TEST(OpenMarks, ReadARowOnceAndShowWhatWasSet) {
  CountedRows rows;
  rows.rows["pages/3"] = MarkAt(7).SerializeAsString();
  OpenMarks marks;
  const log::Source source = SourceOf("pages", 3);
  EXPECT_EQ((*marks.Find(rows, source))->offset(), 7);
  marks.Set(source, MarkAt(8));
  EXPECT_EQ((*marks.Find(rows, source))->offset(), 8);
  EXPECT_EQ(rows.reads, 1);
}

TEST(OpenMarks, TellPartitionsAndTopicsApart) {
  CountedRows rows;
  OpenMarks marks;
  EXPECT_EQ(*marks.Find(rows, SourceOf("pages", 3)), nullptr);
  marks.Set(SourceOf("pages", 3), MarkAt(1));
  EXPECT_EQ(*marks.Find(rows, SourceOf("pages", 4)), nullptr);
  EXPECT_EQ(*marks.Find(rows, SourceOf("news", 3)), nullptr);
  EXPECT_EQ((*marks.Find(rows, SourceOf("pages", 3)))->offset(), 1);
}

TEST(OpenMarks, AreWrittenOnceForEachChange) {
  CountedRows rows;
  OpenMarks marks;
  const log::Source source = SourceOf("pages", 0);
  ASSERT_TRUE(marks.Find(rows, source).has_value());
  Changes changes;
  marks.Write(changes);
  EXPECT_FALSE(changes.Find(Table::kMarks, "pages/0").has_value()) << "nothing was set";
  marks.Set(source, MarkAt(1));
  marks.Set(source, MarkAt(2));
  marks.Write(changes);
  EXPECT_EQ(changes.Find(Table::kMarks, "pages/0"), RowMap::Value(MarkAt(2).SerializeAsString()));
  changes.Clear();
  marks.Write(changes);
  EXPECT_FALSE(changes.Find(Table::kMarks, "pages/0").has_value());
  marks.Set(source, MarkAt(3));
  marks.Write(changes);
  EXPECT_EQ(changes.Find(Table::kMarks, "pages/0"), RowMap::Value(MarkAt(3).SerializeAsString()));
}

TEST(OpenMarks, AreReadAgainAfterADiscard) {
  CountedRows rows;
  rows.rows["pages/0"] = MarkAt(7).SerializeAsString();
  OpenMarks marks;
  const log::Source source = SourceOf("pages", 0);
  ASSERT_TRUE(marks.Find(rows, source).has_value());
  marks.Set(source, MarkAt(8));
  marks.Discard();
  EXPECT_EQ((*marks.Find(rows, source))->offset(), 7);
  Changes changes;
  marks.Write(changes);
  EXPECT_FALSE(changes.Find(Table::kMarks, "pages/0").has_value());
}

TEST(OpenMarks, AnErrorOfTheRowsIsReportedEachTime) {
  CountedRows rows;
  OpenMarks marks;
  for (int i = 0; i < 2; ++i) {
    const auto mark = marks.Find(rows, SourceOf("broken", 0));
    ASSERT_FALSE(mark.has_value());
    EXPECT_EQ(mark.error().code, ErrorCode::kIo);
  }
}

}  // namespace
}  // namespace crawlsieve
