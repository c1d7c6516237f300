#pragma once

#include "extract/html/attributes.h"
#include "extract/html/tags.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace crawlsieve::extract::html {

/// An index of a node. 0 is none.
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0;

/// A place on the stack of open elements. kNoPlace: not open.
inline constexpr std::uint32_t kNoPlace = 0xFFFFFFFF;

enum class Namespace : std::uint8_t { kHtml, kSvg, kMathMl };

/// What a node is, besides its tag. Bits of Node::flags.
enum NodeFlag : std::uint8_t {
  kNamespaceBits = 3,         ///< an element's Namespace
  kHtmlIntegrationPoint = 4,  ///< HTML may stand in this foreign element
  kMathTextPoint = 8,         ///< a MathML text integration point
  kClone = 16,                ///< of an element: another one has the same attributes
  kRawText = 32,              ///< of a text: character references mean nothing in it
  kKeepsNul = 64,             ///< of a text: NUL stands for U+FFFD; elsewhere it is dropped
};

/// A node of the tree: an element or a piece of text. Siblings form a ring of `next`, and a parent
/// knows its last child, so that appending touches the parent and that child alone.
struct Node {
  NodeIndex parent;
  NodeIndex last;       ///< child
  NodeIndex previous;   ///< sibling; kNoNode for the first one
  NodeIndex next;       ///< sibling; the first one behind the last
  std::uint32_t begin;  ///< of the tag's '<' or of the text in the page
  std::uint32_t extra;  ///< a text's end in the page; an element's first attribute
  std::uint32_t place;  ///< on the stack of open elements
  Tag tag;
  std::uint8_t attributes;  ///< how many
  std::uint8_t flags;

  [[nodiscard]] Namespace Space() const { return static_cast<Namespace>(flags & kNamespaceBits); }
  [[nodiscard]] bool IsHtml() const { return (flags & kNamespaceBits) == 0; }
  [[nodiscard]] bool Is(Tag name) const { return tag == name && IsHtml(); }
};
static_assert(sizeof(Node) == 32);

/// An array of trivial values that grows, keeps its memory when it is cleared, and doesn't touch
/// what isn't used yet.
template <typename T>
class Pool {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  [[nodiscard]] T& operator[](std::size_t index) { return data_.get()[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return data_.get()[index]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] T& back() { return data_.get()[size_ - 1]; }
  [[nodiscard]] const T& back() const { return data_.get()[size_ - 1]; }

  void push_back(const T& value) {
    if (size_ == capacity_) Grow(size_ + 1);
    data_.get()[size_++] = value;
  }
  void pop_back() { --size_; }
  /// Shrinks, or grows by values that aren't set.
  void Resize(std::size_t size) {
    if (size > capacity_) Grow(size);
    size_ = size;
  }
  void clear() { size_ = 0; }

  /// Empties the pool, and gives memory back beyond `kept` values.
  void Reset(std::size_t kept) {
    size_ = 0;
    if (capacity_ <= kept) return;
    data_.reset();
    capacity_ = 0;
  }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  void Grow(std::size_t needed) {
    std::size_t capacity = capacity_ < kFirst ? kFirst : capacity_ * 2;
    if (capacity < needed) capacity = needed;
    void* const grown = std::realloc(data_.get(), capacity * sizeof(T));
    if (grown == nullptr) throw std::bad_alloc();
    static_cast<void>(data_.release());
    data_.reset(static_cast<T*>(grown));
    capacity_ = capacity;
  }

  static constexpr std::size_t kFirst = 64;

  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// The tree of one page at a time: nodes and attributes. Nodes are named by their index; references
/// end with the next Add. Thread-compatible; memory stays from page to page.
class NodeArena {
 public:
  /// Forgets the last page. This page may have `max_nodes` nodes, and memory for `max_memory` of
  /// them, to which attributes and what is charged count.
  void Begin(std::size_t max_nodes, std::size_t max_memory) {
    nodes_.Reset(kKeptNodes);
    attributes_.Reset(kKeptNodes);
    nodes_.push_back({});  // kNoNode
    max_nodes_ = max_nodes;
    max_memory_ = max_memory;
  }

  /// Whether there is more than may be. Add goes on all the same: the builder looks here behind
  /// each token.
  [[nodiscard]] bool IsOverLimit() const {
    constexpr std::size_t kAttributesPerNode = sizeof(Node) / sizeof(Attribute);
    return nodes_.size() > max_nodes_ ||
           nodes_.size() + attributes_.size() / kAttributesPerNode > max_memory_;
  }
  /// Takes the memory of `count` nodes from what there is, for memory of other kinds.
  void Charge(std::size_t count) { max_memory_ = max_memory_ > count ? max_memory_ - count : 0; }

  /// A node without parent and children.
  [[nodiscard]] NodeIndex Add(Tag tag, std::uint8_t flags, std::uint32_t begin, std::uint32_t extra,
                              std::uint8_t attributes) {
    nodes_.push_back(
        {kNoNode, kNoNode, kNoNode, kNoNode, begin, extra, kNoPlace, tag, attributes, flags});
    return static_cast<NodeIndex>(nodes_.size() - 1);
  }

  [[nodiscard]] Node& operator[](NodeIndex node) { return nodes_[node]; }
  [[nodiscard]] const Node& operator[](NodeIndex node) const { return nodes_[node]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  /// Makes `child`, which has no parent, the last one of `parent`.
  void Append(NodeIndex parent, NodeIndex child) {
    Node& above = nodes_[parent];
    Node& node = nodes_[child];
    node.parent = parent;
    node.previous = above.last;
    if (above.last == kNoNode) {
      node.next = child;
    } else {
      Node& before = nodes_[above.last];
      node.next = before.next;
      before.next = child;
    }
    above.last = child;
  }

  /// Makes `child`, which has no parent, the sibling in front of `sibling`, which has one.
  void InsertBefore(NodeIndex sibling, NodeIndex child);
  /// Takes `child` from its parent, if it has one.
  void Remove(NodeIndex child);
  /// Moves all children of `from` to the end of `to`, which has none. Returns how many.
  std::size_t MoveChildren(NodeIndex from, NodeIndex to);

  [[nodiscard]] NodeIndex FirstChild(NodeIndex parent) const {
    const NodeIndex last = nodes_[parent].last;
    return last == kNoNode ? kNoNode : nodes_[last].next;
  }

  [[nodiscard]] Pool<Attribute>& attributes() { return attributes_; }
  [[nodiscard]] std::span<const Attribute> AttributesOf(const Node& element) const {
    if (element.attributes == 0) return {};
    return {&attributes_[element.extra], element.attributes};
  }

 private:
  /// What pages of a megabyte have; larger arenas go back to the system.
  static constexpr std::size_t kKeptNodes = 256 << 10;

  Pool<Node> nodes_;
  Pool<Attribute> attributes_;
  std::size_t max_nodes_ = 0;
  std::size_t max_memory_ = 0;  ///< in nodes
};

}  // namespace crawlsieve::extract::html
