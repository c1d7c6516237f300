#include "tests/support/html/known_differences.h"

#include "extract/text/ascii.h"
#include "extract/text/utf8.h"
#include "tests/support/html/page_tags.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>

namespace crawlsieve::html_check {
namespace {

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
std::string Without(std::string_view page, Drop drop) {
  return RewritePieces(
      page, [&](const Piece& piece) { return drop(piece) ? "" : std::string(piece.source); });
}

// The rewritings, in the order of the table.

std::string WithoutUnknownTags(std::string_view page) {
  return Without(page, [](const Piece& piece) {
    return IsTag(piece) && !piece.foreign && !IsGumboTag(piece.name);
  });
}

/// A comment makes Gumbo insert the text before it.
std::string CommentBeforeEndTags(std::string_view page) {
  return RewritePieces(page, [](const Piece& piece) {
    const bool flushes =
        piece.kind == PieceKind::kEndTag && (piece.name == "form" || IsFormatting(piece.name));
    return (flushes ? "<!---->" : "") + std::string(piece.source);
  });
}

std::string WithoutFormatting(std::string_view page) {
  return Without(page, [](const Piece& piece) { return IsTag(piece) && IsFormatting(piece.name); });
}

std::string WithoutDoctype(std::string_view page) {
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

std::string WithoutInvalidCharacters(std::string_view page) {
  std::string rewritten;
  for (std::size_t at = 0; at < page.size();) {
    const auto [value, bytes] = Decode(page, at);
    rewritten += IsInvalidForGumbo(value) ? kReplacement : page.substr(at, bytes);
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

std::string WithoutLargeReferences(std::string_view page) {
  return RewriteReferences(page, [](std::uint64_t number) {
    return number > 0x10FFFF ? std::optional<std::string>(kReplacement) : std::nullopt;
  });
}

std::string WithoutEmptyEndTags(std::string_view page) {
  return Without(page, [](const Piece& piece) { return piece.kind == PieceKind::kEmptyEndTag; });
}

std::string WithPlainEndTags(std::string_view page) {
  return RewritePieces(page, [](const Piece& piece) {
    return piece.kind == PieceKind::kEndTag && piece.source.ends_with('>')
               ? "</" + std::string(piece.source.substr(2, piece.name.size())) + ">"
               : std::string(piece.source);
  });
}

constexpr std::array<std::string_view, 4> kRetiredTags = {"isindex", "menuitem", "keygen",
                                                          "nextid"};

std::string WithoutRetiredTags(std::string_view page) {
  return Without(
      page, [](const Piece& piece) { return IsTag(piece) && IsOneOf(kRetiredTags, piece.name); });
}

std::string WithSectionForSearch(std::string_view page) {
  return RewritePieces(page, [](const Piece& piece) {
    return IsTag(piece) && piece.name == "search" ? Renamed(piece, "section")
                                                  : std::string(piece.source);
  });
}

std::string WithStartTagsOfBr(std::string_view page) {
  return RewritePieces(page, [](const Piece& piece) {
    const bool end = piece.kind == PieceKind::kEndTag && piece.name == "br" && !piece.foreign;
    return end ? "<br>" : std::string(piece.source);
  });
}

std::string WithArticleForMain(std::string_view page) {
  return RewritePieces(page, [](const Piece& piece) {
    return IsTag(piece) && piece.name == "main" ? Renamed(piece, "article")
                                                : std::string(piece.source);
  });
}

std::string WithoutObjects(std::string_view page) {
  return Without(page, [](const Piece& piece) {
    return IsTag(piece) &&
           (piece.name == "applet" || piece.name == "marquee" || piece.name == "object");
  });
}

std::string WithSectionForDialog(std::string_view page) {
  return RewritePieces(page, [](const Piece& piece) {
    if (!IsTag(piece) || piece.name != "dialog") return std::string(piece.source);
    if (piece.kind == PieceKind::kEndTag) return Renamed(piece, "section");
    bool open = false;
    const std::string lower = extract::AsciiLower(piece.source);
    for (std::size_t at = lower.find("open"); at != std::string::npos;
         at = lower.find("open", at + 1)) {
      const char before = lower[at - 1];
      const char after = at + 4 < lower.size() ? lower[at + 4] : '>';
      open = open ||
             ((extract::IsAsciiSpace(before) || before == '"' || before == '\'' || before == '/') &&
              (extract::IsAsciiSpace(after) || after == '>' || after == '=' || after == '/'));
    }
    std::string section = Renamed(piece, "section");
    if (piece.foreign) return section;
    if (!open) section.insert(std::string_view("<section").size(), " hidden ");
    return section;
  });
}

std::string WithoutEndTagsOfPAndBrInForeignContent(std::string_view page) {
  std::string rewritten(page);
  // Without one of them foreign content goes on, and the next may be in there too.
  constexpr int kMostInARow = 5;
  for (int i = 0; i < kMostInARow; ++i) {
    rewritten = Without(rewritten, [](const Piece& piece) {
      return piece.foreign && piece.kind == PieceKind::kEndTag &&
             (piece.name == "p" || piece.name == "br");
    });
  }
  return rewritten;
}

/// Between <select> and </select> only what both rules let in.
std::string WithoutTagsInSelect(std::string_view page) {
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

std::string WithoutSpaceBetweenTagsInTables(std::string_view page) {
  int tables = 0;
  return Without(page, [&](const Piece& piece) {
    if (piece.name == "table" && piece.kind == PieceKind::kStartTag) ++tables;
    if (piece.name == "table" && piece.kind == PieceKind::kEndTag) tables = std::max(tables - 1, 0);
    return tables > 0 && piece.kind == PieceKind::kText && extract::TrimAscii(piece.source).empty();
  });
}

constexpr std::array kDifferences = {
    KnownDifference{"unknown-tags", "all tags without a number are one: </foo> closes <bar>",
                    WithoutUnknownTags, false, "<foo><bar hidden>a</foo>b</bar>c", "['c']",
                    "['bc']"},
    KnownDifference{"unflushed-text",
                    "</form> and end tags of formatting don't insert the text before them first",
                    CommentBeforeEndTags, true, "", "", ""},
    KnownDifference{"adoption-rounds",
                    "an element is dropped from the list in the fourth inner round, not from the "
                    "stack",
                    WithoutFormatting, false, "", "", ""},
    KnownDifference{"quirks-prefixes", "prefixes of public identifiers are compared whole",
                    WithoutDoctype, true, "", "", ""},
    KnownDifference{"control-characters", "controls, C1 and noncharacters become U+FFFD",
                    WithoutInvalidCharacters, false, "a\x01z\xC2\x80", "[['a\\x01z\xC2\x80']]",
                    "[['a\uFFFDz\uFFFD']]"},
    KnownDifference{"large-references", "numbers of character references overflow 32 bits",
                    WithoutLargeReferences, true, "a&#x100000041;", "", ""},
    KnownDifference{"empty-end-tag", "</> belongs to the source of the next tag",
                    WithoutEmptyEndTags, true, "", "", ""},
    KnownDifference{"end-tag-names", "the name of an end tag in SVG and MathML goes on to the >",
                    WithPlainEndTags, true, "", "", ""},
    KnownDifference{"retired-tags", "isindex, menuitem, keygen and nextid have rules of their own",
                    WithoutRetiredTags, false, "", "", ""},
    KnownDifference{"search-element", "<search> is unknown", WithSectionForSearch, true, "", "",
                    ""},
    KnownDifference{"main-element", "<main> isn't special: end tags and items reach through it",
                    WithArticleForMain, true, "", "", ""},
    KnownDifference{"object-end-tags",
                    "</object>, </applet> and </marquee> reach through one another", WithoutObjects,
                    false, "", "", ""},
    KnownDifference{"dialog-element", "<dialog> is unknown", WithSectionForDialog, true, "", "",
                    ""},
    KnownDifference{"foreign-p-br", "</p> and </br> don't leave SVG and MathML",
                    WithoutEndTagsOfPAndBrInForeignContent, false, "", "", ""},
    KnownDifference{"br-end-tag", "</br> lets a <frameset> drop the body", WithStartTagsOfBr, true,
                    "", "", ""},
    KnownDifference{"select-content", "the rules of <select> before 2025 let options in only",
                    WithoutTagsInSelect, false, "", "", ""},
    KnownDifference{"table-text", "text in a table is table text, whatever the current node",
                    WithoutSpaceBetweenTagsInTables, false, "", "", ""},
};

constexpr Comparison kCollapsed = {.ignore_white_space = true};

bool SameEvents(const EventLog& left, const EventLog& right) {
  return left.Normalized(kCollapsed) == right.Normalized(kCollapsed);
}

/// Whether the rewritings named, applied in order, make both parsers agree.
class Explainer {
 public:
  Explainer(extract::HtmlParser& parser, extract::HtmlParser& gumbo, std::string_view page,
            const EventLog& log)
      : parser_(parser), gumbo_(gumbo), page_(page), log_(log) {}

  [[nodiscard]] std::vector<std::string_view> Find() {
    std::vector<const KnownDifference*> held;
    for (const KnownDifference& difference : kDifferences) {
      if (difference.rewrite(page_) == page_) continue;
      if (Explains({&difference})) return {difference.name};
      held.push_back(&difference);
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

 private:
  bool Explains(const std::vector<const KnownDifference*>& differences) {
    std::string rewritten(page_);
    bool keeps_events = true;
    for (const KnownDifference* difference : differences) {
      rewritten = difference->rewrite(rewritten);
      keeps_events = keeps_events && difference->keeps_events;
    }
    const ParsedLog ours = ParseLog(parser_, rewritten);
    if (keeps_events && !SameEvents(ours.log, log_)) return false;
    const ParsedLog theirs = ParseLog(gumbo_, rewritten);
    return ours.end == extract::ParseEnd::kDone && theirs.end == extract::ParseEnd::kDone &&
           SameEvents(ours.log, theirs.log);
  }

  extract::HtmlParser& parser_;
  extract::HtmlParser& gumbo_;
  std::string_view page_;
  const EventLog& log_;
};

}  // namespace

std::span<const KnownDifference> KnownDifferences() { return kDifferences; }

ComparedPage ComparePage(extract::HtmlParser& parser, extract::HtmlParser& gumbo,
                         std::string_view html) {
  ComparedPage compared;
  const ParsedLog ours = ParseLog(parser, html);
  const ParsedLog theirs = ParseLog(gumbo, html);
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
    return compared;
  }
  compared.differs = true;
  compared.first_difference = *difference;
  compared.explanation = Explainer(parser, gumbo, html, ours.log).Find();
  return compared;
}

}  // namespace crawlsieve::html_check
