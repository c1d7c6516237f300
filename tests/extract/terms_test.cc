#include "extract/terms.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

TokenList Tokenize(std::string_view text) {
  TokenList tokens;
  EXPECT_TRUE(Tokenizer({.max_tokens = 10'000, .max_token_bytes = 256}).Append(text, tokens));
  return tokens;
}

std::string Terms(std::string_view language, std::string_view text,
                  const TermOptions& options = {}) {
  const TokenList tokens = Tokenize(text);
  TokenList terms;
  std::vector<TokenRun> runs;
  TermFinder(options).Find(language, tokens, {{tokens.size(), 1}}, terms, runs);
  EXPECT_EQ(runs.back().end, terms.size());
  return terms.text;
}

TEST(DetectLanguage, KnowsLanguages) {
  const std::pair<const char*, const char*> texts[] = {
      {"en", "The crawler reads every page of the web once, and most of them it has seen before."},
      {"de", "Der Sammler liest jede Seite des Netzes einmal, und die meisten kennt er schon."},
      {"fr", "Le robot lit chaque page de la toile une fois, et il en a déjà vu la plupart."},
      {"ru", "Робот читает каждую страницу сети один раз, и большинство он уже видел."},
      {"el",
       "Το ρομπότ διαβάζει κάθε σελίδα του ιστού μία φορά και τις περισσότερες τις έχει δει."},
      {"tr", "Robot ağdaki her sayfayı bir kez okur ve çoğunu daha önce görmüştür."},
      {"ar", "يقرأ الزاحف كل صفحة من الشبكة مرة واحدة، وقد رأى معظمها من قبل."},
      {"iw", "הזחלן קורא כל דף ברשת פעם אחת, ואת רובם הוא כבר ראה."},
      {"hi", "रोबोट वेब के हर पृष्ठ को एक बार पढ़ता है, और उनमें से अधिकांश वह पहले ही देख चुका है।"},
      {"th", "หุ่นยนต์อ่านทุกหน้าของเว็บเพียงครั้งเดียว และส่วนใหญ่มันเคยเห็นมาแล้ว"},
      {"zh", "爬虫把网络上的每个页面都读一遍，其中大多数它已经见过了。"},
      {"ja",
       "クローラーはウェブのすべてのページを一度だけ読み、そのほとんどはすでに見たものです。"},
      {"ko", "크롤러는 웹의 모든 페이지를 한 번씩 읽으며 대부분은 이미 본 것입니다."}};
  for (const auto& [language, text] : texts) EXPECT_EQ(DetectLanguage(text), language) << text;
}

TEST(DetectLanguage, SaysNothingWhereItIsNotSure) {
  for (const char* text : {"", "42", "qx zw", "a"}) EXPECT_EQ(DetectLanguage(text), "") << text;
}

TEST(TermFinder, StemsAndLeavesStopWordsOut) {
  EXPECT_EQ(Terms("en", "the duplicates of a duplicated page are not running"),
            "duplic duplic page run");
  EXPECT_EQ(Terms("de", "die Seiten und der Seite"), "seit seit");
  EXPECT_EQ(Terms("iw", "של הדף"), "הדף");
  EXPECT_EQ(Terms("zh", "我们 的 网络"), "我们 网络");
}

TEST(TermFinder, DoesWhatTheOptionsSay) {
  const std::string text = "the duplicates";
  EXPECT_EQ(Terms("en", text, {.stop_words = true, .stem = false}), "duplicates");
  EXPECT_EQ(Terms("en", text, {.stop_words = false, .stem = true}), "the duplic");
  EXPECT_EQ(Terms("en", text, {.stop_words = false, .stem = false}), text);
}

TEST(TermFinder, LeavesTextOfUnknownLanguageAsItIs) {
  EXPECT_EQ(Terms("", "the duplicates"), "the duplicates");
  EXPECT_EQ(Terms("xx", "the duplicates"), "the duplicates");
}

TEST(TermFinder, KeepsStopWordsWhereNothingElseIs) {
  EXPECT_EQ(Terms("en", "to be or not to be"), "to be or not to be");
}

TEST(TermFinder, CarriesWeightsOver) {
  const TokenList tokens = Tokenize("the title of pages the page");
  TokenList terms;
  std::vector<TokenRun> runs;
  TermFinder({}).Find("en", tokens, {{3, 5}, {3, 4}, {6, 1}}, terms, runs);
  EXPECT_EQ(terms.text, "titl page page");
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].end, 1U);
  EXPECT_EQ(runs[0].weight, 5U);
  EXPECT_EQ(runs[1].end, 1U);
  EXPECT_EQ(runs[2].end, 3U);
}

TEST(TermFinder, FindsTheSameWhateverItRemembers) {
  // More words than it remembers, in two languages, twice.
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "words" + std::to_string(i * 7919 % 60'000) + "ings ";
  const TokenList tokens = [&] {
    TokenList list;
    EXPECT_TRUE(Tokenizer({.max_tokens = 100'000, .max_token_bytes = 256}).Append(text, list));
    return list;
  }();
  TermFinder used({});
  TokenList first;
  TokenList again;
  std::vector<TokenRun> runs;
  used.Find("en", tokens, {{tokens.size(), 1}}, first, runs);
  used.Find("de", tokens, {{tokens.size(), 1}}, again, runs);
  EXPECT_NE(first.text, again.text);
  TokenList afresh;
  TermFinder({}).Find("de", tokens, {{tokens.size(), 1}}, afresh, runs);
  EXPECT_EQ(again.text, afresh.text);
  used.Find("en", tokens, {{tokens.size(), 1}}, again, runs);
  EXPECT_EQ(first.text, again.text);
}

TEST(TermFinder, TakesLongWordsAsTheyAre) {
  const std::string word(200, 'e');
  EXPECT_EQ(Terms("en", word + " pages"), word + " page");
}

TEST(DescribeTerms, NamesAllThatDecides) {
  EXPECT_NE(DescribeTerms({}), DescribeTerms({.stop_words = false}));
  EXPECT_NE(DescribeTerms({}), DescribeTerms({.stem = false}));
  EXPECT_NE(DescribeTerms({}).find("probe="), std::string::npos);
}

}  // namespace
}  // namespace crawlsieve::extract
