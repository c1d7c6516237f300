#include "tests/consumer/output/scores/message_pack.h"

#include <bit>

namespace crawlsieve::consumer {
namespace {

using Kind = PackedValue::Kind;

std::optional<std::uint64_t> TakeNumber(std::string_view& bytes, std::size_t size) {
  if (bytes.size() < size) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(size);
  return value;
}

std::optional<PackedValue> TakeText(std::string_view& bytes, Kind kind,
                                    std::optional<std::uint64_t> size) {
  if (!size.has_value() || bytes.size() < *size) return std::nullopt;
  PackedValue value;
  value.kind = kind;
  value.text = bytes.substr(0, *size);
  bytes.remove_prefix(*size);
  return value;
}

std::optional<PackedValue> TakeItems(std::string_view& bytes, Kind kind, std::size_t count) {
  PackedValue value;
  value.kind = kind;
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<PackedValue> item = TakePacked(bytes);
    if (!item.has_value()) return std::nullopt;
    value.items.push_back(*std::move(item));
  }
  return value;
}

PackedValue Number(double number) {
  PackedValue value;
  value.kind = Kind::kNumber;
  value.number = number;
  return value;
}

}  // namespace

std::optional<PackedValue> TakePacked(std::string_view& bytes) {
  const std::optional<std::uint64_t> head = TakeNumber(bytes, 1);
  if (!head.has_value()) return std::nullopt;
  if (*head < 0x80) return Number(static_cast<double>(*head));
  if ((*head & 0xf0) == 0x80) return TakeItems(bytes, Kind::kMap, 2 * (*head & 0x0f));
  if ((*head & 0xf0) == 0x90) return TakeItems(bytes, Kind::kList, *head & 0x0f);
  if ((*head & 0xe0) == 0xa0) return TakeText(bytes, Kind::kText, *head & 0x1f);
  switch (*head) {
    case 0xc2:
    case 0xc3: {
      PackedValue value = Number(*head == 0xc3 ? 1 : 0);
      value.kind = Kind::kBool;
      return value;
    }
    case 0xc4:
      return TakeText(bytes, Kind::kBytes, TakeNumber(bytes, 1));
    case 0xc5:
      return TakeText(bytes, Kind::kBytes, TakeNumber(bytes, 2));
    case 0xca: {
      const auto bits = TakeNumber(bytes, 4);
      if (!bits.has_value()) return std::nullopt;
      return Number(std::bit_cast<float>(static_cast<std::uint32_t>(*bits)));
    }
    case 0xcb: {
      const auto bits = TakeNumber(bytes, 8);
      if (!bits.has_value()) return std::nullopt;
      return Number(std::bit_cast<double>(*bits));
    }
    case 0xd9:
      return TakeText(bytes, Kind::kText, TakeNumber(bytes, 1));
    case 0xda:
      return TakeText(bytes, Kind::kText, TakeNumber(bytes, 2));
    default:
      return std::nullopt;
  }
}

}  // namespace crawlsieve::consumer
