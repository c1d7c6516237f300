#include "plugin/site/soft_errors.h"

#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::site {
namespace {

constexpr std::uint64_t kSeed = 20261125;
constexpr std::uint64_t kErrorPage = 0x5bd1e995a3c49f17;

/// Pages of one made-up site.
class Pages {
 public:
  /// The page that stands for missing ones, with `bits` bits that differ each time.
  Likeness Error(int bits, std::uint32_t title = 7) {
    Likeness page{kErrorPage, title};
    for (int i = 0; i < bits; ++i) page.simhash ^= std::uint64_t{1} << random_() % 64;
    return page;
  }
  Likeness Other(std::uint32_t title) { return {random_() | 1, title}; }

  void Add(const Likeness& page, int kind) {
    const std::string name = "name" + std::to_string(count_++);
    errors.Add(page, "/" + std::to_string(kind) + "/*", name, false);
  }

  SoftErrors errors;

 private:
  std::mt19937_64 random_{kSeed};
  int count_ = 0;
};

TEST(SoftErrors, AreToldThoughEachNamesItsUrl) {
  Pages pages;
  for (int i = 0; i < 200; ++i) {
    pages.Add(pages.Other(static_cast<std::uint32_t>(i) % kTitles), i % 9);
    if (i % 4 == 0) pages.Add(pages.Error(8), i % 7);
  }
  int told = 0;
  int mistaken = 0;
  for (int i = 0; i < 100; ++i) {
    told += pages.errors.Contains(pages.Error(8)) ? 1 : 0;
    mistaken += pages.errors.Contains(pages.Other(7)) ? 1 : 0;
  }
  EXPECT_GE(told, 95) << "seed " << kSeed;
  EXPECT_LE(mistaken, 1) << "seed " << kSeed;
  ASSERT_EQ(pages.errors.UrlsOfGroups().size(), 1U);
}

TEST(SoftErrors, WithAnotherTitleMustBeNearer) {
  Pages pages;
  for (int i = 0; i < 30; ++i) pages.Add(pages.Error(8), i % 7);
  const Likeness page{kErrorPage ^ 0xff, 7};
  EXPECT_TRUE(pages.errors.Contains(page));
  EXPECT_FALSE(pages.errors.Contains({page.simhash, 8}));
}

TEST(SoftErrors, NeedUrlsOfSeveralKindsOfPath) {
  for (const int kinds : {1, 2, 3, 4, 5}) {
    Pages alike;
    Pages unlike;
    for (int i = 0; i < 30; ++i) {
      alike.Add(alike.Error(0), i % kinds);
      unlike.Add(unlike.Error(8), i % kinds);
    }
    EXPECT_EQ(alike.errors.Contains(alike.Error(0)), kinds >= 3) << kinds;
    EXPECT_EQ(unlike.errors.Contains(unlike.Error(0)), kinds >= 5) << kinds;
  }
}

TEST(SoftErrors, NeedUrlsBesideTheTwoMostFrequentKindsOfPath) {
  Pages pages;
  for (int i = 0; i < 30; ++i) pages.Add(pages.Error(0), i % 2);
  for (int kind = 2; kind < 5; ++kind) {
    pages.Add(pages.Error(0), kind);
    EXPECT_FALSE(pages.errors.Contains(pages.Error(0))) << kind;
  }
  pages.Add(pages.Error(0), 5);
  EXPECT_TRUE(pages.errors.Contains(pages.Error(0)));
}

TEST(SoftErrors, NeedSeveralNames) {
  SoftErrors errors;
  for (int i = 0; i < 100; ++i) {
    errors.Add({kErrorPage, 7}, "/" + std::to_string(i) + "/*.html", "license.html", false);
  }
  EXPECT_FALSE(errors.Contains({kErrorPage, 7}));
}

TEST(SoftErrors, APageWithoutTextIsNone) {
  Pages pages;
  for (int i = 0; i < 100; ++i) pages.Add({0, 7}, i % 7);
  EXPECT_FALSE(pages.errors.Contains({0, 7}));
  EXPECT_TRUE(pages.errors.UrlsOfGroups().empty());
}

TEST(SoftErrors, WhereTheHomePageStandsForOthersOnlyWhatIsAsGoodAsItIsOne) {
  Pages pages;
  pages.errors.Add({kErrorPage, 7}, "/", "", true);
  for (int i = 0; i < 30; ++i) pages.Add({kErrorPage, 7}, i % 7);
  EXPECT_TRUE(pages.errors.Contains({kErrorPage ^ 0x7, 7}));
  EXPECT_FALSE(pages.errors.Contains({kErrorPage ^ 0xf, 7}));
}

TEST(SoftErrors, GoOnAfterReadingAsIfTheyHadNotBeenWritten) {
  Pages pages;
  SoftErrors read;
  for (int i = 0; i < 500; ++i) {
    const Likeness page =
        i % 3 == 0 ? pages.Error(6) : pages.Other(static_cast<std::uint32_t>(i) % kTitles);
    const std::string path = "/" + std::to_string(i % 11) + "/*";
    pages.errors.Add(page, path, std::to_string(i), i == 5);
    read.Add(page, path, std::to_string(i), i == 5);
    if (i % 16 != 0) continue;
    schedule::ByteWriter out;
    read.Encode(out);
    const std::string bytes = std::move(out).Take();
    ASSERT_LE(bytes.size(), SoftErrors::kMaxEncodedBytes);
    schedule::ByteReader in(bytes);
    SoftErrors decoded;
    ASSERT_TRUE(decoded.Decode(in) && in.at_end()) << i;
    ASSERT_EQ(decoded, pages.errors) << i << ", seed " << kSeed;
    read = decoded;
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
      schedule::ByteReader cut(std::string_view(bytes).substr(0, size));
      SoftErrors ignored;
      ASSERT_FALSE(ignored.Decode(cut)) << size;
    }
  }
}

TEST(SoftErrors, StayWithinTheirBytes) {
  Pages pages;
  for (int group = 0; group < 40; ++group) {
    const Likeness page = pages.Other(127);
    for (int i = 0; i < 2'000; ++i) pages.Add(page, i);
  }
  schedule::ByteWriter out;
  pages.errors.Encode(out);
  const std::string bytes = std::move(out).Take();
  EXPECT_LE(bytes.size(), SoftErrors::kMaxEncodedBytes);
  EXPECT_GT(bytes.size(), SoftErrors::kMaxEncodedBytes / 2);
}

}  // namespace
}  // namespace crawlsieve::site
