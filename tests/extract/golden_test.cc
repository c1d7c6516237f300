// What extraction makes of pages in several scripts, pinned. When one of these fails after an
// upgrade of ICU, Gumbo or the compiler, fingerprints have changed: that is a new scheme (raise
// the version in DescribeExtraction if nothing else there did change), never just a new
// expectation.

#include "extract/extractor.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

struct Golden {
  const char* name;
  std::string_view body;
  std::string_view normalized_text;
  std::uint32_t text_length;
};

class GoldenPage : public testing::TestWithParam<Golden> {};

TEST_P(GoldenPage, YieldsTheSameTextAndFeatures) {
  const Golden& golden = GetParam();
  const FeatureHasher hasher("key");
  Page page;
  page.url = "https://example.org/";
  page.content_type = "text/html";
  page.body = golden.body;
  ExtractOptions options;
  options.features.terms = {.stop_words = false, .stem = false};  // terms_test.cc has theirs
  const Document document = Extractor(options, hasher).Extract(page);
  EXPECT_EQ(document.outcome, Outcome::kText);
  EXPECT_EQ(document.normalized_text, golden.normalized_text);
  EXPECT_EQ(document.text_length, golden.text_length);

  std::map<std::uint64_t, std::uint32_t> weights;
  std::string_view rest = golden.normalized_text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    ++weights[hasher.Hash(rest.substr(0, end))];
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::vector<Feature> features;
  for (const auto& [hash, weight] : weights) features.push_back({hash, weight});
  EXPECT_EQ(document.features, features);
}

INSTANTIATE_TEST_SUITE_P(
    Scripts, GoldenPage,
    testing::Values(
        Golden{"English",
               "<!DOCTYPE html><html lang=en><head><title>Crawl &amp; sieve: 2nd ed.</title>"
               "<script>var x = 1;</script></head><body><nav><a href=/>Home</a> | <a>About</a>"
               "</nav><h1>It’s a crawler's life</h1><p>Call +1 (555) 010-9999, write to "
               "someone@example.org or see www.example.org/a_b?c=1,5.<br>Costs: $1,299.95 "
               "(state-of-the-art, e.g. v2.0.1)</p></body></html>",
               "crawl sieve 2nd ed home about it’s a crawler's life call 1 555 010 9999 write to "
               "someone@example.org or see www.example.org a_b c 1,5 costs 1,299.95 state of the "
               "art e.g v2.0.1",
               193},
        Golden{
            "German",
            "<meta charset=utf-8><title>Größenmaße</title><p>Die STRASSE heißt "
            "„Fußgängerüberweg“ – Übergänge,<b>öffentlich</b>e Wege; ß ẞ ﬀ.",
            "grössenmasse die strasse heisst fussgängerüberweg übergänge öffentliche wege ss ss ff",
            84},
        Golden{"RussianInWindows1251",
               "<meta charset=windows-1251><p>\xCF\xF0\xE8\xE2\xE5\xF2, \xCC\xC8\xD0! "
               "\xB8\xEB\xEA\xE0-\xE8\xE3\xEE\xEB\xEA\xE0 \xB9 5",
               "привет мир ёлка иголка no 5", 28},
        Golden{"JapaneseInShiftJis",
               "<meta charset=shift_jis><p>\x93\xFA\x96\x7B\x8C\xEA\x82\xCC\x95\xB6\x8F\xCD\x81\x42"
               "\xB6\xC0\xB6\xC5 \x82\x60\x82\x61\x82\x62",
               "日本語 の 文章 カタカナ abc", 15},
        Golden{"Chinese", "<p>我们在北京大学学习计算机科学。近似重复检测，2026年。",
               "我们 在 北京 大学 学习 计算 机 科学 近似 重复 检测 2026 年", 28},
        Golden{"Korean", "<p>안녕하세요 세계! 웹 크롤러는 한국어를 읽습니다. 한글",
               "안녕하세요 세계 웹 크롤러는 한국어를 읽습니다 한글", 30},
        Golden{"Thai", "<p>สวัสดีชาวโลก ภาษาไทยไม่มีช่องว่างระหว่างคำ",
               "สวัสดี ชาว โลก ภาษา ไทย ไม่มี ช่อง ว่าง ระ หว่าง คํา", 42},
        Golden{"Arabic", "<p>مرحبا بالعالم، هذه صفحة عَرَبِيَّة ١٢٣ ﷺ",
               "مرحبا بالعالم هذه صفحة عَرَبِيَّة ١٢٣ صلى الله عليه وسلم", 40},
        Golden{"Hebrew", "<p>שלום עולם! צה\"ל וז׳אנר", "שלום עולם צה\"ל וז׳אנר", 22},
        Golden{"Hindi",
               "<p>नमस्ते दुनिया, यह हिन्दी का पृष्ठ है। "
               "क्‍ष",
               "नमस्ते दुनिया यह हिन्दी का पृष्ठ है क्ष", 42},
        Golden{"Greek", "<p>Ὀδυσσεύς ΟΔΟΣ ὁδός ΐ", "ὀδυσσεύσ οδοσ ὁδόσ ΐ", 20},
        Golden{"Vietnamese", "<p>Tiê\u0301ng Viê\u0323t Tiếng Việt", "tiếng việt tiếng việt", 23},
        Golden{"Khmer", "<p>សួស្តីពិភពលោក", "សួស្តី ពិភពលោក", 13},
        Golden{"Mixed",
               "<p>C++20 naïve café №5 ½ x² H<sub>2</sub>O 👩‍💻 ok… ｆｕｌｌ",
               "c 20 naïve café no5 1⁄2 x2 h2o ok full", 41}),
    [](const auto& golden) { return std::string(golden.param.name); });

}  // namespace
}  // namespace crawlsieve::extract
