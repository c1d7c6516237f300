#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>

namespace crawlsieve {

/// Where a table keeps the number of a document, in four or five bytes. Valid until the table
/// changes.
class DocumentRef {
 public:
  static constexpr int kNarrow = 4;
  static constexpr int kWide = 5;

  /// Nowhere.
  DocumentRef() = default;
  DocumentRef(unsigned char* bytes, int width) : bytes_(bytes), width_(width) {}

  explicit operator bool() const { return bytes_ != nullptr; }

  [[nodiscard]] std::uint64_t Read() const {
    std::uint64_t document = 0;
    std::memcpy(&document, bytes_, kNarrow);
    if (width_ == kWide) document |= std::uint64_t{bytes_[kNarrow]} << 32;
    return document;
  }

  /// `document` must fit.
  void Write(std::uint64_t document) const {
    assert(document >> 8 * width_ == 0);
    std::memcpy(bytes_, &document, kNarrow);
    if (width_ == kWide) bytes_[kNarrow] = static_cast<unsigned char>(document >> 32);
  }

  /// Starts loading it.
  void Prefetch() const { __builtin_prefetch(bytes_, 1); }

 private:
  unsigned char* bytes_ = nullptr;
  int width_ = 0;
};

}  // namespace crawlsieve
