#include "plugin/fingerprint/aes.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

Aes128::Key CountingKey() {
  Aes128::Key key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  return key;
}

// FIPS 197, appendix C.1.
TEST(Aes128, IsThatOfItsStandard) {
  Aes128 aes(CountingKey());
  std::array<NhValue, 1> block{{{0x7766554433221100, 0xffeeddccbbaa9988}}};
  aes.Encrypt(block);
  EXPECT_EQ(block[0], (NhValue{0x30047b6ad8e0c469, 0x5ac5b47080b7cdd8}));
}

TEST(Aes128, EncryptsEachBlockByItselfAndEachTimeAlike) {
  Aes128 aes(CountingKey());
  std::vector<NhValue> many(100);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = {i / 2, 7};
  std::vector<NhValue> single = many;
  aes.Encrypt(many);
  for (NhValue& block : single) aes.Encrypt(std::span(&block, 1));
  EXPECT_EQ(many, single);
  EXPECT_EQ(many[0], many[1]);
  EXPECT_NE(many[0], many[2]);
}

TEST(Aes128, OfACopyHasTheSameKey) {
  Aes128 aes(CountingKey());
  Aes128 copy(aes);
  std::array<NhValue, 2> one{{{1, 2}, {3, 4}}};
  std::array<NhValue, 2> other = one;
  aes.Encrypt(one);
  copy.Encrypt(other);
  EXPECT_EQ(one, other);
  Aes128 another(Aes128::Key{});
  other = {{{1, 2}, {3, 4}}};
  another.Encrypt(other);
  EXPECT_NE(one[0], other[0]);
}

}  // namespace
}  // namespace crawlsieve
