#include "consumer/input/formats/content_encoding.h"

#include "tests/support/compress.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

struct Coding {
  std::string name;
  std::function<std::string(std::string_view)> pack;
};

const std::vector<Coding>& Codings() {
  static const std::vector<Coding> codings = {
      {"gzip", testing::Gzip},
      {"x-gzip", testing::Gzip},
      {"deflate", testing::Zlib},
      {"deflate", testing::RawDeflate},
      {"br", testing::Brotli},
      {"zstd", [](std::string_view bytes) { return testing::Zstd(bytes); }},
  };
  return codings;
}

const std::string& Html() {
  static const std::string html = [] {
    std::string text = "<!DOCTYPE html><title>page</title>";
    for (int i = 0; i < 5000; ++i) text += "<p>line " + std::to_string(i * 7919 % 5000);
    return text;
  }();
  return html;
}

TEST(ContentCodings, AreUndone) {
  for (const Coding& coding : Codings()) {
    for (const std::string& html : {Html(), std::string("x"), std::string()}) {
      const Body body = UndoContentCodings(coding.pack(html), coding.name, {});
      EXPECT_EQ(body.problem, "") << coding.name;
      EXPECT_TRUE(body.bytes == html) << coding.name;
    }
  }
}

TEST(ContentCodings, AreUndoneFromTheLastToTheFirst) {
  const std::string packed = testing::Brotli(testing::Zlib(testing::Gzip(Html())));
  const Body body = UndoContentCodings(packed, "gzip, Deflate ,BR", {});
  EXPECT_EQ(body.problem, "");
  EXPECT_TRUE(body.bytes == Html());
}

TEST(ContentCodings, AreRefusedBeyondFour) {
  std::string packed = Html();
  for (int i = 0; i < 4; ++i) packed = testing::Gzip(packed);
  EXPECT_TRUE(UndoContentCodings(packed, "gzip,gzip,gzip,gzip", {}).bytes == Html());
  packed = testing::Gzip(packed);
  EXPECT_EQ(UndoContentCodings(packed, "gzip,gzip,gzip,gzip,gzip", {}).problem, kBadEncoding);
}

TEST(ContentCodings, PassOverWhatNamesNone) {
  for (const char* codings : {"", ",,", "identity", "utf-8", "none, binary"}) {
    EXPECT_TRUE(UndoContentCodings(Html(), codings, {}).bytes == Html()) << codings;
  }
  EXPECT_TRUE(UndoContentCodings(testing::Gzip(Html()), ", gzip ,identity", {}).bytes == Html());
}

TEST(ContentCodings, LeaveABodyThatTheCrawlerDecodedAlready) {
  const std::vector<std::string> bodies = {
      Html(), "plain text",    ";x", "gr\xc3\xbc\xc3\x9f", "<p>caf\xe9 in Latin-1</p>",
      "x",    "hello\r\nworld"};
  for (const Coding& coding : Codings()) {
    for (const std::string& html : bodies) {
      const Body body = UndoContentCodings(html, coding.name, {});
      EXPECT_EQ(body.problem, "") << coding.name << " " << html.substr(0, 20);
      EXPECT_TRUE(body.bytes == html) << coding.name << " " << html.substr(0, 20);
    }
  }
}

TEST(ContentCodings, ReportWhatIsCutAtEveryByte) {
  const std::string text = "<p>a page short enough to be cut at every byte of it</p>";
  for (const Coding& coding : Codings()) {
    const std::string packed = coding.pack(text);
    for (std::size_t size = 4; size < packed.size(); ++size) {
      const Body body = UndoContentCodings(packed.substr(0, size), coding.name, {});
      EXPECT_EQ(body.problem, kTruncated) << coding.name << " " << size;
    }
  }
}

TEST(ContentCodings, SurviveAnyByteFlipped) {
  const std::string text = "<p>a page short enough to be flipped at every byte of it</p>";
  for (const Coding& coding : Codings()) {
    const std::string packed = coding.pack(text);
    for (std::size_t i = 0; i < packed.size(); ++i) {
      for (const int mask : {0x01, 0x80, 0xFF}) {
        std::string broken = packed;
        broken[i] = static_cast<char>(broken[i] ^ mask);
        const Body body = UndoContentCodings(broken, coding.name, {});
        EXPECT_LE(body.bytes.size(), DecodeLimits{}.max_body_bytes);
        // Formats with a checksum never give wrong bytes; a broken magic number gives the same
        // back.
        if (coding.name == "gzip" && body.problem.empty()) {
          EXPECT_TRUE(body.bytes == text || body.bytes == broken) << i;
        }
      }
    }
  }
}

TEST(ContentCodings, ReportDamage) {
  for (const Coding& coding : Codings()) {
    std::string packed = coding.pack(testing::Noise(1000));
    packed.replace(packed.size() / 3, packed.size() / 2, testing::Noise(packed.size() / 2, 2));
    packed.insert(packed.size() / 3, 1, '\0');
    const std::string_view problem = UndoContentCodings(packed, coding.name, {}).problem;
    if (coding.name == "gzip" || coding.name == "zstd") {
      EXPECT_EQ(problem, kBadEncoding) << coding.name;
    }
  }
  EXPECT_EQ(UndoContentCodings(testing::Noise(1000), "br", {}).problem, kBadEncoding);
  EXPECT_EQ(UndoContentCodings(testing::Noise(1000), "deflate", {}).problem, kBadEncoding);
}

TEST(ContentCodings, TakeGzipOfSeveralMembersAndIgnoreWhatFollows) {
  const std::string packed = testing::Gzip("one ") + testing::Gzip("") + testing::Gzip("two");
  EXPECT_EQ(Gunzip(packed, {}).bytes, "one two");
  EXPECT_EQ(Gunzip(packed + std::string(512, '\0'), {}).bytes, "one two");
  EXPECT_EQ(Gunzip(packed + testing::Gzip("cut").substr(0, 12), {}).problem, kTruncated);
}

TEST(ContentCodings, TakeZstdOfSeveralFrames) {
  const std::string packed = testing::Zstd("one ") + testing::Zstd("two");
  EXPECT_EQ(UndoContentCodings(packed, "zstd", {}).bytes, "one two");
  EXPECT_EQ(UndoContentCodings(packed + "junk", "zstd", {}).problem, kBadEncoding);
}

TEST(ContentCodings, KeepToTheLimitOfTheBody) {
  DecodeLimits limits;
  limits.max_body_bytes = 100'000;
  const std::string exact = testing::Noise(100'000);
  for (const Coding& coding : Codings()) {
    EXPECT_TRUE(UndoContentCodings(coding.pack(exact), coding.name, limits).bytes == exact);
    const Body body = UndoContentCodings(coding.pack(exact + "x"), coding.name, limits);
    EXPECT_EQ(body.problem, kBodyTooLarge) << coding.name;
    EXPECT_LE(body.bytes.capacity(), limits.max_body_bytes) << coding.name;
  }
  EXPECT_EQ(UndoContentCodings(exact, "", limits).problem, "");
  EXPECT_EQ(UndoContentCodings(exact + "x", "", limits).problem, kBodyTooLarge);
}

TEST(ContentCodings, StopBombsEarly) {
  const std::string zeros(16 << 20, '\0');
  for (const Coding& coding : Codings()) {
    const std::string bomb = coding.pack(zeros);
    DecodeLimits limits;
    const Body within = UndoContentCodings(bomb, coding.name, limits);
    EXPECT_TRUE(within.problem == kBodyTooLarge || within.problem == kDecompressionRatio);
    EXPECT_LE(within.bytes.capacity(), limits.max_body_bytes) << coding.name;
    limits.max_body_bytes = 1 << 30;
    limits.max_expansion = 500;
    const Body body = UndoContentCodings(bomb, coding.name, limits);
    EXPECT_EQ(body.problem, kDecompressionRatio) << coding.name;
    EXPECT_LT(body.bytes.size(), zeros.size()) << coding.name;
  }
}

TEST(ContentCodings, CountTheRatioOfAllCodingsTogether) {
  const std::string zeros(4 << 20, '\0');
  DecodeLimits limits;
  EXPECT_EQ(UndoContentCodings(testing::Gzip(zeros), "gzip", {}).problem, kDecompressionRatio);
  limits.max_expansion = 2000;
  EXPECT_EQ(UndoContentCodings(testing::Gzip(zeros), "gzip", limits).problem, "");
  EXPECT_EQ(UndoContentCodings(testing::Gzip(testing::Gzip(zeros)), "gzip,gzip", limits).problem,
            kDecompressionRatio);
}

TEST(ContentCodings, AllowAnyRatioForSmallBodies) {
  const std::string zeros(1 << 20, '\0');
  DecodeLimits limits;
  limits.max_expansion = 2;
  EXPECT_EQ(UndoContentCodings(testing::Brotli(zeros), "br", limits).problem, "");
}

TEST(ContentCodings, RefuseZstdWindowsThatHttpDoesNotNeed) {
  const std::string bytes = testing::Noise(100);
  EXPECT_EQ(UndoContentCodings(testing::Zstd(bytes, 23), "zstd", {}).problem, "");
  EXPECT_EQ(UndoContentCodings(testing::Zstd(bytes, 24), "zstd", {}).problem, kBadEncoding);
}

}  // namespace
}  // namespace crawlsieve::consumer
