#include "evaluation/schemes/scheme.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

std::string Words(int first, int count) {
  std::string text;
  for (int i = first; i < first + count; ++i) {
    text += (text.empty() ? "word" : " word") + std::to_string(i);
  }
  return text;
}

std::unique_ptr<Scheme> Find(const std::string& name) {
  for (auto& scheme : MakeSchemes()) {
    if (scheme->name() == name) return std::move(scheme);
  }
  ADD_FAILURE() << "no scheme " << name;
  return nullptr;
}

double Similarity(const Scheme& scheme, const std::string& a, const std::string& b) {
  return scheme.Similarity(scheme.Fingerprint(SplitText(a)), scheme.Fingerprint(SplitText(b)));
}

TEST(Schemes, FindEqualTextsAndNoOthersWithNothingInCommon) {
  const std::string a = Words(0, 500);
  const std::string b = Words(1000, 500);
  for (const auto& scheme : MakeSchemes()) {
    for (const std::string& text : {a, a, b}) scheme->Learn(SplitText(text));
    // Words in one page of three are too common for I-Match's share, in a larger set they aren't.
    for (int other = 0; other < 100; ++other) scheme->Learn(SplitText("other"));
    const double least = scheme->thresholds().front();
    EXPECT_GE(Similarity(*scheme, a, a), 0.999) << scheme->name();
    EXPECT_LT(Similarity(*scheme, a, b), least) << scheme->name();
  }
}

TEST(Schemes, TakeTextsWithoutWords) {
  for (const auto& scheme : MakeSchemes()) {
    const double similarity = Similarity(*scheme, "", Words(0, 100));
    EXPECT_LT(similarity, scheme->thresholds().front()) << scheme->name();
  }
}

// 1000 words with a run of 100 replaced: of 997 shingles each, 103 differ: 894 / 1100.
TEST(Schemes, EstimateTheResemblanceOfShingles) {
  const std::string a = Words(0, 1000);
  const std::string b = Words(0, 500) + ' ' + Words(5000, 100) + ' ' + Words(600, 400);
  const double exact = 894.0 / 1100;
  EXPECT_NEAR(Similarity(*Find("minimum_200"), a, b), exact, 0.11);  // four deviations
  EXPECT_NEAR(Similarity(*Find("winnowing"), a, b), exact, 0.15);
  EXPECT_NEAR(Similarity(*Find("mod_p"), a, b), exact, 0.25);
}

TEST(Schemes, SuperShinglesAgreeOnlyWhenAllButEqual) {
  const auto scheme = Find("super_shingles");
  const std::string a = Words(0, 1000);
  // A min-hash agrees with probability 0.996, a group of 14 with 0.94.
  EXPECT_GE(Similarity(*scheme, a, a + " word"), 3.0 / 6);
  // With 0.5, a group of 14 agrees once in 16,000 times.
  EXPECT_EQ(Similarity(*scheme, a, Words(333, 1000)), 0);
}

TEST(Schemes, RollingFingerprintsDoNotDependOnTheirPlace) {
  const auto scheme = Find("karp_rabin");
  const std::string text = Words(0, 3000);
  EXPECT_GT(Similarity(*scheme, text, "moved by some words " + text), 0.95);
}

TEST(Schemes, DigestsAreThoseOfOtherTools) {
  // printf abc | md5sum; the bytes as little-endian words.
  EXPECT_EQ(Find("md5")->Fingerprint(SplitText("abc")),
            (std::vector<std::uint64_t>{0xb04fd23c98500190, 0x727fe1287d3f96d6}));
  EXPECT_EQ(Find("sha256")->Fingerprint(SplitText("abc")).size(), 4U);
}

}  // namespace
}  // namespace crawlsieve::consumer
