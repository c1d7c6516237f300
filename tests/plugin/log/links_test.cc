#include "plugin/log/links.h"

#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

namespace crawlsieve::log {
namespace {

constexpr const char* kPage = "https://example.org/a/b?c";

std::string Packed(const Links& links, std::string_view page = kPage) {
  return PackLinks(links.main_text, links.elsewhere, page).bytes;
}

TEST(Links, ComeBackInTheirOrder) {
  const Links links{{"https://example.org/a/c", "https://other.example/", "https://example.org/"},
                    {"http://example.org/a", "https://example.org.evil.example/a"}};
  EXPECT_EQ(UnpackLinks(Packed(links), kPage).value(), links);
}

TEST(Links, OfNoneTakeNoBytes) {
  EXPECT_EQ(Packed({}), "");
  EXPECT_EQ(UnpackLinks("", kPage).value(), Links());
}

TEST(Links, AnyListsComeBackForAnyPage) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const std::string page = i % 7 == 0 ? std::string(random() % 20, 'x')
                                        : fmt::format("http://host{}.example/{}", i % 3,
                                                      std::string(random() % 9000, 'p'));
    Links links;
    for (std::vector<std::string>* list : {&links.main_text, &links.elsewhere}) {
      const std::size_t count = random() % 40;
      for (std::size_t n = 0; n < count; ++n) {
        list->push_back(fmt::format("http{}://host{}.example/{}?n={}", random() % 2 == 0 ? "s" : "",
                                    random() % 4, std::string(random() % 30, 'a'), random() % 50));
      }
    }
    const Result<Links> unpacked = UnpackLinks(Packed(links, page), page);
    ASSERT_TRUE(unpacked.has_value()) << unpacked.error().message << ' ' << page.size();
    ASSERT_EQ(*unpacked, links);
  }
}

TEST(Links, ThoseOfAnOrdinaryPageTakeLessThanAKibibyte) {
  std::mt19937 random(2);
  Links links;
  for (int i = 0; i < 60; ++i) {
    links.elsewhere.push_back(fmt::format("https://example.org/category-{}/article-{}",
                                          random() % 9, random() % 100'000));
  }
  EXPECT_LT(Packed(links).size(), 1024U);
}

TEST(Links, BeyondTheLimitAreLeftOutAndCounted) {
  const std::vector<std::string> many(100, "https://other.example/" + std::string(2000, 'a'));
  const PackedLinks packed = PackLinks(many, {}, kPage);
  const Links links = UnpackLinks(packed.bytes, kPage).value();
  EXPECT_EQ(links.main_text.size() + packed.left_out, 100U);
  EXPECT_GT(packed.left_out, 0U);
  EXPECT_GT(links.main_text.size(), 25U);
}

std::string Deflated(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  std::string copy(text);
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST(UnpackLinks, RefusesWhatPackLinksDoesNotMake) {
  const std::string whole = Packed({{"https://example.org/x"}, {"https://example.org/y"}});
  EXPECT_FALSE(UnpackLinks(whole.substr(0, whole.size() - 1), kPage).has_value());
  EXPECT_FALSE(UnpackLinks(whole + "x", kPage).has_value());
  EXPECT_FALSE(UnpackLinks("no DEFLATE", kPage).has_value());
  for (const char* text : {"", "\n/x\n", "x\n/x\n", "-1\n/x\n", "2\n/x\n", "1\n/x", "1\n\n/x\n",
                           "0", "99999999999999999999999\n/x\n"}) {
    const Result<Links> unpacked = UnpackLinks(Deflated(text), kPage);
    ASSERT_FALSE(unpacked.has_value()) << text;
    EXPECT_EQ(unpacked.error().code, ErrorCode::kCorruption);
  }
  EXPECT_TRUE(UnpackLinks(Deflated("1\n/x\n"), kPage).has_value());
}

TEST(UnpackLinks, RefusesMoreThanTheLimitHoweverSmallItIsPacked) {
  const std::string bomb = Deflated("0\n" + std::string(100 << 20, 'a') + '\n');
  EXPECT_LT(bomb.size(), std::size_t{200} << 10);
  EXPECT_FALSE(UnpackLinks(bomb, kPage).has_value());
}

TEST(UnpackLinks, DamagedBytesAreAnErrorOrOtherLinks) {
  std::mt19937 random(3);
  Links links;
  for (int i = 0; i < 30; ++i)
    links.main_text.push_back(fmt::format("https://example.org/{}", i * i));
  const std::string whole = Packed(links);
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = whole;
    for (std::size_t n = 1 + random() % 3; n > 0; --n) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    const Result<Links> unpacked = UnpackLinks(damaged, kPage);
    if (!unpacked) {
      EXPECT_EQ(unpacked.error().code, ErrorCode::kCorruption);
    }
  }
}

}  // namespace
}  // namespace crawlsieve::log
