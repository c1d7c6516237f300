#include "bench/harvest/page_entries.h"
#include "bench/soft404/evaluation.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve::bench {
namespace {

constexpr std::uint64_t kSeed = 404;

TEST(ToldOfKinds, PrecisionAndRecallByHand) {
  const ToldOfKinds kinds{
      {"plain", {true, 10, 9}}, {"suggestions", {true, 10, 6}}, {"stub", {false, 50, 5}}};
  EXPECT_DOUBLE_EQ(PrecisionOf(kinds), 0.75);
  EXPECT_DOUBLE_EQ(RecallOf(kinds), 0.75);
  EXPECT_DOUBLE_EQ(PrecisionOf({}), 1);
  EXPECT_DOUBLE_EQ(RecallOf({}), 1);
  ToldOfKinds sum = kinds;
  Add(kinds, sum);
  EXPECT_EQ(sum["stub"].pages, 100U);
  EXPECT_EQ(sum["stub"].told, 10U);
  EXPECT_TRUE(sum["plain"].is_soft_404);
}

/// A site that names in its error page what it doesn't have.
class MadeSite {
 public:
  [[nodiscard]] std::string scheme() const { return entries_.scheme(); }

  LabelledPage Real(int i) {
    std::string text;
    for (int word = 0; word < 80; ++word) text += Word() + ' ';
    return Page(fmt::format("http://made.example/{}/{}.html", Folder(i), Word()),
                fmt::format("{} {}", Word(), Word()), text, false, "page");
  }
  LabelledPage Missing(int i) {
    const std::string name = Word();
    return Page(
        fmt::format("http://made.example/{}/{}.html", Folder(i), name), "Nothing here",
        "Unfortunately there is nothing at this address any more, or there never was. Please "
        "try the search for " +
            name + " or go back to where you are from.",
        true, "names its URL");
  }
  /// The same page in each folder.
  LabelledPage License(int i) {
    return Page(
        fmt::format("http://made.example/{}{}/license.html", Folder(i), Word()), "License",
        "You may use and change all of these pages for any purpose, as long as you say where "
        "they are from, and they come without any warranty.",
        false, "license");
  }
  LabelledPage Login() {
    return Page(fmt::format("http://made.example/login?to={}", Word()), "Log in",
                "Please give your name and your password. Those who have none yet can ask for an "
                "account, which takes a minute or two and costs nothing at all.",
                false, "login form");
  }

 private:
  LabelledPage Page(const std::string& url, const std::string& title, const std::string& text,
                    bool is_soft_404, const std::string& kind) {
    PageRecord record;
    record.page.url = url;
    record.page.content_type = "text/html";
    record.page.status_code = 200;
    record.page.body = fmt::format(
        "<!DOCTYPE html><title>{}</title><body><nav><a href=/>Home</a></nav><main><h1>{}</h1>"
        "<p>{}</p></main></body>",
        title, title, text);
    return {entries_.EntryOf(record, ++pages_), is_soft_404, kind};
  }
  std::string Word() {
    std::string word;
    for (int i = 0; i < 8; ++i) word += static_cast<char>('a' + random_() % 26);
    return word;
  }
  static std::string Folder(int i) { return std::string(1, static_cast<char>('a' + i % 7)); }

  PageEntries entries_;
  std::int64_t pages_ = 0;
  std::mt19937_64 random_{kSeed};
};

TEST(TellSoft404s, FindsAnErrorPageThatNamesItsUrlAndNothingElse) {
  MadeSite site;
  std::vector<LabelledPage> pages;
  for (int i = 0; i < 60; ++i) {
    pages.push_back(site.Real(i));
    pages.push_back(site.Real(i + 1));
    pages.push_back(site.Missing(i));
    pages.push_back(site.License(i));
    pages.push_back(site.Login());
  }
  const auto told = TellSoft404s(pages, site.scheme());
  ASSERT_TRUE(told.has_value()) << told.error().message;
  EXPECT_EQ(told->told.size(), pages.size());
  EXPECT_EQ(told->later.at("names its URL").pages, 30U);
  EXPECT_GE(PrecisionOf(told->all), 0.95) << "seed " << kSeed;
  EXPECT_GE(RecallOf(told->later), 0.9) << "seed " << kSeed;
  EXPECT_EQ(told->all.at("license").told, 0U);
  EXPECT_EQ(told->all.at("login form").told, 0U);
}

}  // namespace
}  // namespace crawlsieve::bench
