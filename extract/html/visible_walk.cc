#include "extract/html/visible_walk.h"

#include "extract/html/character_references.h"
#include "extract/text/ascii.h"
#include "extract/text/utf8.h"

#include <algorithm>

namespace crawlsieve::extract::html {
namespace {

/// SVG and MathML: text is shown, each element of it in its own place; descriptions, definitions
/// and annotations are not.
Flow ForeignFlow(Tag tag) {
  switch (tag) {
    case Tag::kTspan:
      return Flow::kInline;
    case Tag::kTitle:
    case Tag::kDesc:
    case Tag::kMetadata:
    case Tag::kDefs:
    case Tag::kStyle:
    case Tag::kScript:
    case Tag::kAnnotation:
    case Tag::kAnnotationXml:
      return Flow::kInvisible;
    default:
      return Flow::kBlock;
  }
}

/// Whether the text of an element of SVG is drawn. `around`: whether that of the element around it
/// is.
bool DrawsText(Tag tag, bool around) {
  switch (tag) {
    case Tag::kTextElement:
    case Tag::kForeignobject:
      return true;
    case Tag::kTspan:
    case Tag::kTextpath:
    case Tag::kA:
      return around;
    default:
      return false;
  }
}

Flow FlowOf(const Node& element) {
  return element.IsHtml() ? TraitsOf(element.tag).flow : ForeignFlow(element.tag);
}

}  // namespace

void VisibleWalk::Walk(const NodeArena& nodes, NodeIndex root, std::string_view html,
                       const MarkupBits& bits, HtmlEvents& events) {
  nodes_ = &nodes;
  html_ = html;
  special_ = bits.special();
  work_ = 0;
  shared_values_.clear();
  shared_styles_.clear();
  if (!EnterRoot(root, events)) {
    events.OnBlockEnd();
    return;
  }
  NodeIndex parent = root;
  NodeIndex index = nodes.FirstChild(root);
  while (index != kNoNode) {
    ++work_;
    const Node& node = nodes[index];
    if (node.tag == Tag::kText) {
      if (context_.visible && context_.draws_text) ReportText(node, events);
    } else if (Enter(index, events)) {
      if (node.last != kNoNode) {
        parent = index;
        index = nodes[node.last].next;
        continue;
      }
      Leave(index, events);
    }
    while (index == nodes[parent].last && parent != root) {
      index = parent;
      Leave(index, events);
      parent = nodes[index].parent;
    }
    if (index == nodes[parent].last) break;
    index = nodes[index].next;
  }
  events.OnBlockEnd();
}

void VisibleWalk::ReportText(const Node& text, HtmlEvents& events) {
  const std::string_view shown = Decoded(text.begin, text.extra, (text.flags & kRawText) == 0,
                                         false, (text.flags & kKeepsNul) != 0, buffer_);
  if (!shown.empty()) events.OnText(shown);
}

bool VisibleWalk::EnterRoot(NodeIndex root, HtmlEvents& events) {
  constexpr std::size_t kKept = 16 << 10;
  contexts_.Reset(kKept);
  context_ = {root, true, true};
  const Node& element = (*nodes_)[root];
  ReportLanguage(element, events);
  events.OnBlockBegin(kNoHints);
  DisplayAttributes noted;
  for (const Attribute& attribute : nodes_->AttributesOf(element)) Note(element, attribute, noted);
  context_.visible = IsVisibleIn(noted.style.visibility, true);
  if (IsDisplayed(noted, true, false)) return true;
  // What the head says of the page counts all the same. Every page has one.
  NodeIndex child = nodes_->FirstChild(root);
  while (!(*nodes_)[child].Is(Tag::kHead) && child != element.last) {
    ++work_;
    child = (*nodes_)[child].next;
  }
  if ((*nodes_)[child].Is(Tag::kHead)) ReportHead((*nodes_)[child], events);
  return false;
}

bool VisibleWalk::Enter(NodeIndex index, HtmlEvents& events) {
  const Node& element = (*nodes_)[index];
  const bool html = element.IsHtml();
  const TagTraits& traits = TraitsOf(element.tag);
  const Flow flow = html ? traits.flow : ForeignFlow(element.tag);
  if (flow == Flow::kInvisible) {
    if (element.Is(Tag::kHead)) ReportHead(element, events);
    if (element.Is(Tag::kTitle)) ReportTitle(element, events);
    return false;
  }
  Hints hints = html ? traits.hints : kNoHints;
  DisplayAttributes noted;
  bool plain = element.tag != Tag::kDialog;  // nothing says that it isn't shown
  for (const Attribute& attribute : nodes_->AttributesOf(element)) {
    switch (attribute.Kind()) {
      case AttributeKind::kClass:
      case AttributeKind::kId:
        if (flow == Flow::kBlock) hints |= HintsOfNames(ValueOf(attribute, buffer_));
        break;
      case AttributeKind::kRole:
        if (flow == Flow::kBlock) hints |= HintsOfAriaRole(ValueOf(attribute, buffer_));
        break;
      case AttributeKind::kHidden:
      case AttributeKind::kStyle:
      case AttributeKind::kOpen:
      case AttributeKind::kPopover:
      case AttributeKind::kData:
        Note(element, attribute, noted);
        plain = false;
        break;
      default:
        break;
    }
  }
  bool visible = context_.visible;
  if (!plain) {
    if (!IsDisplayed(noted, html, element.tag == Tag::kDialog)) return false;
    visible = IsVisibleIn(noted.style.visibility, visible);
  }
  switch (flow) {
    case Flow::kInline:
      break;
    case Flow::kBlock:
      events.OnBlockBegin(hints);
      break;
    case Flow::kLink:
      if (visible) {
        events.OnLinkBegin({SharedValueOr(element, AttributeKind::kHref, buffer_),
                            SharedValueOr(element, AttributeKind::kRel, rel_buffer_)});
      }
      break;
    case Flow::kLine:
      events.OnBreak();
      if (visible && element.Is(Tag::kImg)) {
        events.OnAltText(ValueOr(element, AttributeKind::kAlt, buffer_));
      }
      return false;
    case Flow::kReplaced:
      if (element.Is(Tag::kObject) && !noted.has_data) break;  // its content stands in for it
      events.OnBreak();
      return false;
    case Flow::kInvisible:
      return false;
  }
  const bool draws_text =
      element.Space() != Namespace::kSvg || DrawsText(element.tag, context_.draws_text);
  if (visible != context_.visible || draws_text != context_.draws_text) {
    contexts_.push_back(context_);
    context_ = {index, visible, draws_text};
  }
  return true;
}

void VisibleWalk::Leave(NodeIndex index, HtmlEvents& events) {
  const Node& element = (*nodes_)[index];
  const Flow flow = FlowOf(element);
  if (flow == Flow::kBlock) events.OnBlockEnd();
  if (flow == Flow::kLink && context_.visible) events.OnLinkEnd();
  if (context_.element != index) return;
  context_ = contexts_.back();
  contexts_.pop_back();
}

void VisibleWalk::Note(const Node& element, const Attribute& attribute, DisplayAttributes& noted) {
  switch (attribute.Kind()) {
    case AttributeKind::kHidden:
      noted.SetHidden(SharedValueOf(element, attribute, buffer_));
      break;
    case AttributeKind::kStyle:
      noted.style = StyleOf(element, attribute);
      break;
    case AttributeKind::kOpen:
      noted.open = true;
      break;
    case AttributeKind::kPopover:
      noted.popover = true;
      break;
    case AttributeKind::kData:
      noted.has_data = attribute.length != 0;
      break;
    default:
      break;
  }
}

void VisibleWalk::ReportLanguage(const Node& html, HtmlEvents& events) {
  const Attribute* language = Find(html, AttributeKind::kLang);
  if (language == nullptr) language = Find(html, AttributeKind::kXmlLang);
  if (language != nullptr) events.OnLanguage(ValueOf(*language, buffer_));
}

void VisibleWalk::ReportHead(const Node& head, HtmlEvents& events) {
  if (head.last == kNoNode) return;
  NodeIndex index = head.last;
  do {
    index = (*nodes_)[index].next;
    ++work_;
    const Node& element = (*nodes_)[index];
    if (!element.IsHtml()) continue;
    switch (element.tag) {
      case Tag::kTitle:
        ReportTitle(element, events);
        break;
      case Tag::kBase:
        events.OnBase(ValueOr(element, AttributeKind::kHref, buffer_));
        break;
      case Tag::kLink:
        if (EqualsNoCase(TrimAscii(ValueOr(element, AttributeKind::kRel, buffer_)), "canonical")) {
          events.OnCanonical(ValueOr(element, AttributeKind::kHref, buffer_));
        }
        break;
      case Tag::kMeta:
        if (EqualsNoCase(TrimAscii(ValueOr(element, AttributeKind::kHttpEquiv, buffer_)),
                         "refresh")) {
          events.OnRefresh(ValueOr(element, AttributeKind::kContent, buffer_));
        }
        if (EqualsNoCase(TrimAscii(ValueOr(element, AttributeKind::kName, buffer_)), "robots")) {
          events.OnRobots(ValueOr(element, AttributeKind::kContent, buffer_));
        }
        break;
      default:
        break;
    }
  } while (index != head.last);
}

void VisibleWalk::ReportTitle(const Node& title, HtmlEvents& events) {
  if (title.last == kNoNode) return;
  const Node& text = (*nodes_)[(*nodes_)[title.last].next];
  const std::string_view shown = Decoded(text.begin, text.extra, true, false, true, buffer_);
  if (!TrimAscii(shown).empty()) events.OnTitle(shown);
}

const Attribute* VisibleWalk::Find(const Node& element, AttributeKind kind) const {
  for (const Attribute& attribute : nodes_->AttributesOf(element)) {
    if (attribute.Kind() == kind) return &attribute;
  }
  return nullptr;
}

std::string_view VisibleWalk::ValueOf(const Attribute& attribute, std::string& buffer) {
  return Decoded(attribute.offset, attribute.offset + attribute.length, true, true, true, buffer);
}

std::string_view VisibleWalk::ValueOr(const Node& element, AttributeKind kind,
                                      std::string& buffer) {
  const Attribute* const attribute = Find(element, kind);
  return attribute == nullptr ? std::string_view() : ValueOf(*attribute, buffer);
}

std::string_view VisibleWalk::SharedValueOf(const Node& element, const Attribute& attribute,
                                            std::string& buffer) {
  if ((element.flags & kClone) == 0) return ValueOf(attribute, buffer);
  const auto [value, is_new] = shared_values_.try_emplace(attribute.offset);
  if (is_new) value->second = ValueOf(attribute, buffer);
  return value->second;
}

std::string_view VisibleWalk::SharedValueOr(const Node& element, AttributeKind kind,
                                            std::string& buffer) {
  const Attribute* const attribute = Find(element, kind);
  return attribute == nullptr ? std::string_view() : SharedValueOf(element, *attribute, buffer);
}

InlineStyle VisibleWalk::StyleOf(const Node& element, const Attribute& style) {
  if ((element.flags & kClone) == 0) return ReadInlineStyle(ValueOf(style, buffer_));
  const auto [read, is_new] = shared_styles_.try_emplace(style.offset);
  if (is_new) read->second = ReadInlineStyle(ValueOf(style, buffer_));
  return read->second;
}

std::string_view VisibleWalk::DecodedFrom(std::size_t special, std::size_t begin, std::size_t end,
                                          bool references, bool in_attribute, bool keeps_nul,
                                          std::string& buffer) {
  buffer.clear();
  while (special != end) {
    buffer.append(html_, begin, special - begin);
    begin = special + 1;
    switch (html_[special]) {
      case '\0':
        if (keeps_nul) buffer.append(kReplacementCharacter);
        break;
      case '\r':
        if (begin == end || html_[begin] != '\n') buffer.push_back('\n');
        break;
      default:
        if (references) {
          begin =
              special + AppendReference(html_.substr(special, end - special), in_attribute, buffer);
        } else {
          buffer.push_back('&');
        }
        break;
    }
    special = MarkupBits::Next(special_, begin, end);
  }
  buffer.append(html_, begin, end - begin);
  return buffer;
}

}  // namespace crawlsieve::extract::html
