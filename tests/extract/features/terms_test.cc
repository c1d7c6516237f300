#include "extract/features/terms.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

TokenList Tokenize(std::string_view text) {
  TokenList tokens;
  EXPECT_TRUE(Tokenizer({.max_tokens = 10'000, .max_token_bytes = 256}).Append(text, tokens));
  return tokens;
}

std::vector<Feature> Find(TermFinder& finder, std::string_view language, const TokenList& tokens) {
  std::vector<Feature> terms;
  finder.Find(language, tokens, {{tokens.size(), 1}}, terms);
  return terms;
}

/// What words become: the terms with these hashes.
std::vector<Feature> HashesOf(const std::vector<std::string>& words) {
  std::vector<Feature> terms;
  for (const std::string& word : words) terms.push_back({FeatureHasher("key").Hash(word), 1});
  return terms;
}

std::vector<Feature> Terms(std::string_view language, std::string_view text,
                           const TermOptions& options = {}) {
  TermFinder finder(options, FeatureHasher("key"));
  return Find(finder, language, Tokenize(text));
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
  for (const auto& [language, text] : texts) EXPECT_EQ(DetectLanguage(text, ""), language) << text;
}

TEST(DetectLanguage, SaysNothingWhereItIsNotSure) {
  for (const char* text : {"", "42", "qx zw", "a"}) EXPECT_EQ(DetectLanguage(text, ""), "") << text;
}

TEST(DetectLanguage, TakesNobodysWordForIt) {
  const std::string german =
      "Der Sammler liest jede Seite des Netzes einmal, und die meisten kennt er schon. Was er "
      "nicht "
      "kennt, liest er von vorn bis hinten, und was sich geändert hat, liest er noch einmal. "
      "Manches liest er nie, weil es hinter einer Tür liegt, die er nicht öffnen darf.";
  ASSERT_GT(german.size(), kShortLanguageSample);
  for (const char* declared : {"", "de", "DE-at", "de_CH", "en", "dexx", "d", "zh-Hant", "\xFF"}) {
    EXPECT_EQ(DetectLanguage(german, declared), "de") << declared;
  }
}

TEST(DetectLanguage, LooksAtMoreWhereTheBeginningIsNotWhatIsDeclared) {
  // An English beginning of a German text.
  std::string text =
      "This page was made by a machine that nobody had asked for anything, and so it begins with "
      "words that nobody needs, in a language that the rest of it is not in. ";
  ASSERT_LT(text.size(), kLanguageSample / 3);
  while (text.size() < kLanguageSample) {
    text += "Der Sammler liest jede Seite des Netzes einmal, und die meisten kennt er schon. ";
  }
  EXPECT_EQ(DetectLanguage(text, "en"), "en");
  EXPECT_NE(DetectLanguage(text, "de"), "en");
  EXPECT_EQ(DetectLanguage(text, "de"), DetectLanguage(text, ""));
}

TEST(TermFinder, StemsAndLeavesStopWordsOut) {
  EXPECT_EQ(Terms("en", "the duplicates of a duplicated page are not running"),
            HashesOf({"duplic", "duplic", "page", "run"}));
  EXPECT_EQ(Terms("de", "die Seiten und der Seite"), HashesOf({"seit", "seit"}));
  EXPECT_EQ(Terms("iw", "של הדף"), HashesOf({"הדף"}));
  EXPECT_EQ(Terms("zh", "我们 的 网络"), HashesOf({"我们", "网络"}));
}

TEST(TermFinder, DoesWhatTheOptionsSay) {
  const std::string text = "the duplicates";
  EXPECT_EQ(Terms("en", text, {.stop_words = true, .stem = false}), HashesOf({"duplicates"}));
  EXPECT_EQ(Terms("en", text, {.stop_words = false, .stem = true}), HashesOf({"the", "duplic"}));
  EXPECT_EQ(Terms("en", text, {.stop_words = false, .stem = false}),
            HashesOf({"the", "duplicates"}));
}

TEST(TermFinder, LeavesTextOfUnknownLanguageAsItIs) {
  EXPECT_EQ(Terms("", "the duplicates"), HashesOf({"the", "duplicates"}));
  EXPECT_EQ(Terms("xx", "the duplicates"), HashesOf({"the", "duplicates"}));
}

TEST(TermFinder, KeepsStopWordsWhereNothingElseIs) {
  EXPECT_EQ(Terms("en", "to be or not to be"), HashesOf({"to", "be", "or", "not", "to", "be"}));
}

TEST(TermFinder, WeighsTermsByTheRunTheyAreIn) {
  TermFinder finder({}, FeatureHasher("key"));
  std::vector<Feature> terms;
  finder.Find("en", Tokenize("the title of pages the page"), {{3, 5}, {3, 4}, {6, 1}}, terms);
  std::vector<Feature> expected = HashesOf({"titl", "page", "page"});
  expected[0].weight = 5;
  EXPECT_EQ(terms, expected);
}

TEST(TermFinder, FindsTheSameWhateverItRemembers) {
  // More words than it remembers, in two languages, twice.
  std::string text;
  for (int i = 0; i < 90'000; ++i) text += "words" + std::to_string(i * 7919 % 90'000) + "ings ";
  TokenList tokens;
  EXPECT_TRUE(Tokenizer({.max_tokens = 100'000, .max_token_bytes = 256}).Append(text, tokens));
  TermFinder used({}, FeatureHasher("key"));
  const std::vector<Feature> english = Find(used, "en", tokens);
  const std::vector<Feature> german = Find(used, "de", tokens);
  EXPECT_NE(english, german);
  TermFinder afresh({}, FeatureHasher("key"));
  EXPECT_EQ(german, Find(afresh, "de", tokens));
  EXPECT_EQ(english, Find(used, "en", tokens));
}

TEST(TermFinder, HashesWhatTermOfSays) {
  TermFinder finder({}, FeatureHasher("key"));
  const TokenList tokens = Tokenize("the pages that a crawler had fetched were read once again");
  for (const char* language : {"en", "de", "ru", "ja", ""}) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string term = finder.TermOf(language, tokens.Span(i, 1));
      if (!term.empty()) words.push_back(term);
    }
    EXPECT_EQ(Find(finder, language, tokens), HashesOf(words)) << language;
  }
}

TEST(TermFinder, TakesLongWordsAsTheyAre) {
  const std::string word(200, 'e');
  EXPECT_EQ(Terms("en", word + " pages"), HashesOf({word, "page"}));
}

TEST(DescribeTerms, NamesAllThatDecides) {
  EXPECT_NE(DescribeTerms({}), DescribeTerms({.stop_words = false}));
  EXPECT_NE(DescribeTerms({}), DescribeTerms({.stem = false}));
  EXPECT_NE(DescribeTerms({}).find("probe="), std::string::npos);
}

}  // namespace
}  // namespace crawlsieve::extract
