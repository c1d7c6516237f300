#include "evaluation/what_if.h"

#include "plugin/index/flat_index.h"
#include "tests/support/memory_reader.h"
#include "tests/support/temporary_directory.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using ::testing::HasSubstr;

std::string Words(int first, int count) {
  std::string text;
  for (int i = first; i < first + count; ++i) text += "word" + std::to_string(i) + ' ';
  return text;
}

PageSet Load() {
  crawlsieve::testing::MemoryReader reader;
  const auto add = [&reader](const std::string& id, const std::string& text) {
    FileRecord record;
    record.format = FormatKind::kCanonical;
    record.record.value =
        nlohmann::json{{"id", id}, {"url", "http://a.example/" + id}, {"text", text}}.dump();
    reader.Add(std::move(record));
  };
  add("base", Words(0, 400));
  add("copy", Words(0, 400));
  add("counter", Words(0, 400) + "12345");
  add("other", Words(2000, 400));
  add("short", "a few words");
  auto pages = PageSet::Load(reader, ProcessorOptions(), 1, true);
  EXPECT_TRUE(pages.has_value());
  return std::move(*pages);
}

TEST(WhatIf, CountsWhatEachSettingDropsAndSamplesPairs) {
  const crawlsieve::testing::TemporaryDirectory directory;
  const PageSet pages = Load();
  const auto what_if = AskWhatIf(
      pages, JudgeParameters(),
      [](int) -> Result<std::unique_ptr<HammingIndex>> { return std::make_unique<FlatIndex>(); },
      {.samples_per_distance = 2, .directory = directory.path()});
  ASSERT_TRUE(what_if.has_value()) << what_if.error().message;
  EXPECT_EQ(what_if->pages, 5U);
  EXPECT_EQ(what_if->dropped, 2U) << "the copy and the one with the counter";
  ASSERT_EQ(what_if->over_distance.size(), 8U);
  EXPECT_EQ(what_if->over_distance.at(6).dropped, 2U);
  ASSERT_EQ(what_if->over_similarity.size(), 11U);
  EXPECT_EQ(what_if->over_similarity.at(7).dropped, 2U);
  EXPECT_EQ(what_if->over_similarity.at(10).dropped, 1U) << "an exact duplicate needs no sketch";
  ASSERT_EQ(what_if->samples.size(), 1U);
  EXPECT_TRUE(what_if->samples[0].dropped);
  EXPECT_EQ(pages.pages()[what_if->samples[0].later].entry.id(), "counter");
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));

  EXPECT_THAT(WhatIfText(*what_if, pages), HasSubstr("5 pages, 2 dropped (40.0 %)"));
  EXPECT_THAT(WhatIfReport(*what_if, pages), HasSubstr("<mark>12345 </mark>"));
  EXPECT_EQ(nlohmann::json::parse(WhatIfJson(*what_if, pages))["drop_rate"], 0.4);
}

TEST(WhatIf, OfNoPagesIsNothing) {
  const crawlsieve::testing::TemporaryDirectory directory;
  const auto what_if = AskWhatIf(
      PageSet(), JudgeParameters(),
      [](int) -> Result<std::unique_ptr<HammingIndex>> { return std::make_unique<FlatIndex>(); },
      {.samples_per_distance = 1, .directory = directory.path()});
  ASSERT_TRUE(what_if.has_value());
  EXPECT_EQ(what_if->dropped, 0U);
  EXPECT_TRUE(what_if->samples.empty());
}

}  // namespace
}  // namespace crawlsieve::consumer
