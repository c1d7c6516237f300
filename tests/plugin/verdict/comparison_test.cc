#include "plugin/verdict/comparison.h"

#include <string_view>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

/// A page with one word of `ones` in its sketch, so that two pages' sketches differ in known bits.
PageTraits Page(std::string_view checksum, std::uint64_t simhash, std::uint64_t sketch_bits = 0) {
  PageTraits page{.content_checksum = checksum,
                  .is_text = true,
                  .features = 100,
                  .simhash = Fingerprint{simhash},
                  .shingles = 1000,
                  .sketch = {}};
  page.sketch.words[0] = sketch_bits;
  return page;
}

JudgeParameters RuleOf(std::uint32_t max_distance, std::uint32_t min_similarity) {
  JudgeParameters parameters;
  parameters.max_distance = max_distance;
  parameters.min_similarity = Score{min_similarity};
  return parameters;
}

constexpr auto kNear = Comparison::Kind::kNear;
constexpr auto kDifferent = Comparison::Kind::kDifferent;

TEST(Compare, EqualChecksumsAreExactWhateverTheRest) {
  const Comparison comparison = Compare(Page("a", 0), Page("a", ~0ULL, ~0ULL), RuleOf(0, 10'000));
  EXPECT_EQ(comparison.kind, Comparison::Kind::kExact);
  EXPECT_EQ(comparison.distance, 0);
  EXPECT_EQ(comparison.similarity.ten_thousandths, 10'000U);
}

TEST(Compare, PagesWithoutContentAreNotExact) {
  PageTraits none;
  EXPECT_EQ(Compare(none, none, RuleOf(7, 0)).kind, kDifferent);
}

TEST(Compare, ShortTextsNeedMore) {
  PageTraits a = Page("a", 0);
  PageTraits b = Page("b", 0, 0x3f);
  a.shingles = b.shingles = 100;
  const Score similarity = EstimateSimilarity(a, b);
  JudgeParameters rule = RuleOf(6, similarity.ten_thousandths);
  rule.short_text_similarity = Score{similarity.ten_thousandths + 1};
  rule.short_text_shingles = 100;
  EXPECT_EQ(Compare(a, b, rule).kind, kNear);
  rule.short_text_shingles = 101;
  EXPECT_EQ(Compare(a, b, rule).kind, kDifferent);
  rule.short_text_similarity = similarity;
  EXPECT_EQ(Compare(a, b, rule).kind, kNear);
  rule.short_text_similarity = Score{0};
  EXPECT_EQ(Compare(a, b, rule).kind, kNear) << "it never lowers min_similarity";
}

/// 64 of 448 bits differ: a resemblance of 1 - 2 * 64 / 448 = 0.714.
constexpr std::uint64_t kSevenTenths = ~std::uint64_t{0};

TEST(Compare, PagesOfOneItemNeedNoMoreThanTheirs) {
  PageTraits a = Page("a", 0);
  PageTraits b = Page("b", 0, kSevenTenths);
  a.item = {"https://a.example/x.html", 1};
  b.item = {"https://b.example/x.html", 1};
  a.shingles = b.shingles = 50;
  JudgeParameters rule = RuleOf(6, 8'000);
  rule.short_text_similarity = Score{9'000};
  rule.same_item_similarity = Score{7'142};
  EXPECT_EQ(Compare(a, b, rule).kind, kNear) << "short or not";
  rule.same_item_similarity = Score{7'143};
  EXPECT_EQ(Compare(a, b, rule).kind, kDifferent);
  rule.min_similarity = Score{7'000};
  EXPECT_EQ(Compare(a, b, rule).kind, kDifferent) << "short texts need more than min_similarity";
  rule.short_text_shingles = 0;
  EXPECT_EQ(Compare(a, b, rule).kind, kNear) << "it never raises min_similarity";
  b.item.title = 2;
  rule.min_similarity = Score{7'200};
  rule.same_item_similarity = Score{0};
  EXPECT_EQ(Compare(a, b, rule).kind, kDifferent) << "not one item";
}

TEST(Compare, PagesOfTwoItemsNeedMore) {
  PageTraits a = Page("a", 0);
  PageTraits b = Page("b", 0, kSevenTenths);
  a.item = {"https://a.example/x.html", 1};
  b.item = {"https://a.example/y.html", 1};
  a.shingles = b.shingles = 160;
  JudgeParameters rule = RuleOf(6, 7'000);
  rule.other_item_similarity = Score{7'142};
  rule.other_item_short_similarity = Score{7'143};
  rule.other_item_short_shingles = 160;
  EXPECT_EQ(Compare(a, b, rule).kind, kNear);
  rule.other_item_short_shingles = 161;
  EXPECT_EQ(Compare(a, b, rule).kind, kDifferent);
  rule.other_item_short_similarity = Score{0};
  EXPECT_EQ(Compare(a, b, rule).kind, kNear) << "it never lowers min_similarity";
  rule.min_similarity = Score{7'143};
  EXPECT_EQ(Compare(a, b, rule).kind, kDifferent);
}

TEST(Compare, NearNeedsBothSimhashAndSketch) {
  // 32 of 448 bits differ: a resemblance of 1 - 2 * 32 / 448 = 0.857.
  const PageTraits a = Page("a", 0);
  const PageTraits b = Page("b", 0x3f, 0xffffffff);
  EXPECT_EQ(Compare(a, b, RuleOf(6, 8'571)).kind, kNear);
  EXPECT_EQ(Compare(a, b, RuleOf(5, 8'571)).kind, kDifferent);
  EXPECT_EQ(Compare(a, b, RuleOf(6, 8'572)).kind, kDifferent);
  EXPECT_EQ(Compare(a, b, RuleOf(5, 0)).distance, 6);
  EXPECT_EQ(Compare(a, b, RuleOf(5, 0)).similarity.ten_thousandths, 8'571U);
}

TEST(Compare, IsSymmetric) {
  PageTraits a = Page("a", 0);
  PageTraits b = Page("b", 0x7, 0xff);
  a.shingles = 700;
  for (const std::uint32_t min_similarity : {6'999U, 7'000U, 7'001U}) {
    EXPECT_EQ(Compare(a, b, RuleOf(6, min_similarity)).kind,
              Compare(b, a, RuleOf(6, min_similarity)).kind);
  }
}

TEST(Compare, TextIsNeverNearToWhatIsNotText) {
  PageTraits picture = Page("b", 0);
  picture.is_text = false;
  EXPECT_EQ(Compare(Page("a", 0), picture, RuleOf(7, 0)).kind, kDifferent);
}

TEST(EstimateSimilarity, IsBoundedByTheSizesOfTheSets) {
  PageTraits a = Page("a", 0);
  PageTraits b = Page("b", 0);
  a.shingles = 600;
  EXPECT_EQ(EstimateSimilarity(a, b).ten_thousandths, 6'000U);
  EXPECT_EQ(EstimateSimilarity(b, a).ten_thousandths, 6'000U);
  b.shingles = 0;
  EXPECT_EQ(EstimateSimilarity(a, b).ten_thousandths, 0U);
  EXPECT_EQ(EstimateSimilarity(b, b).ten_thousandths, 0U);
}

TEST(IsTooShort, CountsTheFeaturesOfText) {
  JudgeParameters parameters;
  parameters.min_features = 20;
  PageTraits page = Page("a", 0);
  page.features = 19;
  EXPECT_TRUE(IsTooShort(page, parameters));
  page.features = 20;
  EXPECT_FALSE(IsTooShort(page, parameters));
  parameters.min_features = 0;
  page.features = 0;
  EXPECT_TRUE(IsTooShort(page, parameters)) << "no text is too short whatever the minimum";
  page.is_text = false;
  EXPECT_FALSE(IsTooShort(page, parameters));
}

}  // namespace
}  // namespace crawlsieve
