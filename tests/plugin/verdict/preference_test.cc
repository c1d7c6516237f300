#include "plugin/verdict/preference.h"

#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

constexpr ClusterUrl kPlain{"http://example/page", Score{5'000}};

TEST(GoesBefore, NothingGoesBeforeTheEarlierWithoutPreferences) {
  EXPECT_FALSE(GoesBefore({"https://a/", Score{9'000}}, kPlain, {}));
}

TEST(GoesBefore, EachPreferenceTellsUrlsApart) {
  const std::vector<UrlPreference> score = {UrlPreference::kScore};
  EXPECT_TRUE(GoesBefore({kPlain.url, Score{5'001}}, kPlain, score));
  EXPECT_FALSE(GoesBefore({"https://a/", Score{4'999}}, kPlain, score));
  const std::vector<UrlPreference> https = {UrlPreference::kHttps};
  EXPECT_TRUE(GoesBefore({"https://example/page", Score{}}, kPlain, https));
  EXPECT_FALSE(GoesBefore({"httpsx://a/", Score{}}, kPlain, https));
  const std::vector<UrlPreference> shorter = {UrlPreference::kShorter};
  EXPECT_TRUE(GoesBefore({"http://example/pag", Score{}}, kPlain, shorter));
  EXPECT_FALSE(GoesBefore({"http://example/pages", Score{}}, kPlain, shorter));
}

TEST(GoesBefore, TheFirstPreferenceThatTellsThemApartDecides) {
  const ClusterUrl long_https{"https://example/a/long/page", Score{5'000}};
  EXPECT_TRUE(GoesBefore(
      long_https, kPlain,
      std::vector{UrlPreference::kScore, UrlPreference::kHttps, UrlPreference::kShorter}));
  EXPECT_FALSE(
      GoesBefore(long_https, kPlain, std::vector{UrlPreference::kShorter, UrlPreference::kHttps}));
}

TEST(GoesBefore, AlikeTheEarlierStays) {
  const std::vector<UrlPreference> all = {UrlPreference::kScore, UrlPreference::kHttps,
                                          UrlPreference::kShorter};
  EXPECT_FALSE(GoesBefore({"http://example/paga", kPlain.score}, kPlain, all));
}

}  // namespace
}  // namespace crawlsieve
