#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Writes numbers and texts as Java's DataOutput and Hadoop's Writable do: most significant byte
/// first, lengths in variable-length integers. Appends to `out`, which it borrows.
class HadoopWriter {
 public:
  explicit HadoopWriter(std::string& out) : out_(out) {}

  void Byte(std::uint8_t value) { out_ += static_cast<char>(value); }
  void Int(std::int32_t value) { Bytes(static_cast<std::uint32_t>(value), 4); }
  void Long(std::int64_t value) { Bytes(static_cast<std::uint64_t>(value), 8); }
  void Float(float value);
  /// Text.writeString: the number of bytes, and the UTF-8.
  void Text(std::string_view value);

 private:
  void Bytes(std::uint64_t value, int count);
  void LengthOf(std::string_view value);

  std::string& out_;
};

/// A SequenceFile of Hadoop, version 6, without compression: its head, which names the classes of
/// keys and values.
[[nodiscard]] std::string SequenceFileHead(std::string_view key_class,
                                           std::string_view value_class);

/// One record of it, with the mark in front that readers look for when they begin in the middle.
/// `key` and `value` as their classes write them.
[[nodiscard]] std::string SequenceFileRecord(std::string_view key, std::string_view value);

}  // namespace crawlsieve::consumer
