#pragma once

#include "plugin/base/doc_id.h"
#include "plugin/base/result.h"
#include "plugin/judge/fold_progress.h"

#include <cstdint>
#include <string>

namespace crawlsieve {

namespace slots {
class Layout;
class Place;
}  // namespace slots

/// Slots answer so many entries ahead of the changes that they have. The judge keeps as many
/// documents itself.
inline constexpr std::int64_t kSlotWindow = 32'768;

/// How an index is shared out to slots: in stripes of the order, so that slots stay equally large
/// and every slot holds old documents and new ones. Value type.
struct SlotLayout {
  /// A judge remembers an answer of each slot to each entry of a window: 48 bytes each at least.
  static constexpr std::uint32_t kMostSlots = 256;
  static constexpr std::uint32_t kMostStripeBits = 32;

  std::uint32_t slots = 1;
  std::uint32_t stripe_bits = 16;
  std::string scheme;  ///< of the fingerprints

  [[nodiscard]] std::uint32_t SlotOf(DocId document) const {
    return static_cast<std::uint32_t>((document.sequence >> stripe_bits) % slots);
  }

  /// As messages have it: "3 slots of scheme cs2-1234, stripes of 2^16".
  [[nodiscard]] std::string Name() const;

  friend bool operator==(const SlotLayout&, const SlotLayout&) = default;
};

/// No log is so long. What is above would overflow where windows are added to it.
inline constexpr std::int64_t kLastSlotOffset = std::int64_t{1} << 62;

/// A place in the log that a fold has committed: whoever names the same one speaks of the same log
/// and of the same rows.
struct SlotPlace {
  LogPosition position;
  std::uint64_t sequence = 0;

  friend bool operator==(const SlotPlace& a, const SlotPlace& b) {
    return a.position.offset == b.position.offset && a.sequence == b.sequence &&
           a.position.entry_checksum == b.position.entry_checksum;
  }
};

/// The parts that records share. Errors of reading: kCorruption, with what is wrong.
void Write(const SlotLayout& layout, slots::Layout& record);
void Write(const SlotPlace& place, slots::Place& record);
[[nodiscard]] Result<SlotLayout> Read(const slots::Layout& record);
[[nodiscard]] Result<SlotPlace> Read(const slots::Place& record);

}  // namespace crawlsieve
