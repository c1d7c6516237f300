#pragma once

#include "plugin/index/base/line.h"
#include "plugin/index/base/line_array.h"
#include "plugin/index/bucket/document_ref.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace crawlsieve {

/// The overflow lines of a BucketTable that their cells had no room for, with their document
/// numbers.
///
/// A line's `next` has 16 bits, and a large table needs millions of these lines. So the buckets are
/// dealt out to banks by a hash of their address, and each bank numbers its lines from 0 on. A bank
/// has 8192 buckets, with room for 7 lines of each; when buckets get longer because they aren't
/// split any more, it has fewer, down to 256 with room for 254 lines of each. A bucket that needs
/// so many more than the others is a Nest by then.
///
///     lines:   | line 0 of bank 0 | line 0 of bank 1 | ... | line 1 of bank 0 | line 1 of bank 1 |
///
/// So a lookup finds a line without reading anything else, and as banks have about as many lines
/// each, few places are idle.
///
/// Thread-compatible.
class FarLines {
 public:
  /// Lines that a bank can have.
  static constexpr std::uint32_t kMost = 0x10000 - 512;
  /// No line.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// For 2^address_bits buckets of `run` first lines.
  FarLines(int address_bits, int run, bool with_documents);

  /// Takes an empty line for the bucket at `address` and returns its number; kNone: the bank has
  /// all it can. Other lines may move.
  [[nodiscard]] std::uint32_t Take(std::uint64_t address);
  /// The reverse. What is in the line is lost.
  void GiveBack(std::uint64_t address, std::uint32_t number);

  [[nodiscard]] Line* At(std::uint64_t address, std::uint32_t number) const {
    return lines_.data() + PlaceOf(BankOf(address), number);
  }
  [[nodiscard]] bool Has(const Line* line) const {
    return !std::less<>()(line, lines_.data()) &&
           std::less<>()(line, lines_.data() + lines_.size());
  }
  /// Where the document number of a slot of one of these lines is. Only with documents.
  [[nodiscard]] DocumentRef DocumentAt(const Line* line, std::size_t slot) const {
    const auto i = static_cast<std::size_t>(line - lines_.data());
    return {reinterpret_cast<unsigned char*>(documents_.data()) + i * kDocumentBytes +
                slot * DocumentRef::kWide,
            DocumentRef::kWide};
  }

  /// Memory taken, in bytes.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  static constexpr std::size_t kMostSlots = 12;
  // Of the document numbers of a line.
  static constexpr std::size_t kDocumentBytes = kMostSlots * DocumentRef::kWide;

  struct Bank {
    std::uint32_t taken = 0;     // lines ever taken
    std::uint32_t free = kNone;  // a list of those given back, linked by `next`
  };

  [[nodiscard]] std::size_t BankOf(std::uint64_t address) const {
    // Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4). Two
    // shifts, as there may be one bank, and 64 bits can't be shifted away at once.
    return address * 0x9e37'79b9'7f4a'7c15 >> 1 >> (63 - bank_bits_);
  }
  [[nodiscard]] std::size_t PlaceOf(std::size_t bank, std::uint32_t number) const {
    return (std::size_t{number} << bank_bits_) + bank;
  }

  const int bank_bits_;
  const bool with_documents_;
  LineArray lines_;
  LineArray documents_;
  std::vector<Bank> banks_;
};

}  // namespace crawlsieve
