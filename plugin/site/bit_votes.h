#pragma once

#include "plugin/schedule/byte_writer.h"

#include <array>
#include <cstdint>

namespace crawlsieve::site {

/// The centre of simhashes that come one after the other: each of the 64 bits has a vote between
/// -7 and 7, which a simhash with the bit raises by one, and one without it lowers. What many of
/// them said long ago is outvoted by seven.
///
/// Votes are four bits each, and are counted as they are written, 16 at a time. Value type.
class BitVotes {
 public:
  static constexpr std::uint64_t kMaxEncodedBytes = 32;

  void Add(std::uint64_t simhash) {
    centre_ = 0;
    for (unsigned i = 0; i < votes_.size(); ++i) {
      const std::uint64_t votes = votes_[i];
      const std::uint64_t set = Spread(simhash >> kVotesOfAWord * i & 0xffff);
      const std::uint64_t most = votes >> 3 & votes >> 2 & votes >> 1;  // 14: there is no 15
      const std::uint64_t above_least = votes >> 3 | votes >> 2 | votes >> 1 | votes;
      votes_[i] = votes + (set & ~most) - (kOnes & ~set & above_least);
      centre_ |= CentreOf(votes_[i]) << kVotesOfAWord * i;
    }
  }

  /// The bits whose vote is above 0.
  [[nodiscard]] std::uint64_t centre() const { return centre_; }

  void Encode(schedule::ByteWriter& out) const {
    for (const std::uint64_t votes : votes_) out.Fixed(votes, sizeof votes);
  }
  /// False: not what Encode writes.
  [[nodiscard]] bool Decode(schedule::ByteReader& in) {
    centre_ = 0;
    for (unsigned i = 0; i < votes_.size(); ++i) {
      const std::uint64_t votes = in.Fixed(sizeof votes);
      if ((votes >> 3 & votes >> 2 & votes >> 1 & votes & kOnes) != 0) return false;
      votes_[i] = votes;
      centre_ |= CentreOf(votes) << kVotesOfAWord * i;
    }
    return in.ok();
  }

  friend bool operator==(const BitVotes&, const BitVotes&) = default;

 private:
  static constexpr unsigned kVotesOfAWord = 16;
  static constexpr std::uint64_t kOnes = 0x1111111111111111;
  static constexpr std::uint64_t kNoVotes = 7 * kOnes;  ///< a vote is written as 7 more

  /// Each of 16 bits becomes the lowest of four.
  [[nodiscard]] static std::uint64_t Spread(std::uint64_t bits) {
    bits = (bits | bits << 24) & 0x000000ff000000ff;
    bits = (bits | bits << 12) & 0x000f000f000f000f;
    bits = (bits | bits << 6) & 0x0303030303030303;
    return (bits | bits << 3) & kOnes;
  }
  /// Of 16 votes, those that are above 0: written as 8 or more.
  [[nodiscard]] static std::uint64_t CentreOf(std::uint64_t votes) {
    std::uint64_t bits = votes >> 3 & kOnes;
    bits = (bits | bits >> 3) & 0x0303030303030303;
    bits = (bits | bits >> 6) & 0x000f000f000f000f;
    bits = (bits | bits >> 12) & 0x000000ff000000ff;
    return (bits | bits >> 24) & 0xffff;
  }

  std::array<std::uint64_t, 4> votes_{kNoVotes, kNoVotes, kNoVotes, kNoVotes};
  std::uint64_t centre_ = 0;
};

}  // namespace crawlsieve::site
