#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace crawlsieve::schedule {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

/// Appends numbers to a string, least significant byte first. Thread-compatible.
class ByteWriter {
 public:
  void Fixed(std::uint64_t value, std::size_t bytes) {
    char written[sizeof value];
    std::memcpy(written, &value, sizeof value);
    out_.append(written, bytes);
  }
  /// Seven bits a byte, one to ten bytes.
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) Fixed(value | 0x80, 1);
    Fixed(value, 1);
  }
  void Text(std::string_view text) {
    Varint(text.size());
    out_.append(text);
  }
  [[nodiscard]] std::string Take() && { return std::move(out_); }

 private:
  std::string out_;
};

/// Reads what ByteWriter wrote. After the first value that isn't there, every value is 0 and `ok`
/// is false. Views into the bytes it was given. Thread-compatible.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t Fixed(std::size_t bytes) {
    if (bytes_.size() < bytes) return Fail();
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data(), bytes);
    bytes_.remove_prefix(bytes);
    return value;
  }
  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      const std::uint64_t byte = Fixed(1);
      if (!ok_ || (shift == 63 && byte > 1)) return Fail();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return Fail();
  }
  std::string_view Text() {
    const std::uint64_t size = Varint();
    if (size > bytes_.size()) {
      Fail();
      return {};
    }
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  std::uint64_t Fail() {
    ok_ = false;
    bytes_ = {};
    return 0;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace crawlsieve::schedule
