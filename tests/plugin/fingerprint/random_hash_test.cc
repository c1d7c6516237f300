#include "plugin/fingerprint/random_hash.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

TEST(RandomHash, IsTheSameForTheSameBytesAndLabel) {
  const RandomHash hash;
  for (const std::size_t length : {0, 1, 47, 48, 49, 2303, 2304, 2305, 200'000}) {
    const std::string bytes(length, 'x');
    EXPECT_EQ(hash(bytes, "label"), hash(std::string(bytes), "label")) << length;
  }
}

TEST(RandomHash, OfAnotherObjectIsAnother) {
  EXPECT_NE(RandomHash()("bytes", ""), RandomHash()("bytes", ""));
}

TEST(RandomHash, TellsBytesFromLabelAndLengthsApart) {
  const RandomHash hash;
  const std::set<Checksum> hashes = {
      hash("ab", ""),  hash("a", "b"), hash("", "ab"), hash(std::string("ab\0", 3), ""),
      hash("a", "b "), hash("", ""),   hash("b", "a"), hash(std::string(1, '\0'), "")};
  EXPECT_EQ(hashes.size(), 8U);
}

TEST(RandomHash, DependsOnEveryByte) {
  const RandomHash hash;
  std::string bytes(5000, 'x');
  std::set<Checksum> hashes{hash(bytes, "")};
  for (char& c : bytes) {
    c = 'y';
    hashes.insert(hash(bytes, ""));
    c = 'x';
  }
  EXPECT_EQ(hashes.size(), bytes.size() + 1);
}

}  // namespace
}  // namespace crawlsieve
