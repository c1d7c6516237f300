#include "consumer/pipeline/repeat_cache.h"

#include "consumer/pipeline/page_processor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

Checksum Key(std::uint64_t n) { return {n, ~n}; }

TEST(RepeatCache, FindsWhatWasAdded) {
  RepeatCache cache(10'000);
  EXPECT_EQ(cache.Find(Key(1)), std::nullopt);
  cache.Add(Key(1), "one");
  cache.Add(Key(2), "two");
  cache.Add(Key(1), "another");
  EXPECT_EQ(cache.Find(Key(1)), "one");
  EXPECT_EQ(cache.Find(Key(2)), "two");
  EXPECT_EQ(cache.bytes(), 2 * (RepeatCache::kOverhead + 3));
}

TEST(RepeatCache, RemembersNothingWithoutMemory) {
  RepeatCache cache(0);
  EXPECT_FALSE(cache.enabled());
  cache.Add(Key(1), "");
  EXPECT_EQ(cache.Find(Key(1)), std::nullopt);
}

TEST(RepeatCache, ForgetsWhatWasAskedForLongestAgo) {
  RepeatCache cache(3 * (RepeatCache::kOverhead + 1));
  for (const std::uint64_t n : {1, 2, 3}) cache.Add(Key(n), "x");
  EXPECT_TRUE(cache.Find(Key(1)).has_value());
  cache.Add(Key(4), "x");
  EXPECT_FALSE(cache.Find(Key(2)).has_value());
  for (const std::uint64_t n : {1, 3, 4}) EXPECT_TRUE(cache.Find(Key(n)).has_value()) << n;
}

TEST(RepeatCache, StaysWithinItsBytesAndNeverGivesAnothersValue) {
  constexpr unsigned kSeed = 9;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  constexpr std::size_t kMaxBytes = 20'000;
  RepeatCache cache(kMaxBytes);
  std::size_t hits = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t n = random() % 150;
    const std::string value(n * 3, static_cast<char>('a' + n % 26));
    if (const auto found = cache.Find(Key(n))) {
      ++hits;
      ASSERT_EQ(*found, value);
    } else {
      cache.Add(Key(n), value);
    }
    ASSERT_LE(cache.bytes(), kMaxBytes);
  }
  EXPECT_GT(hits, 1000U);
  cache.Add(Key(1000), std::string(kMaxBytes, 'x'));
  EXPECT_FALSE(cache.Find(Key(1000)).has_value());
}

TEST(RepeatCache, MayBeUsedByManyThreads) {
  RepeatCache cache(50 * (RepeatCache::kOverhead + 8));
  std::vector<std::jthread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    threads.emplace_back([&cache, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 5'000; ++i) {
        const std::uint64_t n = random() % 100;
        const std::string value = fmt::format("{:8}", n);
        if (const auto found = cache.Find(Key(n))) {
          EXPECT_EQ(*found, value);
        } else {
          cache.Add(Key(n), value);
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(cache.bytes(), 50 * (RepeatCache::kOverhead + 8));
}

nlohmann::json PageRecord(const std::string& url, const std::string& words) {
  return {
      {"url", url},
      {"body", "<html lang=en><title>t</title><link rel=canonical href=/same><a href=one></a><p>" +
                   words + " <a href=two></a>"}};
}

ProcessedRecord Process(PageProcessor& processor, const nlohmann::json& page) {
  SourceRecord source;
  source.record.value = page.dump();
  return processor.Process(std::move(source));
}

std::string Words(std::uint64_t page) {
  std::mt19937_64 random(page);
  std::string words;
  for (int i = 0; i < 60; ++i) words += fmt::format("word{} ", random() % 500);
  return words;
}

/// Streams of pages, many of which come again, under the same URL or another, with another label,
/// status or lost body: with the cache all entries are what they are without.
class Repeats : public ::testing::TestWithParam<bool> {};

TEST_P(Repeats, ComeToTheSameAsWithoutTheCache) {
  constexpr unsigned kSeed = 3;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  ProcessorOptions options;
  options.extract.url.follow_canonical_link = GetParam();
  options.max_links = 10;
  RepeatCache cache(20'000);  // some 60 of the pages
  PageProcessor with(options, &cache);
  PageProcessor another(options, &cache);
  PageProcessor without(options);
  std::map<std::optional<bool>, int> seen;
  for (int i = 0; i < 3'000; ++i) {
    nlohmann::json page =
        PageRecord(fmt::format("https://host{}.example.co.uk/a/{}", random() % 3, random() % 3),
                   Words(random() % 40));
    if (random() % 10 == 0) page["charset"] = "utf-16";
    if (random() % 10 == 0) page["content_type"] = "text/plain";
    if (random() % 10 == 0) page["content_type"] = "image/png";
    if (random() % 10 == 0) page["status_code"] = 404;
    if (random() % 10 == 0) page["body_encoding"] = "gzip+base64";  // which it isn't
    if (random() % 10 == 0) page["final_url"] = "https://elsewhere.example/b";
    const ProcessedRecord cached = Process(random() % 2 == 0 ? with : another, page);
    const ProcessedRecord parsed = Process(without, page);
    EXPECT_EQ(parsed.repeated, std::nullopt);
    ++seen[cached.repeated];
    ASSERT_EQ(cached.entry.SerializeAsString(), parsed.entry.SerializeAsString()) << page.dump();
    ASSERT_LE(cache.bytes(), 20'000U);
  }
  EXPECT_GT(seen[true], 100);
  EXPECT_GT(seen[false], 100);
  EXPECT_GT(seen[std::nullopt], 100);
}

INSTANTIATE_TEST_SUITE_P(CanonicalLink, Repeats, ::testing::Bool(),
                         [](const auto& followed) { return followed.param ? "Followed" : "Not"; });

TEST(PageProcessor, TellsWhatItHadInTheCache) {
  RepeatCache cache(100'000);
  PageProcessor processor({}, &cache);
  EXPECT_EQ(Process(processor, PageRecord("http://a.example/", Words(1))).repeated, false);
  EXPECT_EQ(Process(processor, PageRecord("http://b.example/", Words(1))).repeated, true);
  EXPECT_EQ(Process(processor, PageRecord("http://a.example/", Words(2))).repeated, false);
  EXPECT_EQ(Process(processor, {{"url", "http://a.example/"}, {"status_code", 404}}).repeated,
            std::nullopt);
}

TEST(PageProcessor, HandsOutTheTextOfRepeatsToo) {
  RepeatCache cache(100'000);
  PageProcessor processor({}, &cache);
  for (int i = 0; i < 2; ++i) {
    SourceRecord source;
    source.record.value = PageRecord("http://a.example/", "one two").dump();
    std::string text;
    (void)processor.Process(std::move(source), Depth::kWhole, &text);
    EXPECT_EQ(text, "t one two");
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
