// What somebody tries who writes pages, knows the program and its configuration, and wants the page
// of somebody else to be dropped.

#include "consumer/output/verdict_record.h"
#include "consumer/pipeline/scan.h"
#include "plugin/index/sharded_index.h"
#include "tests/support/memory_reader.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/xxh3_collision.h"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::CollideXxh3;
using crawlsieve::testing::kXxh3Block;
using crawlsieve::testing::kXxh3FreeBegin;
using crawlsieve::testing::kXxh3FreeEnd;
using crawlsieve::testing::kXxh3Stripe;
using crawlsieve::testing::PublicSecret;
using crawlsieve::testing::SecretOf;
using ::testing::Each;

constexpr std::size_t kBlocks = 6;
constexpr std::string_view kTail = "</p></body></html>";

/// Words that begin with `stem`, about `size` bytes of them.
std::string Words(std::size_t size, const std::string& stem) {
  std::string text;
  for (int i = 0; text.size() + 16 < size; ++i) text += stem + std::to_string(i) + ' ';
  text.resize(size, ' ');
  return text;
}

/// As long as all pages here, with the same bytes at its end.
std::string ToFullSize(std::string body) {
  body.resize(kBlocks * kXxh3Block + 1 - kXxh3Stripe, ' ');
  body.append(kXxh3Stripe - kTail.size(), ' ').append(kTail);
  return body;
}

/// An honest page: words and nothing else.
std::string Article(const std::string& stem) {
  return ToFullSize("<!doctype html><html><body><p>" + Words(4'000, stem));
}

/// A page of spam with the XXH3 of `target` under `secret`: what that takes is in HTML comments.
std::string Spam(std::string_view target, std::span<const std::byte> secret) {
  constexpr std::string_view kOpen = "<!--";
  constexpr std::string_view kClose = "-->";
  std::string body;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    std::string part = block == 0 ? "<!doctype html><html><body><p>" : "";
    part += Words(kXxh3FreeBegin - part.size() - kOpen.size() - 8,
                  "spam" + std::to_string(block) + "x");
    part += kOpen;
    part.resize(kXxh3FreeEnd, ' ');
    part += kClose;
    part.resize(kXxh3Block, ' ');
    body += part;
  }
  body.resize(body.size() + 1 - kXxh3Stripe);
  body.append(kXxh3Stripe - kTail.size(), ' ').append(kTail);
  return CollideXxh3(std::move(body), target, secret);
}

/// A file that isn't HTML, of `byte`s.
std::string Pdf(char byte) {
  std::string body = "%PDF-1.7\n";
  body.resize(kBlocks * kXxh3Block + 1 - kXxh3Stripe, byte);
  return body.append(kXxh3Stripe, '\n');
}

struct Fetched {
  std::string url;
  std::string content_type;
  std::string body;
};

struct Way {
  std::size_t threads;
  std::size_t repeat_cache_bytes;
};

/// The reasons of the pages' verdicts, in order.
std::vector<std::string> Reasons(const std::vector<Fetched>& pages, const Way& way,
                                 const FingerprintOptions& fingerprint) {
  struct Listener final : ScanListener {
    Status OnVerdict(const log::Page& page, const Verdict& verdict) override {
      reasons.push_back(
          nlohmann::json::parse(VerdictRecord(page, verdict, {"test", Timestamp{}}))["reason"]);
      return {};
    }
    Status OnDeadLetter(const std::string&, const DecodeFailure& failure) override {
      reasons.push_back(failure.code);
      return {};
    }
    Status OnCommit() override { return {}; }
    std::vector<std::string> reasons;
  } listener;
  ScanOptions options;
  options.processor.fingerprint = fingerprint;
  options.threads = way.threads;
  options.repeat_cache_bytes = way.repeat_cache_bytes;
  const crawlsieve::testing::TemporaryDirectory directory;
  auto store = Store::Open({.directory = directory.path()});
  EXPECT_TRUE(store.has_value());
  auto detector = Detector::Open(
      **store,
      [](int max_distance) -> Result<std::unique_ptr<HammingIndex>> {
        return ShardedIndex::Create(
            {.max_distance = max_distance, .shards = 4, .expected_entries = 1000});
      },
      SchemeOf(options.processor));
  EXPECT_TRUE(detector.has_value());
  crawlsieve::testing::MemoryReader reader;
  for (const Fetched& page : pages) {
    FileRecord record;
    record.format = FormatKind::kRaw;
    record.record.key = page.url;
    record.record.value = page.body;
    record.record.headers = {{"content-type", page.content_type}};
    reader.Add(std::move(record));
  }
  EXPECT_TRUE(Scan(reader, **detector, options, listener).has_value());
  return listener.reasons;
}

/// Without a cache, with one thread and with several, apart and next to each other.
const std::vector<Way> kWays = {{1, 0}, {1, 32 << 20}, {8, 0}, {8, 32 << 20}};

/// The pages, each followed by `between` others.
std::vector<Fetched> Apart(const std::vector<Fetched>& pages, int between) {
  std::vector<Fetched> all;
  for (const Fetched& page : pages) {
    all.push_back(page);
    for (int i = 0; i < between; ++i) {
      const std::string name = std::to_string(all.size());
      all.push_back({"http://other.example/" + name, "text/html",
                     ToFullSize("<p>" + Words(2'000, "w" + name + "x"))});
    }
  }
  return all;
}

TEST(Attack, APageWithTheRawChecksumOfAnArticleDoesNotDropIt) {
  const std::string article = Article("true");
  // Under the public secret, and under those of keys the adversary may know of an older version.
  for (const std::string& spam : {Spam(article, PublicSecret()), Spam(article, SecretOf("")),
                                  Spam(article, SecretOf("known"))}) {
    ASSERT_EQ(spam.size(), article.size());
    ASSERT_NE(spam, article);
    for (const int between : {0, 50}) {
      const std::vector<Fetched> pages =
          Apart({{"http://spam.example/", "text/html; charset=windows-1252", spam},
                 {"http://news.example/", "text/html; charset=windows-1252", article}},
                between);
      for (const Way& way : kWays) {
        for (const std::string key : {"", "known"}) {
          EXPECT_THAT(Reasons(pages, way, {.key = key}), Each("unique"))
              << way.threads << " threads, cache " << way.repeat_cache_bytes;
        }
      }
    }
  }
  ASSERT_EQ(RawChecksum(Spam(article, PublicSecret())), RawChecksum(article));
}

TEST(Attack, AFileWithTheChecksumOfAnotherDoesNotDropIt) {
  const std::string report = Pdf('r');
  const std::array<std::byte, 192> default_secret = SecretOf("");
  for (const std::span<const std::byte> secret :
       {PublicSecret(), std::span<const std::byte>(default_secret)}) {
    const std::string forged = CollideXxh3(Pdf('f'), report, secret);
    for (const Way& way : kWays) {
      EXPECT_THAT(Reasons({{"http://spam.example/a.pdf", "application/pdf", forged},
                           {"http://news.example/b.pdf", "application/pdf", report}},
                          way, {}),
                  Each("not_html"));
    }
  }
  // What version 2 is for: version 1 falls for it.
  const std::string forged = CollideXxh3(Pdf('f'), report, default_secret);
  EXPECT_EQ(Reasons({{"http://spam.example/a.pdf", "application/pdf", forged},
                     {"http://news.example/b.pdf", "application/pdf", report}},
                    {1, 0}, {.key = "", .version = SchemeVersion::k1}),
            (std::vector<std::string>{"not_html", "exact_duplicate"}));
}

TEST(Attack, AFileOfThePagesWordsDoesNotDropThePage) {
  std::string words = Words(2'000, "word");
  words.erase(words.find_last_not_of(' ') + 1);
  EXPECT_EQ(Reasons({{"http://spam.example/a.bin", "application/octet-stream", "\x01" + words},
                     {"http://spam.example/b.bin", "application/octet-stream", words},
                     {"http://news.example/", "text/html", "<p>" + words}},
                    {1, 32 << 20}, {}),
            (std::vector<std::string>{"not_html", "not_html", "unique"}));
}

TEST(Attack, TheSamePageTwiceIsADuplicateAllTheSame) {
  const std::string article = Article("true");
  for (const Way& way : kWays) {
    EXPECT_EQ(Reasons({{"http://news.example/", "text/html", article},
                       {"http://copy.example/", "text/html", article}},
                      way, {.key = "key"}),
              (std::vector<std::string>{"unique", "exact_duplicate"}));
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
