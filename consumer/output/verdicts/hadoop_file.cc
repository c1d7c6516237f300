#include "consumer/output/verdicts/hadoop_file.h"

#include <bit>

namespace crawlsieve::consumer {
namespace {

/// The same in every file, so that the same verdicts give the same bytes. No text in UTF-8 can
/// contain it.
constexpr std::string_view kSync = "\xC1sieve\xC1sieve\xC1\xFE\xFE\xFE";
static_assert(kSync.size() == 16);

constexpr std::int32_t kSyncEscape = -1;  // in place of a record's length

}  // namespace

void HadoopWriter::Bytes(std::uint64_t value, int count) {
  while (count-- > 0) Byte(static_cast<std::uint8_t>(value >> (8 * count)));
}

void HadoopWriter::Float(float value) { Bytes(std::bit_cast<std::uint32_t>(value), 4); }

/// WritableUtils.writeVLong of a number that isn't negative.
void HadoopWriter::LengthOf(std::string_view value) {
  const std::uint64_t length = value.size();
  if (length <= 127) {
    Byte(static_cast<std::uint8_t>(length));
    return;
  }
  const int bytes = (static_cast<int>(std::bit_width(length)) + 7) / 8;
  Byte(static_cast<std::uint8_t>(-112 - bytes));
  Bytes(length, bytes);
}

void HadoopWriter::Text(std::string_view value) {
  LengthOf(value);
  out_ += value;
}

std::string SequenceFileHead(std::string_view key_class, std::string_view value_class) {
  constexpr std::uint8_t kVersion = 6;
  std::string head = "SEQ";
  HadoopWriter write(head);
  write.Byte(kVersion);
  write.Text(key_class);
  write.Text(value_class);
  write.Byte(0);  // values aren't compressed
  write.Byte(0);  // nor blocks of them
  write.Int(0);   // no metadata
  head += kSync;
  return head;
}

std::string SequenceFileRecord(std::string_view key, std::string_view value) {
  std::string record;
  HadoopWriter write(record);
  write.Int(kSyncEscape);
  record += kSync;
  write.Int(static_cast<std::int32_t>(key.size() + value.size()));
  write.Int(static_cast<std::int32_t>(key.size()));
  record += key;
  record += value;
  return record;
}

}  // namespace crawlsieve::consumer
