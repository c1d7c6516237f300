#include "plugin/fingerprint/key.h"

#include "plugin/base/hex.h"
#include "plugin/fingerprint/sha256.h"

#include <array>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

std::string Derived(std::string_view key, std::string_view purpose, std::size_t size) {
  std::string bytes(size, '\0');
  DeriveBytes(key, purpose, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

TEST(RandomKey, IsLongAndNeverTheSame) {
  std::set<std::string> keys;
  for (int i = 0; i < 100; ++i) {
    const std::string key = RandomKey();
    EXPECT_EQ(key.size(), 64U);
    EXPECT_EQ(key.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_FALSE(IsGuessable(key));
    keys.insert(key);
  }
  EXPECT_EQ(keys.size(), 100U);
}

TEST(DeriveBytes, DependOnKeyAndPurpose) {
  const std::set<std::string> all = {Derived("k", "a", 32), Derived("", "a", 32),
                                     Derived("k", "b", 32), Derived("k", "", 32),
                                     Derived(std::string("k\0", 2), "a", 32)};
  EXPECT_EQ(all.size(), 5U);
}

TEST(DeriveBytes, AreAsManyAsAreAskedForAndBeginAlike) {
  const std::string many = Derived("key", "purpose", 1000);
  for (const std::size_t size : {0, 1, 31, 32, 33, 500}) {
    EXPECT_EQ(Derived("key", "purpose", size), many.substr(0, size)) << size;
  }
  EXPECT_NE(many.substr(0, 32), many.substr(32, 32));
}

// HMAC-SHA-256 of "purpose\0\0\0\0\1" under SHA-256 of "key", by Python's hmac.
TEST(DeriveBytes, AreHmacUnderTheHashOfTheKey) {
  std::array<std::byte, 32> bytes;
  DeriveBytes("key", "purpose", bytes);
  EXPECT_EQ(HexOf(bytes), "1b31c4eab36c499e1ef23d29cc4f7e72617223aeb3756817bd54eaa652d022f1");
}

TEST(Sha256, IsThatOfTheStandard) {
  Sha256 sha256;
  EXPECT_EQ(HexOf(sha256.Add("abc").Finish()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HexOf(sha256.Finish()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Hex(sha256.Add("a").Add("").Add("bc").FinishChecksum()),
            "ba7816bf8f01cfea414140de5dae2223");
}

}  // namespace
}  // namespace crawlsieve
