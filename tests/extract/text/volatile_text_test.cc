#include "extract/text/volatile_text.h"

#include "extract/extractor.h"

#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

/// What is left of a text, with single spaces.
std::string Rest(std::string_view text, const VolatileOptions& options = {}) {
  std::string buffer;
  std::string rest;
  for (const char c : VolatileText(options).Remove(text, buffer)) {
    if (c != ' ' || (!rest.empty() && rest.back() != ' ')) rest += c;
  }
  if (!rest.empty() && rest.back() == ' ') rest.pop_back();
  return rest;
}

/// All in one: making the patterns takes longer than using them.
class VolatileTextCase : public ::testing::Test {
 protected:
  static void ExpectGone(std::initializer_list<const char*> texts) {
    const VolatileText volatile_text{VolatileOptions{}};
    for (const char* text : texts) {
      std::string buffer;
      const std::string page = "start " + std::string(text) + " end";
      std::string rest;
      for (const char c : volatile_text.Remove(page, buffer)) {
        if (c != ' ' || rest.back() != ' ') rest += c;
      }
      EXPECT_EQ(rest, "start end") << text;
    }
  }

  static void ExpectKept(std::initializer_list<const char*> texts) {
    const VolatileText volatile_text{VolatileOptions{}};
    for (const char* text : texts) {
      std::string buffer;
      EXPECT_EQ(volatile_text.Remove(text, buffer), text);
    }
  }
};

using VolatileTextRemoves = VolatileTextCase;

TEST_F(VolatileTextRemoves, DatesAndTimesOfStandards) {
  ExpectGone({"2026-09-24", "2026-09-24T10:15:00Z", "2026-09-24T10:15:00.123+02:00",
              "2026-09-24 10:15", "20260924T101500Z", "2026/9/24", "24.09.2026", "24/9/26",
              "9-24-2026", "10:15", "10:15:30", "10:15 pm", "10:15 p.m.", "3 pm", "23:59 UTC",
              "14h30"});
}

TEST_F(VolatileTextRemoves, DatesOfManyLanguages) {
  ExpectGone({"September 24, 2026",
              "Sep 24th",
              "24th of September 2026",
              "Thursday, 24 September",
              "September 2026",
              "24. September 2026",
              "Donnerstag, 24. September 2026, 10:15 Uhr",
              "24 septembre 2026",
              "jeudi 24 septembre 2026 à 10:15",
              "24 de septiembre de 2026",
              "24 settembre 2026",
              "24 de setembro de 2026",
              "24 september 2026",
              "24 września 2026",
              "24 сентября 2026 г.",
              "24 сент. 2026",
              "24 Σεπτεμβρίου 2026",
              "24 Eylül 2026",
              "24 سبتمبر 2026",
              "٢٤ سبتمبر ٢٠٢٦",
              "24 בספטמבר 2026",
              "24 सितंबर 2026",
              "24 กันยายน 2569",
              "2026年9月24日",
              "2026年9月24日 10:15",
              "9月24日",
              "2026년 9월 24일",
              "2026년 9월 24일 오전 10:15",
              "오후 3시 20분",
              "10時15分"});
}

TEST_F(VolatileTextRemoves, RelativeTimesOfManyLanguages) {
  ExpectGone({"3 hours ago",     "1 minute ago",  "12d ago",       "vor 3 Stunden",
              "il y a 3 heures", "hace 3 horas",  "há 3 horas",    "3 ore fa",
              "3 uur geleden",   "3 часа назад",  "5 минут назад", "3 saat önce",
              "πριν από 3 ώρες", "منذ 3 ساعات",   "לפני 3 שעות",   "3 घंटे पहले",
              "3 ชั่วโมงที่แล้ว",     "3小时前",       "3分钟前",       "3時間前",
              "3시간 전",        "3 godziny temu"});
}

TEST_F(VolatileTextRemoves, CountersOfManyLanguages) {
  ExpectGone(
      {"1,234 views",    "12 comments",     "3.5k likes",     "Views: 1234",     "Comments (12)",
       "1.234 Aufrufe",  "12 Kommentare",   "1 234 vues",     "12 commentaires", "12 comentarios",
       "1234 просмотра", "12 комментариев", "12 σχόλια",      "12 yorum",        "12 تعليق",
       "12 תגובות",      "12 टिप्पणियां",     "เข้าชม 123 ครั้ง",  "1234次浏览",      "12条评论",
       "阅读量：1234",   "1234回視聴",      "12件のコメント", "조회수 1234",     "댓글 12"});
}

TEST_F(VolatileTextRemoves, IdsFootersAndTimesOfGeneration) {
  ExpectGone({"Session ID: a8f3k2x9", "session=0a1b2c3d4e", "Ray ID: 7f3b2c1d0e9f8a7b",
              "550e8400-e29b-41d4-a716-446655440000", "d41d8cd98f00b204e9800998ecf8427e", "© 2026",
              "Copyright © 2019-2026", "(c) 2026", "Page generated in 0.123 seconds.",
              "Seite generiert in 12 ms", "générée en 0,12 s", "сгенерирована за 0.12 сек",
              "42 queries in 0.31 seconds"});
}

using VolatileTextKeeps = VolatileTextCase;

TEST_F(VolatileTextKeeps, NumbersThatMeanSomething) {
  ExpectKept({"version 2.0.1 of 12 programs", "in 1984 he wrote", "C++20 and x86-64",
              "call 555 010 9999", "a ratio of 3:1", "chapter 12", "A4 paper, 80 g",
              "the 12 apostles", "v1.2.2026b", "x3 hours agony", "costs $ 12.50", "H2O", ""});
}

TEST_F(VolatileTextKeeps, TextWithoutDigitsAsItIs) {
  const VolatileText volatile_text{VolatileOptions{}};
  std::string buffer;
  const std::string text = "May comes in spring; views differ.";
  EXPECT_EQ(volatile_text.Remove(text, buffer).data(), text.data());
}

TEST(VolatileText, TakesPricesOutOnRequest) {
  VolatileOptions options;
  options.prices = true;
  EXPECT_EQ(Rest("now $ 12.50 or 1.299,00 € or 99 руб. or 1200円 only", options),
            "now or or or only");
}

TEST(VolatileText, TakesOutWhatTheUserNames) {
  VolatileOptions options;
  options.patterns = {"Build [a-z]+", "x*"};  // the second matches the empty string
  EXPECT_EQ(Rest("Build abc is xx here", options), "is here");
  options.enabled = false;
  EXPECT_EQ(Rest("Build abc of 2026-09-24", options), "of 2026-09-24");
  EXPECT_EQ(PatternProblem("a+"), "");
  EXPECT_NE(PatternProblem("a("), "");
}

TEST(VolatileText, KeepsAllThatIsFarFromDigits) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "wörd ";
  EXPECT_EQ(Rest(text + "2026-09-24 " + text + "10:15 end"),
            Rest(text + text, {.enabled = false}) + " end");
}

TEST(VolatileText, MakesPagesThatDifferInItExactDuplicates) {
  const auto page = [](const std::string& date, const std::string& counter, const std::string& id) {
    Page made;
    made.url = "https://example.org/";
    made.content_type = "text/html";
    made.body = "<title>A page</title><h1>Headline</h1><p>Published " + date + ", " + counter +
                " views</p><p>";
    for (int i = 0; i < 60; ++i) made.body += "the words of the article go on and on ";
    made.body += "</p><p>Session ID: " + id + "</p>";
    return made;
  };
  Extractor extractor({}, FeatureHasher("key"));
  const Document one = extractor.Extract(page("24 September 2026, 10:15", "1,234", "a1b2c3d4"));
  const Document two = extractor.Extract(page("2 October 2026, 9:03 am", "7", "zz81kd92x"));
  EXPECT_EQ(one.normalized_text, two.normalized_text);
  EXPECT_EQ(one.features, two.features);
}

TEST(VolatileText, TakesLinearTimeWhateverTheText) {
  VolatileOptions options;
  options.patterns = {"a.*b", "(x+x+)+y"};
  const VolatileText volatile_text(options);
  for (const char* piece : {"1 ", "a1", "12:", "2026-", "1,", "9月", "x", "a", "0a"}) {
    std::string text;
    while (text.size() < (1 << 18)) text += piece;
    std::string buffer;
    EXPECT_LE(volatile_text.Remove(text, buffer).size(), text.size());
  }
}

TEST(DescribeVolatileText, NamesAllThatDecides) {
  const std::string description = DescribeVolatileText({});
  EXPECT_NE(description, DescribeVolatileText({.enabled = false}));
  EXPECT_NE(description, DescribeVolatileText({.prices = true}));
  EXPECT_NE(DescribeVolatileText({.patterns = {"a", "b"}}),
            DescribeVolatileText({.patterns = {"a 1:b"}}));
}

}  // namespace
}  // namespace crawlsieve::extract
