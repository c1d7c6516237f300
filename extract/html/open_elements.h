#pragma once

#include "extract/html/node_arena.h"
#include "extract/html/tags.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace crawlsieve::extract::html {

/// The name of an element: a Tag, or from kTagCount on the number of a name that no Tag has.
using NameId = std::uint32_t;

/// No entry of the list of active formatting elements.
inline constexpr std::uint32_t kNoEntry = 0xFFFFFFFF;

/// The stack of open elements, in which each question of the standard takes one step.
///
/// Every name knows the topmost place where it is open, and every place the one below it of the
/// same name; for each class of elements at which a search stops there is a stack of the places of
/// its members. "Has an element in scope" is then a comparison of two places. Elements that are
/// taken out of the middle leave an empty place behind; a chain links the others. Places grow from
/// the root upwards. Thread-compatible; memory stays from page to page.
class OpenElements {
 public:
  struct Entry {
    NodeIndex node;
    NameId name;
    std::uint32_t same_below;  ///< the place below with the same name and kind of namespace
    std::uint32_t same_above;
    std::uint32_t below;  ///< the element below
    std::uint32_t above;
    std::uint32_t run;     ///< of a foreign element: the lowest of the foreign ones around it
    std::uint32_t listed;  ///< of a formatting element: its entry in the list of those
  };

  explicit OpenElements(NodeArena& nodes) : nodes_(nodes) {}

  /// Empties the stack for the next page.
  void Begin();
  /// Makes room for the name `name`, which is the next new one.
  void AddName(NameId name) {
    tops_.push_back(kNoPlace);
    tops_.push_back(kNoPlace);
    static_cast<void>(name);
  }

  [[nodiscard]] bool empty() const { return top_ == kNoPlace; }
  [[nodiscard]] std::uint32_t top() const { return top_; }
  /// The current node; the stack isn't empty.
  [[nodiscard]] NodeIndex current() const { return entries_[top_].node; }
  [[nodiscard]] const Entry& operator[](std::uint32_t place) const { return entries_[place]; }
  [[nodiscard]] Entry& operator[](std::uint32_t place) { return entries_[place]; }

  void Push(NodeIndex index, NameId name) {
    Node& node = nodes_[index];
    const auto place = static_cast<std::uint32_t>(entries_.size());
    if (place >= depth_) Deepen();
    std::uint32_t& top = tops_[2 * name + (node.IsHtml() ? 0 : 1)];
    Entry entry{index, name, top, kNoPlace, top_, kNoPlace, place, kNoEntry};
    if (top != kNoPlace) entries_[top].same_above = place;
    top = place;
    if (top_ != kNoPlace) entries_[top_].above = place;
    if (!node.IsHtml()) {
      if (!nodes_[entries_[top_].node].IsHtml()) entry.run = entries_[top_].run;
      ++foreign_;
    }
    top_ = place;
    entries_.push_back(entry);
    node.place = place;
    for (unsigned classes = ClassesOf(node); classes != 0; classes &= classes - 1) {
      members_[std::countr_zero(classes)].push_back(place);
    }
  }

  void Pop() {
    const Entry& entry = entries_[top_];
    Node& node = nodes_[entry.node];
    tops_[2 * entry.name + (node.IsHtml() ? 0 : 1)] = entry.same_below;
    if (entry.same_below != kNoPlace) entries_[entry.same_below].same_above = kNoPlace;
    foreign_ -= node.IsHtml() ? 0 : 1;
    node.place = kNoPlace;
    for (unsigned classes = ClassesOf(node); classes != 0; classes &= classes - 1) {
      members_[std::countr_zero(classes)].pop_back();
    }
    top_ = entry.below;
    if (top_ == kNoPlace) {
      entries_.clear();
      return;
    }
    entries_.Resize(top_ + 1);
    entries_[top_].above = kNoPlace;
  }

  /// Pops elements up to the one at `place`, which goes too.
  void PopThrough(std::uint32_t place) {
    while (top_ != kNoPlace && top_ >= place) Pop();
  }

  /// The topmost place of an HTML element, or kNoPlace.
  [[nodiscard]] std::uint32_t Topmost(Tag tag) const {
    return tops_[2 * static_cast<std::size_t>(tag)];
  }
  [[nodiscard]] std::uint32_t Topmost(NameId name, bool html) const {
    return tops_[2 * std::size_t{name} + (html ? 0 : 1)];
  }
  [[nodiscard]] bool Has(Tag tag) const { return Topmost(tag) != kNoPlace; }

  /// The topmost member of a class; kNoPlace if there is none.
  [[nodiscard]] std::uint32_t TopmostOf(ElementClasses one_class) const {
    const Pool<std::uint32_t>& members = MembersOf(one_class);
    return members.empty() ? kNoPlace : members.back();
  }
  /// The lowest member of a class above `place`; kNoPlace if there is none. Logarithmic.
  [[nodiscard]] std::uint32_t LowestOfAbove(ElementClasses one_class, std::uint32_t place) const;

  /// Whether an HTML element of this name is open above all members of the class, itself included.
  [[nodiscard]] bool HasInScope(Tag tag, ElementClasses scope) const {
    return IsWithin(Topmost(tag), scope);
  }
  [[nodiscard]] bool IsWithin(std::uint32_t place, ElementClasses scope) const {
    if (place == kNoPlace) return false;
    const std::uint32_t stop = TopmostOf(scope);
    return stop == kNoPlace || place >= stop;
  }

  /// Takes the element at `place` out, wherever it is.
  void Remove(std::uint32_t place);
  /// Puts `node`, of the same name and classes, in the place of the element at `place`.
  void Replace(std::uint32_t place, NodeIndex node);
  /// The adoption agency's last step on the stack: takes the formatting element at `formatting`
  /// out and puts `clone`, of the same name, above the element at `block`. `block` is the lowest
  /// special element above `formatting`; it moves one place down, so nothing above it moves.
  void MoveAboveBlock(std::uint32_t formatting, std::uint32_t block, NodeIndex clone);

  [[nodiscard]] bool HasForeign() const { return foreign_ != 0; }
  /// Renews Entry::run of the foreign elements from `place` up to the next HTML element.
  /// Returns how many.
  std::size_t RenewRun(std::uint32_t place);

  /// The classes that stop searches at this element, by its name and namespace.
  [[nodiscard]] static ElementClasses ClassesOf(const Node& node) {
    return node.IsHtml() ? TraitsOf(node.tag).classes : ForeignClassesOf(node);
  }

 private:
  /// How deep the stack may get before it counts as memory, and by how much at a time.
  static constexpr std::uint32_t kFreeDepth = 4096;
  static constexpr std::size_t kKeptDepth = 64 << 10;

  static ElementClasses ForeignClassesOf(const Node& node) {
    constexpr ElementClasses kStops = kSpecial | kScope | kListItemScope | kButtonScope | kItemStop;
    switch (node.tag) {
      case Tag::kMi:
      case Tag::kMo:
      case Tag::kMn:
      case Tag::kMs:
      case Tag::kMtext:
      case Tag::kAnnotationXml:
        return node.Space() == Namespace::kMathMl ? kStops : kNoClasses;
      case Tag::kForeignobject:
      case Tag::kDesc:
      case Tag::kTitle:
        return node.Space() == Namespace::kSvg ? kStops : kNoClasses;
      default:
        return kNoClasses;
    }
  }

  [[nodiscard]] const Pool<std::uint32_t>& MembersOf(ElementClasses one_class) const {
    return members_[std::countr_zero(static_cast<unsigned>(one_class))];
  }
  /// Charges for more of them, as if each were a member of every class.
  void Deepen();
  /// Takes the entry out of the chain of its name.
  void UnchainName(const Entry& entry);
  void UnchainPlace(const Entry& entry);

  NodeArena& nodes_;
  Pool<Entry> entries_;
  Pool<std::uint32_t> tops_;  ///< for each NameId two: HTML elements, foreign ones
  std::array<Pool<std::uint32_t>, kClassCount> members_;
  std::uint32_t top_ = kNoPlace;
  std::uint32_t depth_ = kFreeDepth;
  std::size_t foreign_ = 0;
};

}  // namespace crawlsieve::extract::html
