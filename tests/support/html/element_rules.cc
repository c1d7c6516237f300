#include "tests/support/html/element_rules.h"

#include "extract/text/ascii.h"

#include <algorithm>
#include <array>
#include <string>

namespace crawlsieve::html_check {
namespace {

constexpr std::array<std::string_view, 18> kInvisible = {
    "area",   "base",    "bgsound",  "datalist", "head",  "link",
    "meta",   "noembed", "noframes", "noscript", "param", "rp",
    "script", "source",  "style",    "template", "title", "track"};
constexpr std::array<std::string_view, 8> kReplaced = {"audio", "canvas", "embed",    "iframe",
                                                       "meter", "object", "progress", "video"};
// Names of SVG and MathML make blocks in HTML too.
constexpr std::array<std::string_view, 78> kBlocks = {"address",
                                                      "article",
                                                      "aside",
                                                      "blockquote",
                                                      "body",
                                                      "button",
                                                      "caption",
                                                      "center",
                                                      "col",
                                                      "colgroup",
                                                      "dd",
                                                      "details",
                                                      "dialog",
                                                      "dir",
                                                      "div",
                                                      "dl",
                                                      "dt",
                                                      "fieldset",
                                                      "figcaption",
                                                      "figure",
                                                      "footer",
                                                      "form",
                                                      "frame",
                                                      "frameset",
                                                      "h1",
                                                      "h2",
                                                      "h3",
                                                      "h4",
                                                      "h5",
                                                      "h6",
                                                      "header",
                                                      "hgroup",
                                                      "hr",
                                                      "html",
                                                      "input",
                                                      "keygen",
                                                      "legend",
                                                      "li",
                                                      "listing",
                                                      "main",
                                                      "marquee",
                                                      "menu",
                                                      "multicol",
                                                      "nav",
                                                      "nextid",
                                                      "ol",
                                                      "optgroup",
                                                      "option",
                                                      "p",
                                                      "plaintext",
                                                      "pre",
                                                      "rt",
                                                      "rtc",
                                                      "search",
                                                      "section",
                                                      "select",
                                                      "spacer",
                                                      "summary",
                                                      "table",
                                                      "tbody",
                                                      "td",
                                                      "textarea",
                                                      "tfoot",
                                                      "th",
                                                      "thead",
                                                      "tr",
                                                      "ul",
                                                      "xmp",
                                                      "annotation-xml",
                                                      "desc",
                                                      "foreignobject",
                                                      "malignmark",
                                                      "mglyph",
                                                      "mi",
                                                      "mn",
                                                      "mo",
                                                      "ms",
                                                      "mtext"};
constexpr std::array<std::string_view, 8> kForeignInvisible = {
    "title", "desc", "metadata", "defs", "style", "script", "annotation", "annotation-xml"};

template <std::size_t kSize>
bool IsOneOf(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Shown ShownOfHtml(std::string_view name) {
  if (name == "a") return Shown::kAsLink;
  if (name == "br" || name == "img") return Shown::kAsLine;
  if (IsOneOf(kInvisible, name)) return Shown::kNot;
  if (IsOneOf(kReplaced, name)) return Shown::kInstead;
  return IsOneOf(kBlocks, name) ? Shown::kAsBlock : Shown::kInline;
}

Shown ShownOfForeign(std::string_view name) {
  if (IsOneOf(kForeignInvisible, extract::AsciiLower(name))) return Shown::kNot;
  return extract::AsciiLower(name) == "tspan" ? Shown::kInline : Shown::kAsBlock;
}

namespace {

/// A style without comments, in lower case. Escapes and strings with signs in them, which the tests
/// of inline styles have, aren't looked at here.
std::string PlainStyle(std::string_view style) {
  std::string plain = extract::AsciiLower(style);
  for (std::size_t at = plain.find("/*"); at != std::string::npos; at = plain.find("/*", at)) {
    const std::size_t end = plain.find("*/", at + 2);
    plain.replace(at, end == std::string::npos ? end : end + 2 - at, " ");
  }
  return plain;
}

}  // namespace

std::string DeclaredValue(std::string_view style, std::string_view wanted,
                          const std::set<std::string>& values) {
  std::string normal;
  std::string important;
  std::string rest = PlainStyle(style) + ";";
  while (!rest.empty()) {
    const std::string declaration = rest.substr(0, rest.find(';'));
    rest.erase(0, declaration.size() + 1);
    const std::size_t colon = declaration.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view whole = declaration;
    if (extract::TrimAscii(whole.substr(0, colon)) != wanted) continue;
    std::string_view value = whole.substr(colon + 1);
    const std::size_t bang = value.find('!');
    const bool is_important = bang != std::string_view::npos;
    if (is_important && extract::TrimAscii(value.substr(bang + 1)) != "important") continue;
    value = extract::TrimAscii(value.substr(0, bang));
    if (values.contains(std::string(value))) (is_important ? important : normal) = value;
  }
  return important.empty() ? normal : important;
}

extract::Hints HintsOfElement(std::string_view name) {
  constexpr std::array<std::string_view, 2> kNavigation = {"nav", "menu"};
  constexpr std::array<std::string_view, 7> kBoilerplate = {
      "header", "footer", "aside", "fieldset", "button", "select", "textarea"};
  constexpr std::array<std::string_view, 2> kMain = {"main", "article"};
  const auto is_one_of = [&](const auto& names) {
    for (const std::string_view one : names) {
      if (one == name) return true;
    }
    return false;
  };
  if (is_one_of(kNavigation)) return extract::kNavigationHint;
  if (is_one_of(kBoilerplate)) return extract::kBoilerplateHint;
  if (name == "form") return extract::kBoilerplateHint | extract::kFormHint;
  if (is_one_of(kMain)) return extract::kMainHint;
  if (name == "h1") return extract::kHeadingHint | extract::kHeadlineHint;
  if (name.size() == 2 && name[0] == 'h' && name[1] >= '2' && name[1] <= '6') {
    return extract::kHeadingHint;
  }
  return extract::kNoHints;
}

}  // namespace crawlsieve::html_check
