#include "bench/harvest/page_entries.h"
#include "bench/mirrors/evaluation.h"

#include <cstdint>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve::bench {
namespace {

constexpr std::uint64_t kSeed = 20;

TEST(ToldOfPairKinds, PrecisionAndRecallByHand) {
  const ToldOfPairKinds kinds{{"mirror, whole", {true, 10, 9}},
                              {"mirror, in part", {true, 10, 6}},
                              {"next version", {false, 50, 5}}};
  EXPECT_DOUBLE_EQ(PrecisionOf(kinds), 0.75);
  EXPECT_DOUBLE_EQ(RecallOf(kinds), 0.75);
  EXPECT_DOUBLE_EQ(PrecisionOf({}), 1);
  EXPECT_DOUBLE_EQ(RecallOf({}), 1);
}

/// A documentation, as versions of it that are on hosts.
class MadePair {
 public:
  [[nodiscard]] std::string scheme() const { return entries_.scheme(); }
  [[nodiscard]] const PairOfSites& pair() const { return pair_; }

  void Add(const std::string& host, int version) {
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < 40; ++i) {
      std::string text;
      for (int word = 0; word < 80; ++word) text += Word(random) + ' ';
      PageRecord record;
      record.page.url = fmt::format("{}/chapter{}.html", host, i);
      record.page.content_type = "text/html";
      record.page.status_code = 200;
      record.page.body = fmt::format(
          "<!DOCTYPE html><title>Chapter {} (version {})</title><body><h1>Chapter {}</h1><p>{}</p>"
          "</body>",
          i, version, i, text);
      pair_.entries.push_back(
          entries_.EntryOf(record, static_cast<std::int64_t>(pair_.entries.size())));
    }
  }

 private:
  static std::string Word(std::mt19937_64& random) {
    std::string word;
    for (int i = 0; i < 8; ++i) word += static_cast<char>('a' + random() % 26);
    return word;
  }

  PageEntries entries_;
  PairOfSites pair_;
};

TEST(TellMirrors, TellsOfTwoHostsWithTheSamePages) {
  MadePair made;
  made.Add("http://one.example", 1);
  made.Add("http://two.example", 1);
  const auto told = TellMirrors(made.pair(), made.scheme());
  ASSERT_TRUE(told.has_value()) << told.error().message;
  EXPECT_TRUE(told->is_mirror) << told->evidence;
}

TEST(TellMirrors, TheNextVersionIsNone) {
  MadePair made;
  made.Add("http://one.example", 1);
  made.Add("http://two.example", 2);
  const auto told = TellMirrors(made.pair(), made.scheme());
  ASSERT_TRUE(told.has_value()) << told.error().message;
  EXPECT_FALSE(told->is_mirror) << told->evidence;
  EXPECT_FALSE(told->evidence.empty());
}

TEST(TellMirrors, AsksForTwoSites) {
  MadePair made;
  made.Add("http://one.example", 1);
  const auto told = TellMirrors(made.pair(), made.scheme());
  ASSERT_FALSE(told.has_value());
  EXPECT_EQ(told.error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace crawlsieve::bench
