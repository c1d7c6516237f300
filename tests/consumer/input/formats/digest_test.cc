#include "consumer/input/formats/digest.h"

#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

// printf 'abc' | openssl dgst -sha1 -binary | base32, and so on
constexpr const char* kSha1Base32 = "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5";
constexpr const char* kSha1Hex = "a9993e364706816aba3e25717850c26c9cd0d89d";
constexpr const char* kSha256Hex =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kSha256Base32 = "XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ====";

bool Matches(const std::string& digest, const std::string& bytes) {
  const auto parsed = Digest::Parse(digest);
  EXPECT_TRUE(parsed.has_value()) << digest;
  return parsed.has_value() && parsed->Matches(bytes);
}

TEST(Digest, IsWrittenAsWarcPayloadDigest) {
  EXPECT_EQ(Digest::Of(DigestKind::kSha1, "abc").Text(), std::string("sha1:") + kSha1Base32);
  EXPECT_EQ(Digest::Of(DigestKind::kSha256, "abc").Text(), std::string("sha256:") + kSha256Base32);
  // printf '' | openssl dgst -sha1 -binary | base32
  EXPECT_EQ(Digest::Of(DigestKind::kSha1, "").Text(), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
}

TEST(Digest, IsMadeOfAsManyBytesAsItsKindHas) {
  const Digest taken = Digest::Of(DigestKind::kSha1, "abc");
  const auto again = Digest::FromBytes(DigestKind::kSha1, taken.bytes());
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->Matches("abc"));
  EXPECT_FALSE(Digest::FromBytes(DigestKind::kSha256, taken.bytes()).has_value());
  EXPECT_FALSE(Digest::FromBytes(DigestKind::kSha1, "").has_value());
}

TEST(Digest, MatchesItsBytesHoweverItIsWritten) {
  for (const std::string& digest :
       {std::string("sha1:") + kSha1Base32, std::string("SHA1:") + kSha1Hex,
        std::string(kSha1Base32), std::string("vgmt4nsha2awvor6evyxqugcnsonbwe5"),
        std::string("sha256:") + kSha256Hex, std::string("sha256:") + kSha256Base32}) {
    EXPECT_TRUE(Matches(digest, "abc")) << digest;
    EXPECT_FALSE(Matches(digest, "abd")) << digest;
    EXPECT_FALSE(Matches(digest, "")) << digest;
  }
}

TEST(Digest, RefusesWhatItCannotRead) {
  for (const std::string& digest :
       {std::string(), std::string("-"), std::string("sha1:"), std::string("md5:") + kSha1Hex,
        std::string(kSha1Hex), std::string("sha1:") + kSha256Hex, std::string("sha256:") + kSha1Hex,
        std::string("sha1:") + kSha1Base32 + "A",
        std::string("sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE1"), std::string("sha512:aa")}) {
    EXPECT_FALSE(Digest::Parse(digest).has_value()) << digest;
  }
  EXPECT_TRUE(Digest::IsOfKnownAlgorithm("sha1:"));
  EXPECT_TRUE(Digest::IsOfKnownAlgorithm("SHA256:x"));
  EXPECT_FALSE(Digest::IsOfKnownAlgorithm("md5:x"));
}

}  // namespace
}  // namespace crawlsieve::consumer
