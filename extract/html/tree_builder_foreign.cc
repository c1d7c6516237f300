// SVG and MathML within HTML, and HTML within these.

#include "extract/html/tree_builder.h"

namespace crawlsieve::extract::html {

bool TreeBuilder::IsForeignFor(const TagToken& start) const {
  const Node& current = nodes_[open_.current()];
  if (current.IsHtml() || (current.flags & kHtmlIntegrationPoint) != 0) return false;
  if ((current.flags & kMathTextPoint) != 0) {
    return start.tag == Tag::kMglyph || start.tag == Tag::kMalignmark;
  }
  return current.tag != Tag::kAnnotationXml || current.Space() != Namespace::kMathMl ||
         start.tag != Tag::kSvg;
}

bool TreeBuilder::IsForeignForText() const {
  const Node& current = nodes_[open_.current()];
  return !current.IsHtml() && (current.flags & (kHtmlIntegrationPoint | kMathTextPoint)) == 0;
}

void TreeBuilder::StartForeign(const TagToken& token) {
  bool leaves = TraitsOf(token.tag).breakout;
  if (token.tag == Tag::kFont) {
    leaves = token.Has(AttributeKind::kColor) || token.Has(AttributeKind::kFace) ||
             token.Has(AttributeKind::kSize);
  }
  if (leaves) {
    PopToHtml();
    StartHtml(token);
  } else {
    InsertForeign(token, nodes_[open_.current()].Space());
  }
}

void TreeBuilder::PopToHtml() {
  constexpr unsigned kPoints = kHtmlIntegrationPoint | kMathTextPoint;
  while (true) {
    const Node& current = nodes_[open_.current()];
    if (current.IsHtml() || (current.flags & kPoints) != 0) return;
    open_.Pop();
  }
}

void TreeBuilder::EndForeign(const TagToken& token) {
  if (token.tag == Tag::kBr || token.tag == Tag::kP) {
    PopToHtml();
    EndHtml(token);
    return;
  }
  const std::uint32_t place = open_.Topmost(token.name, false);
  if (place != kNoPlace && place >= open_[open_.top()].run) {
    open_.PopThrough(place);
  } else {
    EndHtml(token);
  }
}

void TreeBuilder::InsertForeign(const TagToken& token, Namespace space) {
  auto flags = static_cast<std::uint8_t>(space);
  if (space == Namespace::kSvg) {
    if (token.tag == Tag::kForeignobject || token.tag == Tag::kDesc || token.tag == Tag::kTitle) {
      flags |= kHtmlIntegrationPoint;
    }
  } else {
    switch (token.tag) {
      case Tag::kMi:
      case Tag::kMo:
      case Tag::kMn:
      case Tag::kMs:
      case Tag::kMtext:
        flags |= kMathTextPoint;
        break;
      case Tag::kAnnotationXml:
        if (HasValue(token, AttributeKind::kEncoding, "text/html") ||
            HasValue(token, AttributeKind::kEncoding, "application/xhtml+xml")) {
          flags |= kHtmlIntegrationPoint;
        }
        break;
      default:
        break;
    }
  }
  const NodeIndex node =
      nodes_.Add(token.tag, flags, token.begin, token.first_attribute, token.attributes);
  Insert(open_.current(), node);
  open_.Push(node, token.name);
  if (token.self_closing) open_.Pop();
}

}  // namespace crawlsieve::extract::html
