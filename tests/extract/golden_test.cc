// What extraction makes of pages in several scripts, pinned. When one of these fails after an
// upgrade of ICU, Gumbo, RE2, CLD2, Snowball or the compiler, fingerprints have changed: that is a
// new scheme (raise the version in DescribeExtraction if nothing else there did change), never just
// a new expectation.

#include "extract/extractor.h"
#include "extract/features/terms.h"
#include "extract/text/volatile_text.h"
#include "extract/url/page_url.h"

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

class GoldenPage : public ::testing::TestWithParam<Golden> {};

TEST_P(GoldenPage, YieldsTheSameTextAndFeatures) {
  const Golden& golden = GetParam();
  FeatureHasher hasher("key");
  Page page;
  page.url = "https://example.org/";
  page.content_type = "text/html";
  page.body = golden.body;
  ExtractOptions options;
  options.features.terms = {.stop_words = false, .stem = false};  // theirs are below
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
    ::testing::Values(
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

TEST(GoldenTerms, AreTheSameInEveryLanguage) {
  EXPECT_EQ(ProbeTerms(),
            "en en: crawler read everi page web onc most seen befor\n"
            "de de: samml les jed seit netz einmal meist kannt schon\n"
            "fr fr: robot lis chaqu pag toil fois avaient déjà vu plupart\n"
            "es es: robots leen cad pagin red vez mayor ellas hab vist\n"
            "it it: robot legg ogni pagin ret volt sol maggior part già vist\n"
            "pt pt: robôs leem cad págin red vez maior del já tinh vist antes\n"
            "nl nl: robot lez ieder bladzijd web een ker meest had al eerder gezien\n"
            "sv sv: robot läs varj sid webb gång flest dem redan sett tid\n"
            "da da: robot læs hver sid net én gang flest dem all set før\n"
            "no no: robot les hver sid nett én gang flest dem aller sett før\n"
            "fi fi: robot lukev jokais verko sivu ker useim niis jo nähn aikais\n"
            "hu hu: robot háló min oldal egyszer olvassa el legtöbb koráb látta\n"
            "ro ro: roboț citesc fiec pagin rețele sing dat iar cel mult le văzut\n"
            "ru ru: робот чита кажд страниц сет один раз большинств них видел\n"
            "el el: ρομποτ διαβαζ καθ σελιδ ιστού μ φορ τισ περισσ τισ δ\n"
            "tr tr: robot ak her sayfa kez okur çok ö gör\n"
            "ar ar: تقرء زواحف صفح شبك مرة واحد وقد رات معظم\n"
            "iw iw: הזחלנים קוראים דף ברשת פעם אחת ואת רובם כבר ראו\n"
            "hi hi: रोबोट वेब हर पृष्ठ बार पढ़ उनम अधिकांश पहल देख चुक\n"
            "zh zh: 爬虫 网络 上 每 个 页 面 读 一遍 其中 大 多数 已经 见过\n"
            "zh-Hant zh-Hant: 爬蟲 網路 上 每個 頁 面 讀 一遍 其中 大多數 已經 見過\n"
            "ja ja: ク ローラー ウェブ すべて ページ 一度 だけ 読み ほとんど すでに 見 もの\n"
            "ko ko: 크롤러는 웹의 모든 페이지를 한 번씩 읽으며 대부분은 이미 본 것입니다\n"
            "th th: หุ่น ยนต์ อ่าน ทุก หน้า เว็บ เพียง ครั้ง เดียว ส่วน ใหญ่ มัน เคย เห็น มา แล้ว\n");
}

TEST(GoldenUrls, TheirIdStaysWhateverSuffixListTheSystemHas) {
  EXPECT_TRUE(DescribeUrls({}).ends_with("psl=16fee06c5f89997e5b74c3ac139f9b9e97273e31"))
      << DescribeUrls({});
}

TEST(GoldenVolatileText, IsTheSame) {
  EXPECT_EQ(DescribeVolatileText({}),
            "volatile=3:true:false probe=afe246be0dbb90719995178ae1b9af85 "
            "relative=fb15021b6245b8dfae5a88ad74980054 patterns=0");
  EXPECT_EQ(DescribeVolatileText({.prices = true}),
            "volatile=3:true:true probe=b4520488b48c8d1c402e249489641203 "
            "relative=fb15021b6245b8dfae5a88ad74980054 patterns=0");
}

}  // namespace
}  // namespace crawlsieve::extract
