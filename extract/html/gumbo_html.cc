#include "extract/html/element_display.h"
#include "extract/html/gumbo_guard.h"
#include "extract/html/html_text.h"
#include "extract/html/inline_style.h"
#include "extract/html/parse_arena.h"
#include "extract/html/segment.h"
#include "extract/text/ascii.h"
#include "extract/text/utf8.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gumbo.h>
#include <simdjson.h>

namespace crawlsieve::extract {
namespace {

/// What an element does to the text around and in it.
enum class Flow : std::uint8_t {
  kInline,    ///< text flows through
  kLink,      ///< so it does, and it is a link
  kBlock,     ///< words end before and behind it
  kLine,      ///< has no content: a line ends, or an image stands there
  kReplaced,  ///< shown, but as something other than its text: words end, content is skipped
  kInvisible  ///< as if it weren't there
};

constexpr std::array<Flow, GUMBO_TAG_LAST + 1> MakeFlows() {
  std::array<Flow, GUMBO_TAG_LAST + 1> flows{};
  flows.fill(Flow::kBlock);
  // Phrasing content that browsers show inline. Elements nobody knows are inline too.
  for (const GumboTag tag :
       {GUMBO_TAG_ABBR,  GUMBO_TAG_ACRONYM, GUMBO_TAG_B,      GUMBO_TAG_BASEFONT,
        GUMBO_TAG_BDI,   GUMBO_TAG_BDO,     GUMBO_TAG_BIG,    GUMBO_TAG_BLINK,
        GUMBO_TAG_CITE,  GUMBO_TAG_CODE,    GUMBO_TAG_DATA,   GUMBO_TAG_DEL,
        GUMBO_TAG_DFN,   GUMBO_TAG_EM,      GUMBO_TAG_FONT,   GUMBO_TAG_I,
        GUMBO_TAG_INS,   GUMBO_TAG_KBD,     GUMBO_TAG_LABEL,  GUMBO_TAG_MAP,
        GUMBO_TAG_MARK,  GUMBO_TAG_NOBR,    GUMBO_TAG_OUTPUT, GUMBO_TAG_Q,
        GUMBO_TAG_RUBY,  GUMBO_TAG_RB,      GUMBO_TAG_S,      GUMBO_TAG_SAMP,
        GUMBO_TAG_SMALL, GUMBO_TAG_SPAN,    GUMBO_TAG_STRIKE, GUMBO_TAG_STRONG,
        GUMBO_TAG_SUB,   GUMBO_TAG_SUP,     GUMBO_TAG_TIME,   GUMBO_TAG_TT,
        GUMBO_TAG_U,     GUMBO_TAG_VAR,     GUMBO_TAG_WBR,    GUMBO_TAG_UNKNOWN}) {
    flows[tag] = Flow::kInline;
  }
  flows[GUMBO_TAG_A] = Flow::kLink;
  for (const GumboTag tag : {GUMBO_TAG_BR, GUMBO_TAG_IMG}) flows[tag] = Flow::kLine;
  for (const GumboTag tag :
       {GUMBO_TAG_APPLET, GUMBO_TAG_AUDIO, GUMBO_TAG_CANVAS, GUMBO_TAG_EMBED, GUMBO_TAG_IFRAME,
        GUMBO_TAG_METER, GUMBO_TAG_OBJECT, GUMBO_TAG_PROGRESS, GUMBO_TAG_VIDEO}) {
    flows[tag] = Flow::kReplaced;
  }
  for (const GumboTag tag :
       {GUMBO_TAG_AREA, GUMBO_TAG_BASE, GUMBO_TAG_BGSOUND, GUMBO_TAG_DATALIST, GUMBO_TAG_HEAD,
        GUMBO_TAG_LINK, GUMBO_TAG_META, GUMBO_TAG_NOEMBED, GUMBO_TAG_NOFRAMES, GUMBO_TAG_NOSCRIPT,
        GUMBO_TAG_PARAM, GUMBO_TAG_RP, GUMBO_TAG_SCRIPT, GUMBO_TAG_SOURCE, GUMBO_TAG_STYLE,
        GUMBO_TAG_TEMPLATE, GUMBO_TAG_TITLE, GUMBO_TAG_TRACK}) {
    flows[tag] = Flow::kInvisible;
  }
  return flows;
}

constexpr std::array<Flow, GUMBO_TAG_LAST + 1> kFlows = MakeFlows();

std::string_view TagName(const GumboElement& element) {
  GumboStringPiece name = element.original_tag;
  gumbo_tag_from_original_text(&name);
  return name.data == nullptr ? std::string_view() : std::string_view(name.data, name.length);
}

/// SVG and MathML: text is shown, each element of it in its own place; descriptions,
/// definitions and annotations are not.
Flow ForeignFlow(const GumboElement& element) {
  constexpr std::array<std::string_view, 8> kInvisible = {
      "title", "desc", "metadata", "defs", "style", "script", "annotation", "annotation-xml"};
  const std::string_view name = TagName(element);
  if (EqualsNoCase(name, "tspan")) return Flow::kInline;
  const bool invisible =
      std::any_of(kInvisible.begin(), kInvisible.end(),
                  [&](std::string_view hidden) { return EqualsNoCase(name, hidden); });
  return invisible ? Flow::kInvisible : Flow::kBlock;
}

Hints HintsOfTag(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_MENU:
      return kNavigationHint;
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_BUTTON:
    case GUMBO_TAG_SELECT:
    case GUMBO_TAG_TEXTAREA:
      return kBoilerplateHint;
    case GUMBO_TAG_FORM:
      return kBoilerplateHint | kFormHint;
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_ARTICLE:
      return kMainHint;
    case GUMBO_TAG_H1:
      return kHeadingHint | kHeadlineHint;
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_H4:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_H6:
      return kHeadingHint;
    default:
      return kNoHints;
  }
}

/// What an element does to its text, and what it says about it.
struct Nature {
  Flow flow;
  Hints hints = kNoHints;
  InlineStyle::Visibility visibility = InlineStyle::Visibility::kUnsaid;
};

// Gumbo is older than <dialog> and has no number for it.
bool IsDialog(const GumboElement& element) {
  return element.tag == GUMBO_TAG_UNKNOWN && EqualsNoCase(TagName(element), "dialog");
}

DisplayAttributes NoteAttributes(const GumboElement& element) {
  DisplayAttributes noted;
  for (unsigned i = 0; i < element.attributes.length; ++i) {
    const auto& attribute = *static_cast<const GumboAttribute*>(element.attributes.data[i]);
    const std::string_view name = attribute.name;
    if (name == "hidden") noted.SetHidden(attribute.value);
    if (name == "style") noted.style = ReadInlineStyle(attribute.value);
    if (name == "open") noted.open = true;
    if (name == "popover") noted.popover = true;
    if (name == "data") noted.has_data = *attribute.value != '\0';
  }
  return noted;
}

Hints HintsOfAttributes(const GumboElement& element) {
  Hints hints = kNoHints;
  for (unsigned i = 0; i < element.attributes.length; ++i) {
    const auto& attribute = *static_cast<const GumboAttribute*>(element.attributes.data[i]);
    const std::string_view name = attribute.name;
    if (name == "class" || name == "id") hints |= HintsOfNames(attribute.value);
    if (name == "role") hints |= HintsOfAriaRole(attribute.value);
  }
  return hints;
}

/// Whether the element is hidden by VisibleRules::kFirst.
bool IsHiddenByFirstRules(const GumboElement& element) {
  const GumboAttribute* style = gumbo_get_attribute(&element.attributes, "style");
  return gumbo_get_attribute(&element.attributes, "hidden") != nullptr ||
         (style != nullptr && StyleHides(style->value)) ||
         (IsDialog(element) && gumbo_get_attribute(&element.attributes, "open") == nullptr);
}

Nature NatureOf(const GumboElement& element, VisibleRules rules) {
  const bool html = element.tag_namespace == GUMBO_NAMESPACE_HTML;
  Nature nature{html ? kFlows[element.tag] : ForeignFlow(element)};
  if (nature.flow == Flow::kInvisible) return nature;
  if (rules == VisibleRules::kFirst) {
    if (IsHiddenByFirstRules(element)) return {Flow::kInvisible};
  } else {
    const DisplayAttributes noted = NoteAttributes(element);
    if (!IsDisplayed(noted, html, IsDialog(element))) return {Flow::kInvisible};
    if (html && element.tag == GUMBO_TAG_APPLET) nature.flow = Flow::kInline;
    if (html && element.tag == GUMBO_TAG_OBJECT && !noted.has_data) nature.flow = Flow::kInline;
    nature.visibility = noted.style.visibility;
  }
  if (nature.flow != Flow::kBlock) return nature;
  if (html) nature.hints = HintsOfTag(element.tag);
  nature.hints |= HintsOfAttributes(element);
  return nature;
}

/// Whether the text that stands in the element itself is drawn. `around`: whether that of the
/// element around it is.
bool DrawsText(const GumboElement& element, bool around) {
  if (element.tag_namespace != GUMBO_NAMESPACE_SVG) return true;
  const std::string_view name = TagName(element);
  if (EqualsNoCase(name, "text") || EqualsNoCase(name, "foreignobject")) return true;
  return around &&
         (EqualsNoCase(name, "tspan") || EqualsNoCase(name, "textpath") || EqualsNoCase(name, "a"));
}

class GumboParser final : public HtmlParser {
 public:
  GumboParser(const Limits& limits, VisibleRules rules)
      : limits_(limits), rules_(rules), arena_(limits.max_parse_memory) {}

  [[nodiscard]] ParseEnd Parse(std::string_view html, HtmlEvents& events) override {
    has_numeric_references_ = html.find("&#") != std::string_view::npos;
    ParseEnd end = ParseEnd::kDone;
    const GumboOutput* output = ParseGuarded(html, limits_, arena_, end);
    if (output != nullptr) Walk(*output->root, events);
    arena_.Reset();
    return end;
  }

 private:
  /// `text` as valid UTF-8, in `buffer` if need be: the number of a character reference overflows
  /// in Gumbo, which then makes one byte of any value of it.
  [[nodiscard]] std::string_view Valid(std::string_view text, std::string& buffer) const {
    if (!has_numeric_references_ || simdjson::validate_utf8(text)) return text;
    buffer.clear();
    AppendRepaired(text, buffer);
    return buffer;
  }
  [[nodiscard]] std::string_view Valid(std::string_view text) { return Valid(text, repaired_); }

  /// An element whose children are being visited.
  struct Level {
    const GumboVector* children;
    unsigned next;
    Flow flow;
    bool visible = true;     ///< CSS `visibility`
    bool draws_text = true;  ///< not so in shapes and groups of SVG
  };

  /// Without recursion, as trees may be a million levels deep.
  void Walk(const GumboNode& root, HtmlEvents& events) {
    ReportLanguage(root.v.element, events);
    levels_.clear();
    events.OnBlockBegin(kNoHints);
    levels_.push_back({&root.v.element.children, 0, Flow::kBlock});
    if (rules_ != VisibleRules::kFirst) {
      const DisplayAttributes noted = NoteAttributes(root.v.element);
      levels_.back().visible = IsVisibleIn(noted.style.visibility, true);
      if (!IsDisplayed(noted, true, false)) {
        ReportHeadOf(root.v.element, events);
        events.OnBlockEnd();
        return;
      }
    }
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.next == level.children->length) {
        if (level.flow == Flow::kBlock) events.OnBlockEnd();
        if (level.flow == Flow::kLink && level.visible) events.OnLinkEnd();
        levels_.pop_back();
        continue;
      }
      Visit(*static_cast<const GumboNode*>(level.children->data[level.next++]), level, events);
    }
    if (levels_.capacity() > kKeptLevels) levels_ = {};
  }

  /// What the head says of a page that isn't shown.
  void ReportHeadOf(const GumboElement& html, HtmlEvents& events) {
    for (unsigned i = 0; i < html.children.length; ++i) {
      const auto& child = *static_cast<const GumboNode*>(html.children.data[i]);
      if (child.type != GUMBO_NODE_ELEMENT || child.v.element.tag != GUMBO_TAG_HEAD) continue;
      ReportHead(child.v.element, events);
      return;
    }
  }

  void Visit(const GumboNode& node, const Level& around, HtmlEvents& events) {
    switch (node.type) {
      case GUMBO_NODE_TEXT:
      case GUMBO_NODE_CDATA:
      case GUMBO_NODE_WHITESPACE:
        if (around.visible && around.draws_text) events.OnText(Valid(node.v.text.text));
        break;
      case GUMBO_NODE_ELEMENT:
        Enter(node.v.element, around, events);
        break;
      case GUMBO_NODE_DOCUMENT:
      case GUMBO_NODE_COMMENT:
      case GUMBO_NODE_TEMPLATE:
        break;
    }
  }

  void Enter(const GumboElement& element, const Level& around, HtmlEvents& events) {
    if (element.tag_namespace == GUMBO_NAMESPACE_HTML) {
      if (element.tag == GUMBO_TAG_HEAD) ReportHead(element, events);
      if (element.tag == GUMBO_TAG_TITLE) ReportTitle(element, events);
    }
    const Nature nature = NatureOf(element, rules_);
    const bool visible = IsVisibleIn(nature.visibility, around.visible);
    switch (nature.flow) {
      case Flow::kInvisible:
        return;
      case Flow::kReplaced:
        events.OnBreak();
        return;
      case Flow::kLine:
        events.OnBreak();
        if (visible && element.tag == GUMBO_TAG_IMG) {
          events.OnAltText(Valid(AttributeOr(element, "alt")));
        }
        return;
      case Flow::kBlock:
        events.OnBlockBegin(nature.hints);
        break;
      case Flow::kLink:
        if (visible) {
          events.OnLinkBegin({Valid(AttributeOr(element, "href")),
                              Valid(AttributeOr(element, "rel"), repaired_rel_)});
        }
        break;
      case Flow::kInline:
        break;
    }
    Level level{&element.children, 0, nature.flow, visible};
    if (rules_ != VisibleRules::kFirst) level.draws_text = DrawsText(element, around.draws_text);
    levels_.push_back(level);
  }

  /// The value of an attribute; empty where there is none.
  static std::string_view AttributeOr(const GumboElement& element, const char* name) {
    const GumboAttribute* attribute = gumbo_get_attribute(&element.attributes, name);
    return attribute == nullptr ? std::string_view() : std::string_view(attribute->value);
  }

  /// Only what stands in the head itself counts: a comment in the body claims nothing.
  void ReportHead(const GumboElement& head, HtmlEvents& events) {
    for (unsigned i = 0; i < head.children.length; ++i) {
      const auto& node = *static_cast<const GumboNode*>(head.children.data[i]);
      if (node.type != GUMBO_NODE_ELEMENT) continue;
      const GumboElement& element = node.v.element;
      if (element.tag == GUMBO_TAG_TITLE) ReportTitle(element, events);
      if (element.tag == GUMBO_TAG_BASE) events.OnBase(Valid(AttributeOr(element, "href")));
      if (element.tag == GUMBO_TAG_LINK &&
          EqualsNoCase(TrimAscii(AttributeOr(element, "rel")), "canonical")) {
        events.OnCanonical(Valid(AttributeOr(element, "href")));
      }
      if (element.tag == GUMBO_TAG_META &&
          EqualsNoCase(TrimAscii(AttributeOr(element, "http-equiv")), "refresh")) {
        events.OnRefresh(Valid(AttributeOr(element, "content")));
      }
      if (element.tag == GUMBO_TAG_META &&
          EqualsNoCase(TrimAscii(AttributeOr(element, "name")), "robots")) {
        events.OnRobots(Valid(AttributeOr(element, "content")));
      }
    }
  }

  void ReportTitle(const GumboElement& title, HtmlEvents& events) {
    // The tokenizer lets nothing but text into a title.
    if (title.children.length == 0) return;
    const auto& text = *static_cast<const GumboNode*>(title.children.data[0]);
    if (text.type == GUMBO_NODE_TEXT) events.OnTitle(Valid(text.v.text.text));
  }

  static void ReportLanguage(const GumboElement& html, HtmlEvents& events) {
    const GumboAttribute* lang = gumbo_get_attribute(&html.attributes, "lang");
    if (lang == nullptr) lang = gumbo_get_attribute(&html.attributes, "xml:lang");
    if (lang != nullptr) events.OnLanguage(lang->value);
  }

  static constexpr std::size_t kKeptLevels = 64 << 10;

  const Limits limits_;
  const VisibleRules rules_;
  ParseArena arena_;
  std::vector<Level> levels_;
  bool has_numeric_references_ = false;
  std::string repaired_;
  std::string repaired_rel_;
};

}  // namespace

std::string_view ParseEndCode(ParseEnd end) {
  switch (end) {
    case ParseEnd::kDone:
      break;
    case ParseEnd::kMemory:
      return "parse_memory";
    case ParseEnd::kNodes:
      return "parse_nodes";
    case ParseEnd::kTime:
      return "parse_time";
    case ParseEnd::kDepth:
      return "parse_depth";
    case ParseEnd::kParserError:
      return "parser_error";
  }
  return {};
}

std::unique_ptr<HtmlParser> MakeGumboParser(const Limits& limits, VisibleRules rules) {
  return std::make_unique<GumboParser>(limits, rules);
}

}  // namespace crawlsieve::extract
