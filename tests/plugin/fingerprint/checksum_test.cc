#include "plugin/fingerprint/checksum.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

std::string Alphabet(std::size_t length) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text.push_back(static_cast<char>('a' + i % 26));
  return text;
}

// The digits come from `xxhsum -H2` 0.8.1, one for each way XXH3 treats lengths.
TEST(RawChecksum, EqualsXxhsum) {
  EXPECT_EQ(Hex(RawChecksum("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(Hex(RawChecksum("a")), "a96faf705af16834e6c632b61e964e1f");
  EXPECT_EQ(Hex(RawChecksum("crawlsieve")), "9a542385044841171a2b5e954e6a9234");
  EXPECT_EQ(Hex(RawChecksum("The quick brown fox jumps over the lazy dog")),
            "ddd650205ca3e7fa24a1cc2e3a8a7651");
  EXPECT_EQ(Hex(RawChecksum(Alphabet(200))), "f0e244b452ba3d2f0987ab52e1e85b39");
  EXPECT_EQ(Hex(RawChecksum(Alphabet(1000))), "b68384db4f7b6231e153425558d7da5d");
}

TEST(Checksum, BytesAreMostSignificantFirst) {
  const Checksum checksum{.high = 0x0102030405060708, .low = 0x090a0b0c0d0e0ff0};
  EXPECT_EQ(Hex(checksum), "0102030405060708090a0b0c0d0e0ff0");
  EXPECT_EQ(ToBytes(checksum), "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xf0");
}

TEST(Checksum, SurvivesTheWayThroughBytes) {
  for (const std::size_t length : {0u, 1u, 17u, 500u}) {
    const Checksum checksum = RawChecksum(Alphabet(length));
    const Result<Checksum> back = ChecksumFromBytes(ToBytes(checksum));
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(*back, checksum);
  }
}

TEST(Checksum, RefusesAnyOtherNumberOfBytes) {
  for (const std::size_t length : {0u, 1u, 8u, 15u, 17u, 32u}) {
    const Result<Checksum> result = ChecksumFromBytes(Alphabet(length));
    ASSERT_FALSE(result.has_value()) << length;
    EXPECT_EQ(result.error().code, ErrorCode::kCorruption);
  }
}

TEST(KeyedChecksum, IsTheSameForTheSameKey) {
  EXPECT_EQ(KeyedChecksum("key")(Alphabet(1000)), KeyedChecksum("key")(Alphabet(1000)));
}

TEST(KeyedChecksum, DependsOnTheKeyAtEveryLength) {
  for (std::size_t length = 0; length < 600; ++length) {
    const std::string text = Alphabet(length);
    const std::set<Checksum> checksums{RawChecksum(text), KeyedChecksum("")(text),
                                       KeyedChecksum("a")(text), KeyedChecksum("b")(text)};
    EXPECT_EQ(checksums.size(), 4u) << length;
  }
}

TEST(KeyedChecksum, DependsOnEveryByte) {
  const KeyedChecksum keyed("key");
  for (const std::size_t length : {1u, 16u, 100u, 240u, 1100u}) {
    std::string text = Alphabet(length);
    std::set<Checksum> checksums{keyed(text)};
    for (char& c : text) {
      c ^= 1;
      checksums.insert(keyed(text));
      c ^= 1;
    }
    EXPECT_EQ(checksums.size(), length + 1);
  }
}

}  // namespace
}  // namespace crawlsieve
