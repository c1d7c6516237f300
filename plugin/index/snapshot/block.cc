#include "plugin/index/snapshot/block.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

namespace crawlsieve {
namespace {

static_assert(std::endian::native == std::endian::little, "integers are stored as they are");

// Layout of a block.
constexpr std::size_t kFirstKeyAt = 0;
constexpr std::size_t kCountAt = 8;
constexpr std::size_t kRiceBitsAt = 10;
constexpr std::size_t kCodesAt = 11;
constexpr std::size_t kChecksumAt = 252;
constexpr std::size_t kCodeBits = (kChecksumAt - kCodesAt) * 8;

// A gap of this many times 2^rice_bits or more is stored whole instead: no gap takes over 88 bits.
constexpr int kEscape = 24;

std::uint32_t BlockChecksum(const std::byte* bytes, std::uint64_t position) {
  const Checksum checksum = RawChecksum({reinterpret_cast<const char*>(bytes), kChecksumAt});
  // A block in another's place is as wrong as a changed one.
  return static_cast<std::uint32_t>(checksum.low ^ (position * 0x9e37'79b9'7f4a'7c15) >> 32);
}

/// The number of low bits to store as they are, for gaps of a geometric distribution: with r of
/// them a gap takes r + 1 / (1 - exp(-2^r / mean)) bits. That is least near log2(mean * ln 2).
int BestRiceBits(double mean_gap) {
  const double mean = std::max(mean_gap, 1.0);
  const auto cost = [mean](int bits) { return bits - 1 / std::expm1(-std::ldexp(1 / mean, bits)); };
  const int below = std::clamp(static_cast<int>(std::log2(mean * std::log(2.0))), 0, 62);
  return cost(below) <= cost(below + 1) ? below : below + 1;
}

/// Writes bits, lowest first, eight bytes at a time.
class BitWriter {
 public:
  explicit BitWriter(std::byte* bytes) : bytes_(bytes) {}

  /// The low `bits` bits of `value`, which has no others. At most 64.
  void Put(std::uint64_t value, int bits) {
    word_ |= value << used_;
    if (used_ + bits < 64) {
      used_ += bits;
      return;
    }
    Flush();
    word_ = used_ == 0 ? 0 : value >> (64 - used_);
    used_ += bits - 64;
  }

  /// A gap of which `rice_bits` low bits are stored as they are.
  void PutGap(std::uint64_t gap, int rice_bits) {
    const std::uint64_t quotient = gap >> rice_bits;
    if (quotient >= kEscape) {
      Put((std::uint64_t{1} << kEscape) - 1, kEscape);
      Put(gap, 64);
      return;
    }
    const int unary = static_cast<int>(quotient);
    Put((std::uint64_t{1} << unary) - 1, unary + 1);
    Put(gap & ((std::uint64_t{1} << rice_bits) - 1), rice_bits);
  }

  /// Writes what is left, and zeros up to eight bytes.
  void Flush() {
    std::memcpy(bytes_, &word_, sizeof(word_));
    bytes_ += sizeof(word_);
  }

 private:
  std::byte* bytes_;
  std::uint64_t word_ = 0;
  int used_ = 0;  // bits of word_, fewer than 64
};

/// Bits that a gap takes.
std::size_t GapBits(std::uint64_t gap, int rice_bits) {
  const std::uint64_t quotient = gap >> rice_bits;
  if (quotient >= kEscape) return kEscape + 64;
  return static_cast<std::size_t>(quotient) + 1 + static_cast<std::size_t>(rice_bits);
}

/// Reads bits, lowest first, of a block with eight bytes more behind it.
class BitReader {
 public:
  explicit BitReader(const std::byte* bytes) : bytes_(bytes) {}

  /// At most 56 bits.
  [[nodiscard]] std::uint64_t Peek(std::size_t at) const {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes_ + at / 8, sizeof(word));
    return word >> at % 8;
  }
  [[nodiscard]] std::uint64_t Get(std::size_t at, int bits) const {
    if (bits <= 32) return Peek(at) & ((std::uint64_t{1} << bits) - 1);
    return (Peek(at) & 0xffff'ffff) | Get(at + 32, bits - 32) << 32;
  }

 private:
  const std::byte* bytes_;
};

}  // namespace

BlockEncoder::BlockEncoder(int document_bits, double mean_gap)
    : document_bits_(document_bits), likely_rice_bits_(BestRiceBits(mean_gap)) {
  assert(document_bits >= 0 && document_bits <= kMaxDocumentBits);
}

std::size_t BlockEncoder::CodedBits(int rice_bits) const {
  std::size_t bits = count_ * static_cast<std::size_t>(document_bits_);
  for (std::size_t i = 1; i < count_; ++i) {
    bits += GapBits(entries_[i].key - entries_[i - 1].key, rice_bits);
  }
  return bits;
}

bool BlockEncoder::Recode(const BlockEntry& next) {
  const std::uint64_t gap = next.key - entries_[count_ - 1].key;
  for (const int other : {likely_rice_bits_ - 1, likely_rice_bits_, likely_rice_bits_ + 1}) {
    if (other == rice_bits_ || other < 0 || other > 63) continue;
    const std::size_t bits = CodedBits(other);
    if (bits + GapBits(gap, other) + static_cast<std::size_t>(document_bits_) > kCodeBits) continue;
    rice_bits_ = other;
    coded_bits_ = bits;
    return true;
  }
  return false;
}

bool BlockEncoder::Add(const BlockEntry& entry) {
  assert(entry.document >> document_bits_ == 0);
  const auto document_bits = static_cast<std::size_t>(document_bits_);
  if (count_ == 0) {
    rice_bits_ = likely_rice_bits_;
    coded_bits_ = document_bits;
  } else {
    assert(entry.key >= entries_[count_ - 1].key);
    const std::uint64_t gap = entry.key - entries_[count_ - 1].key;
    if (coded_bits_ + GapBits(gap, rice_bits_) + document_bits > kCodeBits && !Recode(entry)) {
      return false;
    }
    coded_bits_ += GapBits(gap, rice_bits_) + document_bits;
  }
  entries_[count_++] = entry;
  return true;
}

BlockBytes BlockEncoder::Finish(std::uint64_t position) {
  assert(count_ != 0);
  bytes_.fill(std::byte{0});
  BitWriter codes(&bytes_[kCodesAt]);
  for (std::size_t i = 0; i < count_; ++i) {
    if (i != 0) codes.PutGap(entries_[i].key - entries_[i - 1].key, rice_bits_);
    codes.Put(entries_[i].document, document_bits_);
  }
  codes.Flush();
  const std::uint64_t first = entries_[0].key;
  std::memcpy(&bytes_[kFirstKeyAt], &first, sizeof(first));
  const auto count = static_cast<std::uint16_t>(count_);
  std::memcpy(&bytes_[kCountAt], &count, sizeof(count));
  bytes_[kRiceBitsAt] = static_cast<std::byte>(rice_bits_);
  const std::uint32_t checksum = BlockChecksum(bytes_.data(), position);
  std::memcpy(&bytes_[kChecksumAt], &checksum, sizeof(checksum));
  // The next block is likely to be as dense as this one.
  if (count_ > 1) {
    likely_rice_bits_ = BestRiceBits(static_cast<double>(entries_[count_ - 1].key - first) /
                                     static_cast<double>(count_ - 1));
  }
  count_ = 0;
  return BlockBytes(bytes_.data(), kBlockBytes);
}

Status DecodedBlock::Decode(BlockBytes source, std::uint64_t position, int document_bits,
                            std::uint64_t last) {
  // A copy: reading may run past the end, and a mapped file can change under the reader.
  std::array<std::byte, kBlockBytes + 8> bytes{};
  std::memcpy(bytes.data(), source.data(), kBlockBytes);
  const auto damaged = [position](std::string_view what) {
    return MakeError(ErrorCode::kCorruption,
                     "block " + std::to_string(position) + ": " + std::string(what));
  };
  std::uint32_t checksum = 0;
  std::memcpy(&checksum, &bytes[kChecksumAt], sizeof(checksum));
  if (checksum != BlockChecksum(bytes.data(), position)) return damaged("wrong checksum");
  std::uint16_t count = 0;
  std::memcpy(&count, &bytes[kCountAt], sizeof(count));
  const auto rice_bits = static_cast<int>(bytes[kRiceBitsAt]);
  if (count == 0 || count > kMaxBlockEntries || rice_bits > 63) return damaged("impossible header");

  const BitReader reader(&bytes[kCodesAt]);
  std::size_t at = 0;
  std::uint64_t key = FirstKey(BlockBytes(bytes.data(), kBlockBytes));
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) {
      std::uint64_t gap = 0;
      const int unary = std::min(std::countr_one(reader.Peek(at)), kEscape);
      at += static_cast<std::size_t>(unary);
      const int bits = unary == kEscape ? 64 : rice_bits;
      if (unary != kEscape) {
        ++at;
        if (static_cast<std::uint64_t>(unary) > ~std::uint64_t{0} >> rice_bits) {
          return damaged("a gap beyond 64 bits");
        }
        gap = static_cast<std::uint64_t>(unary) << rice_bits;
      }
      if (at + static_cast<std::size_t>(bits) > kCodeBits) return damaged("codes past the end");
      gap |= reader.Get(at, bits);
      at += static_cast<std::size_t>(bits);
      if (gap > ~key) return damaged("keys past the end");
      key += gap;
    }
    std::uint64_t document = 0;
    if (document_bits != 0) {
      if (at + static_cast<std::size_t>(document_bits) > kCodeBits) {
        return damaged("codes past the end");
      }
      document = reader.Get(at, document_bits);
      at += static_cast<std::size_t>(document_bits);
    }
    entries_[i] = {key, document};
    if (key > last) {
      count_ = i + 1;
      return {};
    }
  }
  count_ = count;
  return {};
}

std::uint64_t FirstKey(BlockBytes bytes) {
  std::uint64_t key = 0;
  std::memcpy(&key, bytes.data() + kFirstKeyAt, sizeof(key));
  return key;
}

}  // namespace crawlsieve
