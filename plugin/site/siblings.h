#pragma once

#include "plugin/schedule/byte_writer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve::site {

/// A content, as the judge tells contents apart: equal for pages that it took for one. The last bit
/// says whether it has too little text to be compared. The three before it are free for whoever
/// remembers a content: 0 where nobody says otherwise.
using ContentMark = std::uint32_t;
inline constexpr unsigned kNoteShift = 1;
inline constexpr ContentMark kNoteBits = 7 << kNoteShift;
[[nodiscard]] constexpr bool IsShort(ContentMark content) { return (content & 1) != 0; }
[[nodiscard]] constexpr ContentMark WithLength(ContentMark content, bool is_short) {
  return (content & ~(kNoteBits | 1)) | (is_short ? 1U : 0U);
}
/// `note`: below 8.
[[nodiscard]] constexpr ContentMark WithNote(ContentMark content, std::uint32_t note) {
  return (content & ~kNoteBits) | note << kNoteShift;
}
[[nodiscard]] constexpr std::uint32_t NoteOf(ContentMark content) {
  return (content & kNoteBits) >> kNoteShift;
}

/// The latest content under a key, which stands for URLs that differ in one part.
///
/// A hash table of sets. A set that is full is halved into two by doubling the number of sets, up
/// to kMaxSets; from then on its oldest entry makes room. An entry is kept as it is written, so
/// reading and writing the table copies bytes. Bounded: kMaxSets * kSetEntries entries. Keys are 32
/// bits of a hash: of 2^32 look-ups of other keys, about as many as there are entries find a
/// stranger's. Thread-compatible.
class Siblings {
 public:
  static constexpr std::size_t kMaxSets = 64;
  static constexpr std::size_t kSetEntries = 54;
  static constexpr std::size_t kEntryBytes = 8;
  static constexpr std::size_t kMaxEncodedBytes = 1 + kMaxSets * (2 + kSetEntries * kEntryBytes);

  [[nodiscard]] std::optional<ContentMark> Find(std::uint64_t key) const;
  [[nodiscard]] bool Contains(std::uint64_t key) const;
  /// In place of what was under that key before, which is returned.
  std::optional<ContentMark> Put(std::uint64_t key, ContentMark content);
  [[nodiscard]] std::size_t size() const;

  void Encode(schedule::ByteWriter& out) const;
  /// False: not what Encode writes.
  [[nodiscard]] bool Decode(schedule::ByteReader& in);

 private:
  /// Of the set, the place of the key's entry; npos: there is none.
  [[nodiscard]] static std::size_t PlaceOf(std::uint32_t key, const std::string& set);
  [[nodiscard]] std::size_t SetOf(std::uint32_t key) const { return key & (sets_.size() - 1); }
  void DoubleSets();

  std::vector<std::string> sets_;  // none or a power of two; entries, the oldest first
};

}  // namespace crawlsieve::site
