#include "tests/support/html/page_tags.h"

#include "extract/html/tags.h"
#include "extract/text/ascii.h"

#include <algorithm>
#include <array>
#include <optional>

namespace crawlsieve::html_check {
namespace {

using extract::IsAsciiAlpha;
using extract::IsAsciiSpace;

constexpr std::array<std::string_view, 8> kRawTextElements = {
    "iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"};

/// Start tags of HTML that end SVG and MathML.
constexpr std::array<std::string_view, 44> kEndForeignContent = {
    "b",      "big",  "blockquote", "body",  "br",   "center", "code",    "dd",   "div",
    "dl",     "dt",   "em",         "embed", "h1",   "h2",     "h3",      "h4",   "h5",
    "h6",     "head", "hr",         "i",     "img",  "li",     "listing", "menu", "meta",
    "nobr",   "ol",   "p",          "pre",   "ruby", "s",      "small",   "span", "strong",
    "strike", "sub",  "sup",        "table", "tt",   "u",      "ul",      "var"};

template <std::size_t kSize>
bool IsOneOf(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Reads the attribute at `at`, and goes behind it; nullopt at the end of the tag.
std::optional<AttributeSource> ReadAttribute(std::string_view page, std::size_t& at) {
  const std::size_t begin = at;
  const auto is_between = [](char c) { return IsAsciiSpace(c) || c == '/'; };
  while (at < page.size() && is_between(page[at])) ++at;
  if (at == page.size() || page[at] == '>') return std::nullopt;
  const std::size_t name = at++;  // even a '='
  while (at < page.size() && !is_between(page[at]) && page[at] != '=' && page[at] != '>') ++at;
  const std::size_t name_end = at;
  std::size_t value = at;
  while (value < page.size() && IsAsciiSpace(page[value])) ++value;
  if (value < page.size() && page[value] == '=') {
    do ++value;
    while (value < page.size() && IsAsciiSpace(page[value]));
    at = value;
    if (at < page.size() && (page[at] == '"' || page[at] == '\'')) {
      at = std::min(page.find(page[at], at + 1), page.size() - 1) + 1;
    } else {
      while (at < page.size() && !IsAsciiSpace(page[at]) && page[at] != '>') ++at;
    }
  }
  return AttributeSource{page.substr(begin, at - begin),
                         extract::AsciiLower(page.substr(name, name_end - name))};
}

/// Behind the '>' of the tag whose name ends at `at`; the end of the page if it has none.
std::size_t EndOfTag(std::string_view page, std::size_t at) {
  while (ReadAttribute(page, at)) {
  }
  return std::min(at + 1, page.size());
}

std::string NameAt(std::string_view page, std::size_t begin) {
  std::size_t end = begin;
  while (end < page.size() && !IsAsciiSpace(page[end]) && page[end] != '/' && page[end] != '>') {
    ++end;
  }
  return extract::AsciiLower(page.substr(begin, end - begin));
}

/// A script goes on behind a </script> that ends a <script in a comment.
std::size_t EndOfScript(std::string_view page, std::size_t begin) {
  enum class State : std::uint8_t { kScript, kComment, kScriptInComment };
  State state = State::kScript;
  for (std::size_t at = begin; at < page.size(); ++at) {
    const std::string_view rest = page.substr(at);
    if (state == State::kScript && rest.starts_with("<!--")) {
      state = State::kComment;
      ++at;  // its dashes may be those of the end as well
    } else if (rest.starts_with("-->")) {
      state = State::kScript;
    } else if (rest.starts_with("</") && NameAt(page, at + 2) == "script" &&
               at + std::string_view("</script").size() < page.size()) {
      if (state != State::kScriptInComment) return at;
      state = State::kComment;
    } else if (state == State::kComment && rest.starts_with('<') &&
               NameAt(page, at + 1) == "script") {
      state = State::kScriptInComment;
    }
  }
  return page.size();
}

std::size_t EndOfRawText(std::string_view page, std::size_t begin, std::string_view name) {
  if (name == "script") return EndOfScript(page, begin);
  for (std::size_t at = page.find("</", begin); at != std::string_view::npos;
       at = page.find("</", at + 2)) {
    if (NameAt(page, at + 2) == name) return at;
  }
  return page.size();
}

std::size_t EndOfMarkup(std::string_view page, std::size_t begin) {
  if (page.substr(begin).starts_with("<!--")) {
    if (page.substr(begin).starts_with("<!-->")) return begin + 5;
    if (page.substr(begin).starts_with("<!--->")) return begin + 6;
    const std::size_t plain = page.find("-->", begin + 4);
    const std::size_t bang = page.find("--!>", begin + 4);
    if (plain == std::string_view::npos && bang == std::string_view::npos) return page.size();
    return bang < plain ? bang + 4 : plain + 3;
  }
  return std::min(page.find('>', begin), page.size() - 1) + 1;
}

constexpr std::array<std::string_view, 18> kVoidElements = {
    "area",  "base", "basefont", "bgsound", "br",   "col",   "embed",  "frame", "hr",
    "image", "img",  "input",    "link",    "meta", "param", "source", "track", "wbr"};

/// Follows the open elements to tell which tags are SVG or MathML. Implied ends are left out.
class OpenElements {
 public:
  /// Whether a tag or text that comes now is foreign.
  [[nodiscard]] bool foreign_here() const {
    return !open_.empty() && open_.back().space != Space::kHtml && !open_.back().integration_point;
  }

  /// Returns whether the tag is foreign.
  bool Start(const Piece& tag) {
    const std::string_view name = tag.name;
    const std::string_view source = tag.source;
    const bool text_point =
        !open_.empty() && open_.back().space == Space::kMath && open_.back().integration_point;
    Space space = Space::kHtml;
    if (foreign_here() || (text_point && (name == "mglyph" || name == "malignmark"))) {
      if (foreign_here() && (IsOneOf(kEndForeignContent, name) || IsFontOfHtml(tag))) {
        LeaveForeignContent();
      } else {
        space = open_.back().space;
      }
    }
    if (space == Space::kHtml && name == "svg") space = Space::kSvg;
    if (space == Space::kHtml && name == "math") space = Space::kMath;
    const bool is_void =
        space == Space::kHtml ? IsOneOf(kVoidElements, name) : source.ends_with("/>");
    if (!is_void) {
      open_.push_back({std::string(name), space, IsIntegrationPoint(name, space, source)});
    }
    return space != Space::kHtml;
  }

  /// Returns whether the tag ends a foreign element, or HTML that foreign content can't hold.
  bool End(std::string_view name) {
    if (foreign_here() && (name == "p" || name == "br")) {
      LeaveForeignContent();
      return true;
    }
    if (foreign_here()) {
      for (std::size_t i = open_.size(); i-- > 0 && open_[i].space != Space::kHtml;) {
        if (open_[i].name != name) continue;
        open_.resize(i);
        return true;
      }
    }
    if (name == "html" || name == "body") return foreign_here();
    for (std::size_t i = open_.size(); i-- > 0;) {
      if (open_[i].name == name && open_[i].space == Space::kHtml) {
        open_.resize(i);
        return false;
      }
      if (IsOrdinary(name) && IsSpecial(open_[i])) break;
    }
    return foreign_here();
  }

 private:
  enum class Space : std::uint8_t { kHtml, kSvg, kMath };
  struct Element {
    std::string name;
    Space space;
    bool integration_point;
  };

  static bool IsIntegrationPoint(std::string_view name, Space space, std::string_view source) {
    constexpr std::array<std::string_view, 5> kMathText = {"mi", "mo", "mn", "ms", "mtext"};
    if (space == Space::kSvg) return name == "foreignobject" || name == "desc" || name == "title";
    if (space == Space::kHtml) return false;
    if (name != "annotation-xml") return IsOneOf(kMathText, name);
    const std::string tag = extract::AsciiLower(source);
    return tag.find("text/html") != std::string::npos ||
           tag.find("application/xhtml+xml") != std::string::npos;
  }

  /// Whether "any other end tag" of the standard is what ends the element.
  static bool IsOrdinary(std::string_view name) {
    const extract::html::TagTraits& traits = extract::html::TraitsOf(extract::html::FindTag(name));
    return !traits.formatting && (traits.classes & extract::html::kSpecial) == 0;
  }

  /// Whether such an end tag doesn't reach through the element.
  static bool IsSpecial(const Element& element) {
    if (element.space != Space::kHtml) {
      return element.integration_point || element.name == "annotation-xml";
    }
    return (extract::html::TraitsOf(extract::html::FindTag(element.name)).classes &
            extract::html::kSpecial) != 0;
  }

  static bool IsFontOfHtml(const Piece& tag) {
    if (tag.name != "font") return false;
    const std::vector<AttributeSource> attributes = AttributesOf(tag);
    return std::any_of(attributes.begin(), attributes.end(), [](const AttributeSource& attribute) {
      return attribute.name == "color" || attribute.name == "face" || attribute.name == "size";
    });
  }

  void LeaveForeignContent() {
    while (foreign_here()) open_.pop_back();
  }

  std::vector<Element> open_;
};

}  // namespace

std::vector<Piece> PiecesOf(PageSource source) {
  const std::string_view page = source.html;
  const bool has_raw_text = source.reading == Reading::kAsTagsTell;
  bool seen_foreign = false;
  const auto is_foreign = [&](bool as_tags_tell) {
    if (source.reading == Reading::kAllHtml) return false;
    return source.reading == Reading::kAllForeign ? seen_foreign : as_tags_tell;
  };
  std::vector<Piece> pieces;
  OpenElements open;
  const auto add = [&](PieceKind kind, std::size_t begin, std::size_t end, std::string name = {}) {
    if (begin < end) {
      pieces.push_back({kind, page.substr(begin, end - begin), std::move(name),
                        is_foreign(open.foreign_here())});
    }
  };
  std::size_t text = 0;
  std::size_t at = 0;
  while ((at = page.find('<', at)) != std::string_view::npos && at + 1 < page.size()) {
    const std::size_t begin = at;
    const char next = page[at + 1];
    const char after = at + 2 < page.size() ? page[at + 2] : '\0';
    if (IsAsciiAlpha(next) || (next == '/' && IsAsciiAlpha(after))) {
      add(PieceKind::kText, text, begin);
      const bool start = next != '/';
      const std::size_t name_begin = begin + (start ? 1 : 2);
      const std::string name = NameAt(page, name_begin);
      at = EndOfTag(page, name_begin + name.size());
      add(start ? PieceKind::kStartTag : PieceKind::kEndTag, begin, at, name);
      const bool foreign = start ? open.Start(pieces.back()) : open.End(name);
      seen_foreign = seen_foreign || foreign;
      pieces.back().foreign = is_foreign(foreign);
      if (has_raw_text && start && !foreign && name == "plaintext") {
        add(PieceKind::kRawText, at, page.size(), name);
        return pieces;
      }
      if (has_raw_text && start && !foreign && IsOneOf(kRawTextElements, name)) {
        const std::size_t end = EndOfRawText(page, at, name);
        add(PieceKind::kRawText, at, end, name);
        at = end;
      }
      text = at;
    } else if (next == '!' || next == '?' || next == '/') {
      add(PieceKind::kText, text, begin);
      at = next == '!' ? EndOfMarkup(page, begin)
                       : std::min(page.find('>', begin), page.size() - 1) + 1;
      add(next == '/' && after == '>' ? PieceKind::kEmptyEndTag : PieceKind::kMarkup, begin, at);
      text = at;
    } else {
      ++at;
    }
  }
  add(PieceKind::kText, text, page.size());
  return pieces;
}

std::string RewritePieces(PageSource page,
                          const std::function<std::string(const Piece&)>& replace) {
  std::string rewritten;
  rewritten.reserve(page.html.size());
  for (const Piece& piece : PiecesOf(page)) rewritten += replace(piece);
  return rewritten;
}

std::vector<AttributeSource> AttributesOf(const Piece& start_tag) {
  std::vector<AttributeSource> attributes;
  std::size_t at = std::string_view("<").size() + start_tag.name.size();
  while (const auto attribute = ReadAttribute(start_tag.source, at)) {
    attributes.push_back(*attribute);
  }
  return attributes;
}

}  // namespace crawlsieve::html_check
