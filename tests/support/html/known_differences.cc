#include "tests/support/html/known_differences.h"

#include "extract/text/ascii.h"
#include "extract/text/utf8.h"
#include "tests/support/html/page_tags.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>
#include <set>

namespace crawlsieve::html_check {
namespace {

using namespace std::string_view_literals;
using extract::IsAsciiDigit;

/// Tags that Gumbo has a number for. All others are one tag to it.
constexpr std::array<std::string_view, 150> kGumboTags = {"html",       "head",
                                                          "title",      "base",
                                                          "link",       "meta",
                                                          "style",      "script",
                                                          "noscript",   "template",
                                                          "body",       "article",
                                                          "section",    "nav",
                                                          "aside",      "h1",
                                                          "h2",         "h3",
                                                          "h4",         "h5",
                                                          "h6",         "hgroup",
                                                          "header",     "footer",
                                                          "address",    "p",
                                                          "hr",         "pre",
                                                          "blockquote", "ol",
                                                          "ul",         "li",
                                                          "dl",         "dt",
                                                          "dd",         "figure",
                                                          "figcaption", "main",
                                                          "div",        "a",
                                                          "em",         "strong",
                                                          "small",      "s",
                                                          "cite",       "q",
                                                          "dfn",        "abbr",
                                                          "data",       "time",
                                                          "code",       "var",
                                                          "samp",       "kbd",
                                                          "sub",        "sup",
                                                          "i",          "b",
                                                          "u",          "mark",
                                                          "ruby",       "rt",
                                                          "rp",         "bdi",
                                                          "bdo",        "span",
                                                          "br",         "wbr",
                                                          "ins",        "del",
                                                          "image",      "img",
                                                          "iframe",     "embed",
                                                          "object",     "param",
                                                          "video",      "audio",
                                                          "source",     "track",
                                                          "canvas",     "map",
                                                          "area",       "math",
                                                          "mi",         "mo",
                                                          "mn",         "ms",
                                                          "mtext",      "mglyph",
                                                          "malignmark", "annotation-xml",
                                                          "svg",        "foreignobject",
                                                          "desc",       "table",
                                                          "caption",    "colgroup",
                                                          "col",        "tbody",
                                                          "thead",      "tfoot",
                                                          "tr",         "td",
                                                          "th",         "form",
                                                          "fieldset",   "legend",
                                                          "label",      "input",
                                                          "button",     "select",
                                                          "datalist",   "optgroup",
                                                          "option",     "textarea",
                                                          "keygen",     "output",
                                                          "progress",   "meter",
                                                          "details",    "summary",
                                                          "menu",       "menuitem",
                                                          "applet",     "acronym",
                                                          "bgsound",    "dir",
                                                          "frame",      "frameset",
                                                          "noframes",   "isindex",
                                                          "listing",    "xmp",
                                                          "nextid",     "noembed",
                                                          "plaintext",  "rb",
                                                          "strike",     "basefont",
                                                          "big",        "blink",
                                                          "center",     "font",
                                                          "marquee",    "multicol",
                                                          "nobr",       "spacer",
                                                          "tt",         "rtc"};

template <std::size_t kSize>
constexpr bool IsOneOf(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 14> kFormattingTags = {
    "a",    "b", "big",   "code",   "em",     "font", "i",
    "nobr", "s", "small", "strike", "strong", "tt",   "u"};

bool IsTag(const Piece& piece) {
  return piece.kind == PieceKind::kStartTag || piece.kind == PieceKind::kEndTag;
}

bool IsGumboTag(std::string_view name) { return IsOneOf(kGumboTags, name); }

bool IsFormatting(std::string_view name) { return IsOneOf(kFormattingTags, name); }

/// The tag with another name.
std::string Renamed(const Piece& tag, std::string_view name) {
  const std::size_t prefix = tag.kind == PieceKind::kStartTag ? 1 : 2;
  return std::string(tag.source.substr(0, prefix)) + std::string(name) +
         std::string(tag.source.substr(prefix + tag.name.size()));
}

/// Leaves out what `drop` says.
template <typename Drop>
std::string Without(PageSource page, Drop drop) {
  return RewritePieces(
      page, [&](const Piece& piece) { return drop(piece) ? "" : std::string(piece.source); });
}

// The rewritings, in the order of the table.

std::string WithoutUnknownTags(PageSource page) {
  return Without(page, [](const Piece& piece) {
    return IsTag(piece) && !piece.foreign && !IsGumboTag(piece.name) && piece.name != "dialog" &&
           piece.name != "search";
  });
}

/// A comment makes Gumbo insert the text before it.
std::string CommentBeforeEndTags(PageSource page) {
  return RewritePieces(page, [](const Piece& piece) {
    const bool flushes =
        piece.kind == PieceKind::kEndTag && (piece.name == "form" || IsFormatting(piece.name));
    return (flushes ? "<!---->" : "") + std::string(piece.source);
  });
}

/// The names of open elements, as far as tags alone tell, without implied ends.
class OpenNames {
 public:
  void Start(std::string_view name) { names_.emplace_back(name); }

  /// Takes the last element of that name out and returns how many are above it; nullopt: none is
  /// open. Those above stay: formatting would be opened again.
  std::optional<std::size_t> End(std::string_view name) {
    const auto found = std::find(names_.rbegin(), names_.rend(), name);
    if (found == names_.rend()) return std::nullopt;
    const auto above = static_cast<std::size_t>(found - names_.rbegin());
    names_.erase(std::next(found).base());
    return above;
  }

 private:
  std::vector<std::string> names_;
};

/// Leaves out all formatting if the end of one is four open elements or more from its start.
std::string WithoutDeepFormatting(PageSource page) {
  constexpr std::size_t kRounds = 4;
  OpenNames open;
  bool deep = false;
  for (const Piece& piece : PiecesOf(page)) {
    if (!IsTag(piece) || piece.foreign) continue;
    const bool start = piece.kind == PieceKind::kStartTag;
    // The start of another one ends these.
    if (!start || piece.name == "a" || piece.name == "nobr") {
      const std::optional<std::size_t> above = open.End(piece.name);
      deep = deep || (IsFormatting(piece.name) && above.value_or(0) >= kRounds);
    }
    if (start) open.Start(piece.name);
  }
  if (!deep) return std::string(page.html);
  return Without(page, [](const Piece& piece) { return IsTag(piece) && IsFormatting(piece.name); });
}

/// Ends a link that is eight open elements or more from the next one.
std::string WithEndTagsOfDeepLinks(PageSource page) {
  constexpr std::size_t kRounds = 8;
  OpenNames open;
  return RewritePieces(page, [&](const Piece& piece) {
    std::string source(piece.source);
    if (!IsTag(piece) || piece.foreign) return source;
    const bool start = piece.kind == PieceKind::kStartTag;
    if (!start || piece.name == "a") {
      const std::optional<std::size_t> above = open.End(piece.name);
      if (start && above.value_or(0) >= kRounds) source.insert(0, "</a>");
    }
    if (start) open.Start(piece.name);
    return source;
  });
}

/// Leaves out the formatting of which four are open at once.
std::string WithoutFourfoldFormatting(PageSource page) {
  constexpr int kInTheList = 3;
  std::map<std::string, int> open;
  std::set<std::string> fourfold;
  for (const Piece& piece : PiecesOf(page)) {
    if (!IsTag(piece) || !IsFormatting(piece.name)) continue;
    int& count = open[piece.name];
    count = std::max(count + (piece.kind == PieceKind::kStartTag ? 1 : -1), 0);
    if (count > kInTheList) fourfold.insert(piece.name);
  }
  return Without(page,
                 [&](const Piece& piece) { return IsTag(piece) && fourfold.contains(piece.name); });
}

/// Leaves out the tags inside templates of elements that put a marker into the list. The end tag
/// of a template takes one marker out, whatever is open in it: another one stays, and hides the
/// formatting before it.
std::string WithoutMarkersInTemplates(PageSource page) {
  constexpr std::array<std::string_view, 6> kMarked = {"applet", "caption", "marquee",
                                                       "object", "td",      "th"};
  int templates = 0;
  return Without(page, [&](const Piece& piece) {
    if (!IsTag(piece)) return false;
    if (piece.name == "template") {
      templates = std::max(templates + (piece.kind == PieceKind::kStartTag ? 1 : -1), 0);
    }
    return templates > 0 && IsOneOf(kMarked, piece.name);
  });
}

std::string WithoutDoctype(PageSource page) {
  return Without(page, [](const Piece& piece) {
    return piece.kind == PieceKind::kMarkup &&
           extract::StartsWithNoCase(piece.source.substr(1), "!doctype");
  });
}

/// What Gumbo calls invalid in a page: controls, C1, noncharacters.
bool IsInvalidForGumbo(char32_t c) {
  return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) ||
         (c >= 0x7F && c <= 0x9F) || (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
}

struct CodePoint {
  char32_t value;
  std::size_t bytes;
};

/// The code point at `at` of valid UTF-8.
CodePoint Decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xE0) return {(first & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (first < 0xF0) {
    return {(first & 0xF) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  }
  return {(first & 0x7) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F),
          4};
}

constexpr std::string_view kReplacement = "\uFFFD";

std::string WithoutInvalidCharacters(PageSource page) {
  std::string rewritten;
  for (std::size_t at = 0; at < page.html.size();) {
    const auto [value, bytes] = Decode(page.html, at);
    rewritten += IsInvalidForGumbo(value) ? kReplacement : page.html.substr(at, bytes);
    at += bytes;
  }
  return rewritten;
}

/// Rewrites numeric character references: `replace` gets the number, at most 2^32.
template <typename Replace>
std::string RewriteReferences(std::string_view page, Replace replace) {
  std::string rewritten;
  std::size_t at = 0;
  for (std::size_t next = page.find("&#"); next != std::string_view::npos;
       next = page.find("&#", next + 2)) {
    std::size_t end = next + 2;
    const bool hex = end < page.size() && (page[end] == 'x' || page[end] == 'X');
    if (hex) ++end;
    const std::size_t digits = end;
    std::uint64_t number = 0;
    for (; end < page.size(); ++end) {
      const char c = extract::AsciiLower(page[end]);
      int digit = -1;
      if (IsAsciiDigit(c)) digit = c - '0';
      if (hex && c >= 'a' && c <= 'f') digit = c - 'a' + 10;
      if (digit < 0) break;
      number = std::min<std::uint64_t>(number * (hex ? 16 : 10) + static_cast<unsigned>(digit),
                                       std::uint64_t{1} << 32);
    }
    if (end == digits) continue;
    if (end < page.size() && page[end] == ';') ++end;
    const std::optional<std::string> other = replace(number);
    if (!other) continue;
    rewritten += page.substr(at, next - at);
    rewritten += *other;
    at = end;
  }
  rewritten += page.substr(at);
  return rewritten;
}

std::string WithoutLargeReferences(PageSource page) {
  return RewriteReferences(page.html, [](std::uint64_t number) {
    return number > 0x10FFFF ? std::optional<std::string>(kReplacement) : std::nullopt;
  });
}

/// The start tag without the attributes whose name came before in it.
std::string WithoutRepeatedAttributes(const Piece& tag) {
  std::size_t end = std::string_view("<").size() + tag.name.size();
  std::string rewritten(tag.source.substr(0, end));
  std::set<std::string> names;
  for (const AttributeSource& attribute : AttributesOf(tag)) {
    end += attribute.source.size();
    if (names.insert(attribute.name).second) rewritten += attribute.source;
  }
  return rewritten + std::string(tag.source.substr(end));
}

std::string WithoutRepeatedAttributesOfTags(PageSource page) {
  return RewritePieces(page, [](const Piece& piece) {
    return piece.kind == PieceKind::kStartTag ? WithoutRepeatedAttributes(piece)
                                              : std::string(piece.source);
  });
}

std::string WithoutNulsInTags(PageSource page) {
  return RewritePieces(page, [](const Piece& piece) {
    std::string rewritten;
    for (const char c : piece.source) {
      if (c == '\0' && IsTag(piece)) {
        rewritten += kReplacement;
      } else {
        rewritten.push_back(c);
      }
    }
    return rewritten;
  });
}

std::string WithoutEmptyEndTags(PageSource page) {
  return Without(page, [](const Piece& piece) { return piece.kind == PieceKind::kEmptyEndTag; });
}

std::string WithPlainEndTags(PageSource page) {
  return RewritePieces(page, [](const Piece& piece) {
    return piece.kind == PieceKind::kEndTag && piece.source.ends_with('>')
               ? "</" + std::string(piece.source.substr(2, piece.name.size())) + ">"
               : std::string(piece.source);
  });
}

constexpr std::array<std::string_view, 4> kRetiredTags = {"isindex", "menuitem", "keygen",
                                                          "nextid"};

std::string WithoutRetiredTags(PageSource page) {
  return Without(
      page, [](const Piece& piece) { return IsTag(piece) && IsOneOf(kRetiredTags, piece.name); });
}

/// The name of a block that has no rules of its own and isn't in the page, which could end it.
std::string_view UnusedBlock(PageSource page) {
  constexpr std::array<std::string_view, 5> kBlocks = {"hgroup", "center", "dir", "figcaption",
                                                       "figure"};
  const std::string lower = extract::AsciiLower(page.html);
  const auto* const unused = std::find_if(kBlocks.begin(), kBlocks.end(), [&](auto name) {
    return lower.find("<" + std::string(name)) == std::string::npos &&
           lower.find("</" + std::string(name)) == std::string::npos;
  });
  return unused == kBlocks.end() ? kBlocks.front() : *unused;
}

std::string WithBlockForSearch(PageSource page) {
  const std::string_view block = UnusedBlock(page);
  return RewritePieces(page, [block](const Piece& piece) {
    return IsTag(piece) && piece.name == "search" ? Renamed(piece, block)
                                                  : std::string(piece.source);
  });
}

std::string WithStartTagsOfBr(PageSource page) {
  return RewritePieces(page, [](const Piece& piece) {
    const bool end = piece.kind == PieceKind::kEndTag && piece.name == "br" && !piece.foreign;
    return end ? "<br>" : std::string(piece.source);
  });
}

/// Leaves out the text behind the </html> of a frameset's page.
std::string WithoutTextBehindFramesets(PageSource page) {
  bool frameset = false;
  bool behind = false;
  return Without(page, [&](const Piece& piece) {
    frameset = frameset || (piece.kind == PieceKind::kStartTag && piece.name == "frameset");
    behind = behind || (frameset && piece.kind == PieceKind::kEndTag && piece.name == "html");
    return behind && piece.kind == PieceKind::kText;
  });
}

std::string WithArticleForMain(PageSource page) {
  return RewritePieces(page, [](const Piece& piece) {
    return IsTag(piece) && piece.name == "main" ? Renamed(piece, "article")
                                                : std::string(piece.source);
  });
}

std::string WithoutObjects(PageSource page) {
  return Without(page, [](const Piece& piece) {
    return IsTag(piece) &&
           (piece.name == "applet" || piece.name == "marquee" || piece.name == "object");
  });
}

std::string WithBlockForDialog(PageSource page) {
  const std::string_view block = UnusedBlock(page);
  return RewritePieces(page, [block](const Piece& piece) {
    if (!IsTag(piece) || piece.name != "dialog") return std::string(piece.source);
    if (piece.kind == PieceKind::kEndTag) return Renamed(piece, block);
    const std::vector<AttributeSource> attributes = AttributesOf(piece);
    const bool open =
        std::any_of(attributes.begin(), attributes.end(),
                    [](const AttributeSource& attribute) { return attribute.name == "open"; });
    std::string group = Renamed(piece, block);
    if (piece.foreign) return group;
    if (!open) group.insert(1 + block.size(), " hidden ");
    return group;
  });
}

/// Behind the first <svg> or <math>.
std::string WithoutEndTagsOfPAndBrInForeignContent(PageSource page) {
  bool foreign = false;
  return Without(page, [&](const Piece& piece) {
    foreign = foreign ||
              (piece.kind == PieceKind::kStartTag && (piece.name == "svg" || piece.name == "math"));
    return foreign && piece.kind == PieceKind::kEndTag && (piece.name == "p" || piece.name == "br");
  });
}

/// SVG and MathML have no such elements: others that no rule knows.
std::string WithoutForeignPartsOfTables(PageSource page) {
  constexpr std::array<std::string_view, 8> kParts = {"colgroup", "frameset", "html",  "select",
                                                      "tbody",    "tfoot",    "thead", "tr"};
  return RewritePieces(page, [&](const Piece& piece) {
    return IsTag(piece) && piece.foreign && IsOneOf(kParts, piece.name) ? Renamed(piece, "rtc")
                                                                        : std::string(piece.source);
  });
}

std::string WithoutTitlesInSvg(PageSource page) {
  return Without(page, [](const Piece& piece) {
    return IsTag(piece) && piece.foreign && piece.name == "title";
  });
}

/// Between <select> and </select> only what both rules let in.
std::string WithoutTagsInSelect(PageSource page) {
  bool in_select = false;
  return Without(page, [&](const Piece& piece) {
    if (piece.kind == PieceKind::kRawText) return in_select && piece.name != "script";
    if (!IsTag(piece)) return false;
    if (piece.name == "select" && !piece.foreign) {
      in_select = piece.kind == PieceKind::kStartTag && !in_select;
      return false;
    }
    return in_select && (piece.foreign || (piece.name != "option" && piece.name != "optgroup" &&
                                           piece.name != "script"));
  });
}

std::string WithoutSpaceBetweenTagsInTables(PageSource page) {
  int tables = 0;
  return Without(page, [&](const Piece& piece) {
    if (piece.name == "table" && piece.kind == PieceKind::kStartTag) ++tables;
    if (piece.name == "table" && piece.kind == PieceKind::kEndTag) tables = std::max(tables - 1, 0);
    return tables > 0 && piece.kind == PieceKind::kText && extract::TrimAscii(piece.source).empty();
  });
}

constexpr std::array kDifferences = {
    KnownDifference{"control-characters", "controls, C1 and noncharacters become U+FFFD",
                    WithoutInvalidCharacters, false, "a\x01z\xC2\x80", "[['a\\x01z\xC2\x80']]",
                    "[['a\uFFFDz\uFFFD']]"},
    KnownDifference{"large-references", "numbers of character references overflow 32 bits",
                    WithoutLargeReferences, true, "a&#x100000041;", "[['a\uFFFD']]", "[['aA']]"},
    KnownDifference{"nul-in-tags",
                    "a NUL before the name of an attribute is skipped, and ends names of SVG",
                    WithoutNulsInTags, true, "<div \0hidden>a"sv, "[[['a']]]", "[[]]"},
    KnownDifference{"empty-end-tag", "</> belongs to the source of the next tag",
                    WithoutEmptyEndTags, true, "<math></><annotation>a</annotation>b", "[[['b']]]",
                    "[[[['ab']]]]"},
    KnownDifference{
        "repeated-attributes", "the name of a repeated attribute goes on in that of the next one",
        WithoutRepeatedAttributesOfTags, true, "<div hidde hidde n>a", "[[['a']]]", "[[]]"},
    KnownDifference{"end-tag-names", "the name of an end tag in SVG and MathML goes on to the >",
                    WithPlainEndTags, true, "<math><annotation>a</annotation x>b", "[[['b']]]",
                    "[[[]]]"},
    KnownDifference{"unflushed-text",
                    "</form> and end tags of formatting don't insert the text before them first",
                    CommentBeforeEndTags, true, "<form>a</form>b", "[[[34:'a']'b']]",
                    "[[[34:]'ab']]"},
    KnownDifference{"br-end-tag", "</br> lets a <frameset> drop the body", WithStartTagsOfBr, true,
                    "</br><frameset>", "[[|]]", "[[]]"},
    KnownDifference{"frameset-formatting",
                    "a <frameset> that drops the body drops the list of formatting elements",
                    WithoutTextBehindFramesets, false, "<a href=x><frameset></frameset></html> ",
                    "[[](x:' ')]", "[[]' ']"},
    KnownDifference{"main-element", "<main> isn't special: end tags and items reach through it",
                    WithArticleForMain, false, "<li><main><li>a", "[[[[4:['a']]]]]",
                    "[[[[4:]]['a']]]"},
    KnownDifference{"search-element", "<search> is unknown", WithBlockForSearch, true,
                    "<search>a</search>b", "[[['a']'b']]", "[['ab']]"},
    KnownDifference{"dialog-element", "<dialog> is unknown", WithBlockForDialog, false,
                    "<p><dialog open>a</dialog>b", "[[[]['a']'b']]", "[[['ab']]]"},
    KnownDifference{"quirks-prefixes", "prefixes of public identifiers are compared whole",
                    WithoutDoctype, true,
                    "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\"><p><table>",
                    "[[[[]]]]", "[[[][]]]"},
    KnownDifference{"foreign-p-br", "</p> and </br> don't leave SVG and MathML",
                    WithoutEndTagsOfPAndBrInForeignContent, false, "<svg></p>a", "[[[][]'a']]",
                    "[[[[]]]]"},
    KnownDifference{"foreign-tables",
                    "<tfoot> and the like of SVG and MathML set the rules for what is in them",
                    WithoutForeignPartsOfTables, true, "<math><tfoot><mi><table><table>",
                    "[[[[[[][]]]]]]", "[[[[[[]]]]]]"},
    KnownDifference{"svg-title", "<title> of SVG isn't special: end tags reach through it",
                    WithoutTitlesInSvg, false, "<span><svg><title></span>a", "[[[]]]", "[[[]'a']]"},
    KnownDifference{"select-content", "the rules of <select> before 2025 let options in only",
                    WithoutTagsInSelect, false, "<select><div>a", "[[[2:['a']]]]", "[[[2:'a']]]"},
    KnownDifference{"retired-tags", "isindex, menuitem and keygen have rules of their own",
                    WithoutRetiredTags, false, "a<isindex>b", "[['ab']]",
                    "[['a'[34:[]'This is a searchable index. Enter search keywords: '[][]]'b']]"},
    KnownDifference{"object-end-tags",
                    "</object>, </applet> and </marquee> reach through one another", WithoutObjects,
                    false, "<object><marquee></object>a", "[[['a']]]", "[[[]'a']]"},
    KnownDifference{"unknown-tags", "all tags without a number are one: </foo> closes <bar>",
                    WithoutUnknownTags, false, "<bar hidden><foo>a</foo>b</foo>c</bar>d", "[['d']]",
                    "[['cd']]"},
    KnownDifference{"table-text", "text in a table is table text, whatever the current node",
                    WithoutSpaceBetweenTagsInTables, false, "<table><p><a href=x><li> ",
                    "[[[(x:)][(x:' ')][]]]", "[[[(x:)][' '][]]]"},
    KnownDifference{"end-tags-without-entry",
                    "an end tag of formatting that isn't in the list is ignored",
                    WithoutFourfoldFormatting, false, "<u><u><u><u></u></u></u><a href=x></u>a",
                    "[[(x:)(x:'a')]]", "[[(x:'a')]]"},
    KnownDifference{"end-tags-behind-markers",
                    "an end tag of formatting that only a marker hides in the list is ignored",
                    WithoutMarkersInTemplates, false,
                    "<a href=x><template><th></template></a><a href=y>", "[[(x:)(y:)]]",
                    "[[(x:(y:))]]"},
    KnownDifference{"link-in-link", "<a> removes the link that eight rounds of adoption leave open",
                    WithEndTagsOfDeepLinks, false,
                    "<a href=x><div><div><div><div><div><div><div><div><a href=y>",
                    "[[(x:)[(x:)[(x:)[(x:)[(x:)[(x:)[(x:)[(x:)[(x:(y:))]]]]]]]]]]",
                    "[[(x:)[(x:)[(x:)[(x:)[(x:)[(x:)[(x:)[(x:)[(x:)(y:)]]]]]]]]]]"},
    KnownDifference{
        "adoption-rounds",
        "an element is dropped from the list in the fourth inner round, not from the stack",
        WithoutDeepFormatting, false, "<b><a href=x><nobr><font><span><p></b><nobr>", "[[(x:)[]]]",
        "[[(x:[])]]"},
};

/// Tags of the elements of SVG and MathML that are special and end scopes, behind the first <svg>
/// or <math>.
std::string WithoutSpecialForeignTags(PageSource page) {
  constexpr std::array<std::string_view, 9> kSpecial = {
      "mi", "mo", "mn", "ms", "mtext", "annotation-xml", "foreignobject", "desc", "title"};
  bool foreign = false;
  return Without(page, [&](const Piece& piece) {
    foreign = foreign ||
              (piece.kind == PieceKind::kStartTag && (piece.name == "svg" || piece.name == "math"));
    return foreign && IsTag(piece) && IsOneOf(kSpecial, piece.name);
  });
}

/// In pages with a <template>, where a part of a table may stand without the table.
std::string WithBodiesForHeadsOfTables(PageSource page) {
  const std::vector<Piece> pieces = PiecesOf(page);
  const bool has_template = std::any_of(pieces.begin(), pieces.end(), [](const Piece& piece) {
    return piece.kind == PieceKind::kStartTag && piece.name == "template";
  });
  if (!has_template) return std::string(page.html);
  return RewritePieces(page, [](const Piece& piece) {
    return IsTag(piece) && piece.name == "thead" ? Renamed(piece, "tbody")
                                                 : std::string(piece.source);
  });
}

constexpr std::array kOracleDifferences = {
    KnownDifference{"html5ever-special", "elements of SVG and MathML aren't special",
                    WithoutSpecialForeignTags, false, "<span><math><mi></span>a", "[[[['a']]]]",
                    "[[[[]]'a']]"},
    KnownDifference{"html5ever-search", "<search> isn't special", WithBlockForSearch, false,
                    "<span><search></span>a", "[[['a']]]", "[[[]'a']]"},
    KnownDifference{"html5ever-thead",
                    "parts of a table in a <thead> without <table> don't end it: <table> counts, "
                    "not <thead>",
                    WithBodiesForHeadsOfTables, true,
                    "<template><thead><a href=x><caption></template>a", "[[(x:'a')]]", "[['a']]"},
    KnownDifference{"html5ever-doctype", "a doctype doesn't end the text of a table",
                    WithoutDoctype, false, "a<table> <!DOCTYPE html>b", "[['ab'[' ']]]",
                    "[['a b'[]]]"},
};

constexpr Comparison kCollapsed = {.ignore_white_space = true};

/// Whether the rewritings named, applied in order, make both parsers agree.
class Explainer {
 public:
  Explainer(extract::HtmlParser& parser, extract::HtmlParser& other, std::string_view page,
            const EventLog& log, std::span<const KnownDifference> known, Comparison comparison)
      : parser_(parser),
        other_(other),
        page_(page),
        log_(log),
        known_(known),
        comparison_(comparison) {}

  [[nodiscard]] std::vector<std::string_view> Find() {
    for (const Reading reading :
         {Reading::kAsTagsTell, Reading::kNoRawText, Reading::kAllHtml, Reading::kAllForeign}) {
      reading_ = reading;
      std::vector<std::string_view> names = FindInReading();
      if (!names.empty()) return names;
    }
    return {};
  }

 private:
  [[nodiscard]] std::string Rewrite(const KnownDifference& difference,
                                    std::string_view page) const {
    return difference.rewrite({page, reading_});
  }

  std::vector<std::string_view> FindInReading() {
    std::vector<const KnownDifference*> held;
    for (const KnownDifference& difference : known_) {
      if (Rewrite(difference, page_) != page_ && Explains({&difference})) return {difference.name};
    }
    // Behind one construct another may show, also of a name that comes before: twice.
    std::string rewritten(page_);
    for (int pass = 0; pass < 2; ++pass) {
      for (const KnownDifference& difference : known_) {
        std::string next = Rewrite(difference, rewritten);
        if (next != rewritten) held.push_back(&difference);
        rewritten = std::move(next);
      }
    }
    if (held.size() < 2 || !Explains(held)) return {};
    // Those that aren't needed go, until each that is left is.
    for (std::size_t i = 0; i < held.size() && held.size() > 1;) {
      std::vector<const KnownDifference*> fewer = held;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (Explains(fewer)) {
        held = std::move(fewer);
      } else {
        ++i;
      }
    }
    std::vector<std::string_view> names;
    for (const KnownDifference* difference : held) names.push_back(difference->name);
    return names;
  }

  [[nodiscard]] bool SameEvents(const EventLog& left, const EventLog& right) const {
    return left.Normalized(comparison_) == right.Normalized(comparison_);
  }

  bool Explains(const std::vector<const KnownDifference*>& differences) {
    std::string rewritten(page_);
    bool keeps_events = true;
    for (const KnownDifference* difference : differences) {
      rewritten = Rewrite(*difference, rewritten);
      keeps_events = keeps_events && difference->keeps_events;
    }
    const ParsedLog ours = ParseLog(parser_, rewritten);
    if (keeps_events && !SameEvents(ours.log, log_)) return false;
    const ParsedLog theirs = ParseLog(other_, rewritten);
    return ours.end == extract::ParseEnd::kDone && theirs.end == extract::ParseEnd::kDone &&
           SameEvents(ours.log, theirs.log);
  }

  extract::HtmlParser& parser_;
  extract::HtmlParser& other_;
  std::string_view page_;
  const EventLog& log_;
  std::span<const KnownDifference> known_;
  Comparison comparison_;
  Reading reading_ = Reading::kAsTagsTell;
};

}  // namespace

void PrintTo(const KnownDifference& known, std::ostream* out) { *out << known.name; }

std::span<const KnownDifference> KnownDifferences() { return kDifferences; }

std::span<const KnownDifference> KnownOracleDifferences() { return kOracleDifferences; }

ComparedPage ComparePage(extract::HtmlParser& parser, extract::HtmlParser& other,
                         std::string_view html, std::span<const KnownDifference> known) {
  ComparedPage compared;
  const ParsedLog ours = ParseLog(parser, html);
  const ParsedLog theirs = ParseLog(other, html);
  if (ours.end != theirs.end) {
    compared.differs = true;
    compared.first_difference = "ends differ: " + std::string(extract::ParseEndCode(ours.end)) +
                                " | " + std::string(extract::ParseEndCode(theirs.end));
    if (ours.end == extract::ParseEnd::kDone && theirs.end == extract::ParseEnd::kParserError) {
      compared.explanation = {kGumboAssertion};
    }
    return compared;
  }
  if (ours.log.events() == theirs.log.events()) return compared;
  const auto difference =
      FirstDifference(ours.log.Normalized(kCollapsed), theirs.log.Normalized(kCollapsed));
  if (!difference) {
    compared.white_space_differs = true;
    compared.first_difference = *FirstDifference(ours.log.events(), theirs.log.events());
    compared.explanation = Explainer(parser, other, html, ours.log, known, {}).Find();
    return compared;
  }
  compared.differs = true;
  compared.first_difference = *difference;
  compared.explanation = Explainer(parser, other, html, ours.log, known, kCollapsed).Find();
  return compared;
}

}  // namespace crawlsieve::html_check
