#pragma once

#include "extract/html/element_display.h"
#include "extract/html/html_text.h"
#include "extract/html/markup_bits.h"
#include "extract/html/node_arena.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace crawlsieve::extract::html {

/// Reports what a reader sees of a tree, in document order, without recursion. Thread-compatible.
class VisibleWalk {
 public:
  /// `root` is the page's <html> in `nodes`; `html` and `bits` are what the tree was built from.
  void Walk(const NodeArena& nodes, NodeIndex root, std::string_view html, const MarkupBits& bits,
            HtmlEvents& events);

  /// How many nodes the last walk visited.
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  /// What an element says of what is in it, where it isn't as in the element around it.
  struct Context {
    NodeIndex element;  ///< that says it
    bool visible;       ///< CSS `visibility`
    bool draws_text;    ///< not so in shapes and groups of SVG
  };

  /// Reports the page's <html> as it begins. Returns whether it is shown.
  bool EnterRoot(NodeIndex root, HtmlEvents& events);
  /// Reports the element as it begins. Returns whether its content is to be visited.
  bool Enter(NodeIndex index, HtmlEvents& events);
  void Leave(NodeIndex index, HtmlEvents& events);
  /// Takes note of an attribute that decides whether its element is shown.
  void Note(const Node& element, const Attribute& attribute, DisplayAttributes& noted);
  void ReportText(const Node& text, HtmlEvents& events);
  void ReportLanguage(const Node& html, HtmlEvents& events);
  void ReportHead(const Node& head, HtmlEvents& events);
  void ReportTitle(const Node& title, HtmlEvents& events);

  [[nodiscard]] const Attribute* Find(const Node& element, AttributeKind kind) const;
  [[nodiscard]] std::string_view ValueOf(const Attribute& attribute, std::string& buffer);
  /// The attribute's value; empty where there is none.
  [[nodiscard]] std::string_view ValueOr(const Node& element, AttributeKind kind,
                                         std::string& buffer);
  /// The same for an element that may be a clone: clones of one element share what was found.
  [[nodiscard]] std::string_view SharedValueOf(const Node& element, const Attribute& attribute,
                                               std::string& buffer);
  [[nodiscard]] std::string_view SharedValueOr(const Node& element, AttributeKind kind,
                                               std::string& buffer);
  [[nodiscard]] InlineStyle StyleOf(const Node& element, const Attribute& style);
  /// What the page has in [begin, end), with references, carriage returns and NUL made to what they
  /// stand for: in `buffer` if there are any.
  [[nodiscard]] std::string_view Decoded(std::size_t begin, std::size_t end, bool references,
                                         bool in_attribute, bool keeps_nul, std::string& buffer) {
    constexpr std::size_t kBytesPerStep = 16;
    work_ += (end - begin) / kBytesPerStep;
    const std::size_t special = MarkupBits::Next(special_, begin, end);
    if (special == end) return html_.substr(begin, end - begin);
    return DecodedFrom(special, begin, end, references, in_attribute, keeps_nul, buffer);
  }
  /// The same where the first of these is at `special`.
  [[nodiscard]] std::string_view DecodedFrom(std::size_t special, std::size_t begin,
                                             std::size_t end, bool references, bool in_attribute,
                                             bool keeps_nul, std::string& buffer);

  const NodeArena* nodes_ = nullptr;
  std::string_view html_;
  const std::uint64_t* special_ = nullptr;
  std::uint64_t work_ = 0;
  std::string buffer_;
  std::string rel_buffer_;
  // Of clones, by the place of the attribute in the page. A page may have as many clones of one
  // element as it likes, and must not have its attributes read again for each.
  std::unordered_map<std::uint32_t, std::string> shared_values_;
  std::unordered_map<std::uint32_t, InlineStyle> shared_styles_;
  Context context_{};
  Pool<Context> contexts_;  ///< of the elements around
};

}  // namespace crawlsieve::extract::html
