#include "plugin/fingerprint/content_checksum.h"

#include "plugin/fingerprint/random_hash.h"
#include "tests/support/xxh3_collision.h"

#include <array>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::PublicSecret;
using testing::SecretOf;

const std::string kTarget(4 * 1024 + 1, 't');

/// A body of other bytes that collides with kTarget.
std::string Collision(std::span<const std::byte> secret) {
  std::string body(kTarget.size() - 64, 'b');
  body.append(kTarget.substr(kTarget.size() - 64));
  return testing::CollideXxh3(std::move(body), kTarget, secret);
}

TEST(ContentChecksum, OfBodiesWithOneRawChecksumDiffers) {
  const std::string body = Collision(PublicSecret());
  ASSERT_NE(body, kTarget);
  ASSERT_EQ(RawChecksum(body), RawChecksum(kTarget));
  const ContentChecksum checksum({.key = "key"});
  EXPECT_NE(checksum.OfBytes(body), checksum.OfBytes(kTarget));
  EXPECT_NE(checksum.OfText(body), checksum.OfText(kTarget));
  const RandomHash hash;
  EXPECT_NE(hash(body, ""), hash(kTarget, ""));
}

// Why there is a version 2: whoever knows the key, or finds its secret in verdicts, can do this.
TEST(ContentChecksum, OfVersion1CanBeForgedWithTheKey) {
  for (const std::string key : {"", "secret"}) {
    const std::string body = Collision(SecretOf(key));
    const ContentChecksum first({.key = key, .version = SchemeVersion::k1});
    EXPECT_EQ(first.OfBytes(body), first.OfBytes(kTarget));
    const ContentChecksum second({.key = key});
    EXPECT_NE(second.OfBytes(body), second.OfBytes(kTarget));
  }
}

TEST(ContentChecksum, OfATextIsNotThatOfItsBytes) {
  const ContentChecksum checksum({});
  EXPECT_NE(checksum.OfText("some words"), checksum.OfBytes("some words"));
  EXPECT_NE(checksum.OfText("some words"), checksum.OfBytes("\x01some words"));
}

// printf '\1abc' | sha256sum
TEST(ContentChecksum, IsSha256OfAByteAndTheContent) {
  const ContentChecksum checksum({.key = "any"});
  EXPECT_EQ(Hex(checksum.OfText("abc")), "1e18834c426d00e57788444cb3ccd62c");
  EXPECT_EQ(Hex(checksum.OfBytes("abc")), "609f6e36d2405585188d5cfd761f407c");
}

}  // namespace
}  // namespace crawlsieve
