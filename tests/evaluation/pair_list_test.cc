#include "evaluation/pair_list.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MarkDifferences, MarksTheWordsOfOneSideAndEscapesThem) {
  const MarkedTexts texts = MarkDifferences("same x<y same", "same z same");
  EXPECT_EQ(texts.a, "same <mark>x&lt;y </mark>same ");
  EXPECT_EQ(texts.b, "same <mark>z </mark>same ");
}

TEST(MarkDifferences, CutsLongRuns) {
  std::string same;
  for (int i = 0; i < 100; ++i) same += "w" + std::to_string(i) + ' ';
  const std::string text = MarkDifferences(same + "x", same + "y").a;
  EXPECT_THAT(text, HasSubstr("w7 &hellip; w92 "));
  EXPECT_THAT(text, Not(HasSubstr("w50")));
}

TEST(MarkDifferences, IsBoundedWhateverTheTexts) {
  std::string a;
  std::string b;
  for (int i = 0; i < 20'000; ++i) {
    const std::string number = std::to_string(i);
    a += "\"\"\"\"\"\"\"\"" + number + ' ';
    b += (i % 3 == 0 ? "\"\"\"\"\"\"\"\"" : "''''''''") + number + ' ';
  }
  for (const auto& [x, y] : {std::pair(a, b), std::pair(a, std::string()),
                             std::pair(std::string(1'000'000, '"'), std::string(900'000, '&')),
                             std::pair(std::string(), std::string())}) {
    const MarkedTexts texts = MarkDifferences(x, y);
    EXPECT_LE(texts.a.size(), MarkedTexts::kMaxSideBytes);
    EXPECT_LE(texts.b.size(), MarkedTexts::kMaxSideBytes);
  }
}

TEST(EvalName, IsTheIdOrElseTheUrlThatALineCanHold) {
  EXPECT_EQ(EvalName("id", "http://a.example/"), "id");
  EXPECT_EQ(EvalName("", "http://a.example/"), "http://a.example/");
  for (const std::string& id :
       {std::string("a\tb"), std::string("a\nb"), std::string("#a"), std::string("\xFF"),
        std::string("\xE2\x80\xAE"), std::string(501, 'x'), std::string("a\0b", 3)}) {
    EXPECT_EQ(EvalName(id, "http://a.example/"), "http://a.example/") << id;
    EXPECT_EQ(EvalName(id, id), "") << id;
  }
}

TEST(PairList, ShowsNamesAndKindsAsTextAndLabelsWhatHasNames) {
  const std::string evil = "\"><script>alert(1)</script>";
  const std::vector<ShownPair> pairs{{.a = {evil + "1", evil + "1", "<i>one</i> same"},
                                      .b = {evil + "2", evil + "2", "<i>two</i> same"},
                                      .heading = evil,
                                      .kind = evil,
                                      .distance = 1,
                                      .similarity = 0.9,
                                      .length = "   20 to 99 words"},
                                     {.a = {"b", "", ""},
                                      .b = {"c", "c", ""},
                                      .heading = "h",
                                      .kind = "k",
                                      .distance = 12,
                                      .length = " 2000 words or more",
                                      .without_text = evil}};
  const std::string html = PairList(pairs, /*with_labels=*/true);
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<i>"))));
  EXPECT_THAT(html, HasSubstr("<mark>&lt;i&gt;one&lt;/i&gt; </mark>same "));
  EXPECT_THAT(html, HasSubstr("data-a=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;1\""));
  EXPECT_THAT(html, HasSubstr("Can't be labelled"));
}

TEST(PairList, OffersEachValueOnceInItsOrder) {
  const auto pair = [](int distance, std::string length) {
    return ShownPair{.kind = "k", .distance = distance, .length = std::move(length)};
  };
  const std::vector<ShownPair> pairs{pair(10, "  500 to 1999 words"), pair(2, "   20 to 99 words"),
                                     pair(2, "  500 to 1999 words")};
  const std::string html = PairList(pairs, /*with_labels=*/false);
  EXPECT_THAT(html, HasSubstr("<option value=\"2\">2</option><option value=\"10\">10</option>"));
  EXPECT_THAT(html, HasSubstr("<option value=\"20 to 99 words\">20 to 99 words</option>"
                              "<option value=\"500 to 1999 words\">"));
  EXPECT_THAT(html, Not(HasSubstr("data-label")));
  EXPECT_THAT(PairList({}, true), HasSubstr("None"));
}

}  // namespace
}  // namespace crawlsieve::consumer
