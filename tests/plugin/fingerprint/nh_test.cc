#include "plugin/fingerprint/nh.h"

#include <array>
#include <random>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

constexpr std::size_t kLongest = 10 * kNhBlock;
using Key = std::array<std::uint64_t, kLongest / 8>;

Key MakeKey(unsigned seed) {
  std::mt19937_64 random(seed);
  Key key;
  for (std::uint64_t& word : key) word = random();
  return key;
}

/// As its definition says, a word after the other.
NhValue Oracle(const Key& key, std::string bytes) {
  bytes.resize((std::max<std::size_t>(bytes.size(), 1) + kNhBlock - 1) / kNhBlock * kNhBlock);
  nh_internal::Uint128 sum = 0;
  for (std::size_t i = 0; i < bytes.size() / 8; i += 2) {
    const std::uint64_t a = nh_internal::Read64(bytes.data() + 8 * i) + key[i];
    const std::uint64_t b = nh_internal::Read64(bytes.data() + 8 * i + 8) + key[i + 1];
    sum += nh_internal::Uint128{a} * b;
  }
  return {static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(sum >> 64)};
}

TEST(Nh, IsItsDefinitionAtEveryLengthWhateverIsBehind) {
  const Key key = MakeKey(1);
  std::mt19937_64 random(2);
  std::string memory(kLongest + 100, '\0');
  for (char& c : memory) c = static_cast<char>(random());
  for (std::size_t length = 0; length <= kLongest; ++length) {
    const std::string_view bytes = std::string_view(memory).substr(0, length);
    const NhValue expected = Oracle(key, std::string(bytes));
    EXPECT_EQ(Nh(key.data(), bytes, bytes.data() + length), expected) << length;
    EXPECT_EQ(Nh(key.data(), bytes, memory.data() + memory.size()), expected) << length;
    const std::string alone(bytes);  // where a sanitizer sees what is read behind it
    EXPECT_EQ(Nh(key.data(), alone, alone.data() + length), expected) << length;
  }
}

TEST(Nh, AddsTheProductThatItIsGiven) {
  const Key key = MakeKey(5);
  const std::string bytes(100, 'a');
  const NhTerm more{0xfedcba9876543210, 0xf0f0f0f0f0f0f0f1};
  const NhValue without = Nh(key.data(), bytes, bytes.data() + bytes.size());
  const NhValue with = Nh(key.data(), bytes, bytes.data() + bytes.size(), more);
  using nh_internal::Uint128;
  const auto number = [](const NhValue& value) { return Uint128{value.high} << 64 | value.low; };
  EXPECT_TRUE(number(with) == number(without) + Uint128{more.word} * more.key);
}

TEST(Nh, DependsOnEveryBitAndOnTheKey) {
  const Key key = MakeKey(3);
  for (const std::size_t length : {1, 7, 16, 48, 49, 100}) {
    std::string bytes(length, 'a');
    const auto value = [&] {
      const NhValue nh = Nh(key.data(), bytes, bytes.data() + bytes.size());
      return std::pair(nh.low, nh.high);
    };
    std::set<std::pair<std::uint64_t, std::uint64_t>> values{value()};
    for (std::size_t bit = 0; bit < 8 * length; ++bit) {
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
      values.insert(value());
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
    }
    EXPECT_EQ(values.size(), 8 * length + 1);
    const Key other = MakeKey(4);
    EXPECT_NE(Nh(other.data(), bytes, bytes.data()), Nh(key.data(), bytes, bytes.data()));
  }
}

}  // namespace
}  // namespace crawlsieve
