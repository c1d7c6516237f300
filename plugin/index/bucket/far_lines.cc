#include "plugin/index/bucket/far_lines.h"

#include <algorithm>
#include <bit>

namespace crawlsieve {
namespace {

constexpr int kMostBucketBits = 13;  // of a bank
constexpr int kFewestBucketBits = 8;

int BankBits(int address_bits, int run) {
  const int longer = static_cast<int>(std::bit_width(static_cast<unsigned>(run))) - 1;
  return std::max(address_bits - std::max(kMostBucketBits - longer, kFewestBucketBits), 0);
}

}  // namespace

FarLines::FarLines(int address_bits, int run, bool with_documents)
    : bank_bits_(BankBits(address_bits, run)),
      with_documents_(with_documents),
      banks_(std::size_t{1} << bank_bits_) {}

std::uint32_t FarLines::Take(std::uint64_t address) {
  const std::size_t bank_number = BankOf(address);
  Bank& bank = banks_[bank_number];
  if (bank.free != kNone) {
    const std::uint32_t number = bank.free;
    Line& line = lines_.data()[PlaceOf(bank_number, number)];
    // One more than the number, as 0 says that the list ends.
    bank.free = Next(line) - 1;
    line.words[kHeaderWord] = 0;
    return number;
  }
  if (bank.taken == kMost) return kNone;
  const std::uint32_t number = bank.taken++;
  if (lines_.size() <= PlaceOf(bank_number, number)) {
    const std::size_t size = (std::size_t{number} + 1) << bank_bits_;
    lines_.Grow(size + size / 8 + 4);
    if (with_documents_) {
      documents_.Grow((lines_.size() * kDocumentBytes + kLineBytes - 1) / kLineBytes);
    }
  }
  return number;
}

void FarLines::GiveBack(std::uint64_t address, std::uint32_t number) {
  const std::size_t bank_number = BankOf(address);
  Bank& bank = banks_[bank_number];
  Line& line = lines_.data()[PlaceOf(bank_number, number)];
  line.words[kHeaderWord] = 0;
  SetNext(line, bank.free + 1);
  bank.free = number;
}

std::uint64_t FarLines::bytes() const {
  return (lines_.size() + documents_.size()) * kLineBytes + banks_.size() * sizeof(Bank);
}

}  // namespace crawlsieve
