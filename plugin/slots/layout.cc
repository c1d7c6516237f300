#include "plugin/slots/layout.h"

#include "plugin/slots/slots.pb.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

constexpr std::size_t kMostSchemeBytes = 256;
constexpr std::size_t kChecksumBytes = 16;

/// Whether a scheme may be called so; also, that it can stand in a message.
bool IsSchemeName(std::string_view name) {
  return name.size() <= kMostSchemeBytes &&
         std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

std::string SlotLayout::Name() const {
  return fmt::format("{} slots of scheme {}, stripes of 2^{}", slots, scheme, stripe_bits);
}

void Write(const SlotLayout& layout, slots::Layout& record) {
  record.set_slots(layout.slots);
  record.set_stripe_bits(layout.stripe_bits);
  record.set_scheme(layout.scheme);
}

void Write(const SlotPlace& place, slots::Place& record) {
  record.set_offset(place.position.offset);
  record.set_entry_checksum(place.position.entry_checksum);
  record.set_sequence(place.sequence);
}

Result<SlotLayout> Read(const slots::Layout& record) {
  if (record.slots() == 0 || record.slots() > SlotLayout::kMostSlots ||
      record.stripe_bits() > SlotLayout::kMostStripeBits || !IsSchemeName(record.scheme())) {
    return MakeError(ErrorCode::kCorruption,
                     fmt::format("a layout of {} slots with stripes of 2^{}", record.slots(),
                                 record.stripe_bits()));
  }
  return SlotLayout{record.slots(), record.stripe_bits(), record.scheme()};
}

Result<SlotPlace> Read(const slots::Place& record) {
  const bool is_begin = record.offset() == -1;
  if (record.offset() < -1 || record.offset() > kLastSlotOffset ||
      (is_begin && record.sequence() != 0) ||
      record.entry_checksum().size() != (is_begin ? 0 : kChecksumBytes)) {
    return MakeError(
        ErrorCode::kCorruption,
        fmt::format("a place at offset {}, number {}, with {} bytes of checksum", record.offset(),
                    record.sequence(), record.entry_checksum().size()));
  }
  return SlotPlace{{record.offset(), record.entry_checksum()}, record.sequence()};
}

}  // namespace crawlsieve
