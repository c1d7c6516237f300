#pragma once

#include "plugin/schedule/byte_writer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
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

/// Whether two pages of one site have one content. The judge said so; or the titles are of one
/// class, the simhashes differ in kMaxSiblingDistance bits at most and the numbers of words by a
/// tenth. That is less than the judge asks for before it drops a page: a printable view of a short
/// page lacks a few words, and a listing that is sorted in another way has none of the shingles.
/// A rule asks for many such pairs, so it can do with less for each.
[[nodiscard]] bool IsSameContent(const ContentMark& a, const ContentMark& b);
inline constexpr int kMaxSiblingDistance = 3;
/// Of shorter pages only the judge says whether they are the same.
inline constexpr std::uint8_t kMinComparedFeatures = 20;

/// The latest content under a key, which stands for URLs that differ in one part.
///
/// Bounded: kMaxEntries; the oldest entry makes room. Keys are 32 bits of a hash: of 2^32 look-ups
/// of other keys, about kMaxEntries find a stranger's entry. Thread-compatible.
class Siblings {
 public:
  static constexpr std::size_t kMaxEntries = 1536;
  static constexpr std::size_t kMaxEncodedBytes = 4 + kMaxEntries * 18;

  [[nodiscard]] std::optional<ContentMark> Find(std::uint64_t key) const;
  /// In place of what was under that key before.
  void Put(std::uint64_t key, const ContentMark& mark);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  void Encode(schedule::ByteWriter& out) const;
  /// False: not what Encode writes.
  [[nodiscard]] bool Decode(schedule::ByteReader& in);

 private:
  struct Entry {
    std::uint32_t key = 0;
    ContentMark mark;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  std::vector<Entry> entries_;                             // a ring, once it is full
  std::size_t next_ = 0;                                   // the oldest entry of a full ring
  std::unordered_map<std::uint32_t, std::size_t> places_;  // by key: where in entries_
};

}  // namespace crawlsieve::site
