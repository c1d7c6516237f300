#include "plugin/site/bit_votes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace crawlsieve::site {
namespace {

constexpr std::uint64_t kSeed = 20261126;

/// Bit by bit, and two votes a byte.
class Oracle {
 public:
  void Add(std::uint64_t simhash) {
    for (std::size_t bit = 0; bit < votes_.size(); ++bit) {
      votes_[bit] = std::clamp(votes_[bit] + ((simhash >> bit & 1) != 0 ? 1 : -1), -7, 7);
    }
  }
  [[nodiscard]] std::uint64_t centre() const {
    std::uint64_t centre = 0;
    for (std::size_t bit = 0; bit < votes_.size(); ++bit) {
      if (votes_[bit] > 0) centre |= std::uint64_t{1} << bit;
    }
    return centre;
  }
  [[nodiscard]] std::string Encode() const {
    std::string bytes;
    for (std::size_t bit = 0; bit < votes_.size(); bit += 2) {
      bytes.push_back(static_cast<char>((votes_[bit] + 7) | (votes_[bit + 1] + 7) << 4));
    }
    return bytes;
  }

 private:
  std::array<int, 64> votes_{};
};

std::string Bytes(const BitVotes& votes) {
  schedule::ByteWriter out;
  votes.Encode(out);
  return std::move(out).Take();
}

TEST(BitVotes, AreThoseOfABitAtATime) {
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", round " << round);
    const std::uint64_t usual = random();
    BitVotes votes;
    Oracle oracle;
    EXPECT_EQ(Bytes(votes), oracle.Encode());
    for (int i = 0; i < 40; ++i) {
      // Near to one simhash for a while, so that votes get as far as they can.
      const std::uint64_t simhash =
          round % 2 == 0 ? usual ^ (random() & random() & random()) : random();
      votes.Add(simhash);
      oracle.Add(simhash);
      ASSERT_EQ(votes.centre(), oracle.centre());
      ASSERT_EQ(Bytes(votes), oracle.Encode());
    }
  }
}

TEST(BitVotes, AreReadAsTheyWereWritten) {
  std::mt19937_64 random(kSeed);
  BitVotes votes;
  for (int i = 0; i < 20; ++i) votes.Add(random());
  const std::string bytes = Bytes(votes);
  schedule::ByteReader in(bytes);
  BitVotes read;
  ASSERT_TRUE(read.Decode(in));
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(read, votes);
}

TEST(BitVotes, OfAnotherNumberOrLengthAreRefused) {
  const std::string bytes = Bytes(BitVotes());
  ASSERT_EQ(bytes.size(), BitVotes::kMaxEncodedBytes);
  for (std::size_t bit = 0; bit < 64; ++bit) {
    std::string other = bytes;
    const int shift = bit % 2 == 0 ? 0 : 4;
    other[bit / 2] = static_cast<char>((0x77 & ~(0xf << shift)) | 0xf << shift);
    schedule::ByteReader in(other);
    BitVotes votes;
    EXPECT_FALSE(votes.Decode(in)) << bit;
  }
  schedule::ByteReader in(std::string_view(bytes).substr(1));
  BitVotes votes;
  EXPECT_FALSE(votes.Decode(in));
}

}  // namespace
}  // namespace crawlsieve::site
