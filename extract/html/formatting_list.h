#pragma once

#include "extract/html/node_arena.h"
#include "extract/html/open_elements.h"
#include "extract/html/tags.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace crawlsieve::extract::html {

/// The list of active formatting elements.
///
/// Each entry is linked to its neighbours, to those of the same tag, and, once it is known, to
/// those with the same attributes, so that every question takes one step. Two elements have the
/// same attributes when their signatures are the same; these are asked for only where three
/// elements of a tag are listed, and once for each. Thread-compatible; memory stays from page to
/// page.
class FormattingList {
 public:
  /// Computes the signature of an element's tag and attributes.
  class Signer {
   public:
    virtual ~Signer() = default;
    [[nodiscard]] virtual std::uint64_t Sign(NodeIndex element) = 0;
  };

  struct Entry {
    NodeIndex node;  ///< kNoNode: a marker, or an entry that is free
    std::uint32_t previous;
    std::uint32_t next;
    std::uint32_t level;  ///< how many markers are before it
    std::uint32_t same_tag_before;
    std::uint32_t same_tag_behind;
    std::uint32_t alike_before;  ///< same signature
    std::uint32_t alike_behind;
    std::uint64_t signature;  ///< 0: not known
    Tag tag;
    bool is_marker;
    std::uint32_t serial = 0;  ///< tells uses of the same index apart
  };

  explicit FormattingList(Signer& signer) : signer_(signer) {}

  /// Empties the list for the next page.
  void Begin();

  [[nodiscard]] std::uint32_t last() const { return last_; }
  [[nodiscard]] bool IsMarker(std::uint32_t entry) const { return entries_[entry].is_marker; }
  [[nodiscard]] const Entry& operator[](std::uint32_t entry) const { return entries_[entry]; }

  /// Returns its entry.
  std::uint32_t PushMarker();
  /// Removes the entries behind the last marker, and that marker.
  void ClearToMarker();
  /// Adds an element at the end. Of four that are alike behind the last marker the first one goes
  /// ("Noah's Ark"). Returns its entry.
  std::uint32_t Push(NodeIndex element, Tag tag);
  /// The last element with this tag behind the last marker; kNoEntry if there is none.
  [[nodiscard]] std::uint32_t FindLast(Tag tag) const {
    const std::uint32_t entry = last_of_tag_[static_cast<std::size_t>(tag)];
    return entry != kNoEntry && entries_[entry].level == markers_.size() ? entry : kNoEntry;
  }
  void Remove(std::uint32_t entry);
  /// Lets the entry stand for another element made from the same token.
  void Replace(std::uint32_t entry, NodeIndex element) { entries_[entry].node = element; }
  /// Moves `entry`, the last one of its tag, behind `bookmark`.
  void MoveBehind(std::uint32_t entry, std::uint32_t bookmark);

 private:
  static constexpr std::size_t kKept = 16 << 10;
  static constexpr std::size_t kNoahsArk = 3;

  struct Slot {
    std::uint64_t signature;
    std::uint32_t last;  ///< the last entry with it; kNoEntry where there is none any more
    std::uint32_t page;  ///< the slot is free on any other page
  };

  [[nodiscard]] std::uint32_t NewEntry(const Entry& entry);
  /// Puts `entry`, which is in no place, behind `previous` (kNoEntry: first).
  void Link(std::uint32_t entry, std::uint32_t previous);
  void Unlink(const Entry& entry);
  /// Makes `entry` the last one of its tag, or of its signature.
  void LinkTag(std::uint32_t entry);
  void UnlinkTag(const Entry& entry);
  void LinkAlike(std::uint32_t entry);
  void UnlinkAlike(const Entry& entry);
  /// Signs all entries that aren't signed yet.
  void SignAll();
  /// Removes the first of three elements behind the last marker that have this signature.
  void MakeRoomFor(std::uint64_t signature);
  [[nodiscard]] Slot& SlotOf(std::uint64_t signature);
  void GrowTable();

  Signer& signer_;
  Pool<Entry> entries_;
  Pool<std::uint32_t> markers_;
  std::array<std::uint32_t, kTagCount> last_of_tag_{};
  std::array<std::uint32_t, kTagCount> counts_{};
  struct Unsigned {
    std::uint32_t entry;
    std::uint32_t serial;
  };
  Pool<Unsigned> unsigned_;  ///< entries without a signature, of all tags, as they were listed
  std::uint32_t next_serial_ = 1;
  Pool<Slot> table_;
  std::size_t used_slots_ = 0;
  std::uint32_t page_ = 0;
  std::uint32_t first_free_ = kNoEntry;
  std::uint32_t last_ = kNoEntry;
};

}  // namespace crawlsieve::extract::html
