#pragma once

#include "plugin/schedule/byte_writer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve::site {

/// What a page said, as far as pages of one site are compared. Value type.
struct ContentMark {
  std::uint32_t content = 0;  ///< equal for pages that the judge took for one content
  std::uint64_t simhash = 0;  ///< of the page's words
  std::uint8_t title = 0;     ///< class of the title's words; 0: no title
  std::uint8_t features = 0;  ///< distinct words, at most 255

  friend bool operator==(const ContentMark&, const ContentMark&) = default;
};

/// The mark of a page. `content`: any number that the judge gives to contents; `features`: distinct
/// words; `title`: class of the title's words.
[[nodiscard]] ContentMark MarkOf(std::uint64_t content, std::uint64_t simhash,
                                 std::uint32_t features, std::uint32_t title);

/// Whether two pages have the same words, nearly: the titles are of one class, the simhashes differ
/// in kMaxSiblingDistance bits at most and the numbers of words by a tenth. That is less than the
/// judge asks for before it drops a page: a printable view of a short page lacks a few words, and a
/// listing that is sorted in another way has none of the shingles.
[[nodiscard]] bool HasSameWords(const ContentMark& a, const ContentMark& b);

/// Whether two pages of one site have one content: the judge said so, or they have the same words.
/// A rule asks for many such pairs, so it can do with less for each.
[[nodiscard]] bool IsSameContent(const ContentMark& a, const ContentMark& b);
inline constexpr int kMaxSiblingDistance = 3;
/// Of shorter pages only the judge says whether they are the same.
inline constexpr std::uint8_t kMinComparedFeatures = 20;

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
  static constexpr std::size_t kSetEntries = 24;
  static constexpr std::size_t kEntryBytes = 18;
  static constexpr std::size_t kMaxEncodedBytes = 1 + kMaxSets * (2 + kSetEntries * kEntryBytes);

  [[nodiscard]] std::optional<ContentMark> Find(std::uint64_t key) const;
  [[nodiscard]] bool Contains(std::uint64_t key) const;
  /// In place of what was under that key before.
  void Put(std::uint64_t key, const ContentMark& mark);
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
