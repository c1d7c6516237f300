#include "extract/text/relative_time.h"

#include "extract/extractor.h"

#include <cstddef>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

TEST(IsRelativeTime, KnowsWhatIsWrittenWithoutNumbers) {
  for (const char* block : {"yesterday",
                            "Just now",
                            "an hour ago",
                            "LAST WEEK",
                            "gestern",
                            "vor einer Stunde",
                            "Vorgestern",
                            "hier",
                            "il y a une heure",
                            "ayer",
                            "hace una hora",
                            "ieri",
                            "un'ora fa",
                            "ontem",
                            "há uma hora",
                            "gisteren",
                            "een uur geleden",
                            "wczoraj",
                            "godzinę temu",
                            "Вчера",
                            "час назад",
                            "χθες",
                            "πριν από μία ώρα",
                            "dün",
                            "bir saat önce",
                            "أمس",
                            "قبل ساعتين",
                            "אתמול",
                            "לפני שעה",
                            "एक घंटे पहले",
                            "เมื่อวาน",
                            "kemarin",
                            "昨天",
                            "刚刚",
                            "昨日",
                            "어제",
                            "· Yesterday ·",
                            "(an hour ago)",
                            "gestern,"}) {
    EXPECT_TRUE(IsRelativeTime(block)) << block;
  }
}

TEST(IsRelativeTime, KnowsEachPhraseBetweenSignsOfAnyScript) {
  std::istringstream phrases(DescribeRelativeTimes());
  std::size_t count = 0;
  for (std::string phrase; std::getline(phrases, phrase); ++count) {
    EXPECT_TRUE(IsRelativeTime(phrase)) << phrase;
    EXPECT_TRUE(IsRelativeTime("- " + phrase + " |")) << phrase;
    EXPECT_TRUE(IsRelativeTime("（« " + phrase + "。»")) << phrase;
    EXPECT_FALSE(IsRelativeTime("я" + phrase)) << phrase;
  }
  EXPECT_GT(count, 200U);
}

TEST(IsRelativeTime, IsAboutWholeBlocks) {
  for (const char* block :
       {"", "-", "She left an hour ago", "yesterday's news", "Yesterday and today", "an hour",
        "hour ago", "3 hours ago", "昨天下雨", "hierher", "Heute im Bundestag"}) {
    EXPECT_FALSE(IsRelativeTime(block)) << block;
  }
  EXPECT_FALSE(IsRelativeTime("yesterday" + std::string(1'000'000, 'y')));
}

TEST(Extractor, LeavesBlocksOutThatAreRelativeTimes) {
  const auto extract = [](const std::string& time, bool enabled) {
    Page page;
    page.url = "https://example.org/";
    page.content_type = "text/html";
    page.body = "<title>t</title><p>Robots read the web.</p><p>" + time +
                "</p><p>They left an hour ago.</p>";
    ExtractOptions options;
    options.features.volatile_text.enabled = enabled;
    return Extractor(options, FeatureHasher("key")).Extract(page).normalized_text;
  };
  EXPECT_EQ(extract("Yesterday", true), "t robots read the web they left an hour ago");
  EXPECT_EQ(extract("vor einer Stunde", true), extract("just now", true));
  EXPECT_EQ(extract("Yesterday", false), "t robots read the web yesterday they left an hour ago");
}

}  // namespace
}  // namespace crawlsieve::extract
