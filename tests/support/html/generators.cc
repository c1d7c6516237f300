#include "tests/support/html/generators.h"

#include "extract/html/charset.h"
#include "extract/text/utf8.h"
#include "tests/support/html/page_tags.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace crawlsieve::html_check {
namespace {

/// Elements that the rules of tree construction name, some that they don't, and SVG's and MathML's.
constexpr std::array<std::string_view, 121> kElements = {"a",
                                                         "address",
                                                         "annotation-xml",
                                                         "applet",
                                                         "article",
                                                         "aside",
                                                         "b",
                                                         "base",
                                                         "big",
                                                         "body",
                                                         "br",
                                                         "button",
                                                         "caption",
                                                         "center",
                                                         "circle",
                                                         "code",
                                                         "col",
                                                         "colgroup",
                                                         "dd",
                                                         "desc",
                                                         "details",
                                                         "dialog",
                                                         "dir",
                                                         "div",
                                                         "dl",
                                                         "dt",
                                                         "em",
                                                         "embed",
                                                         "fieldset",
                                                         "font",
                                                         "footer",
                                                         "foreignObject",
                                                         "form",
                                                         "frame",
                                                         "frameset",
                                                         "g",
                                                         "h1",
                                                         "h2",
                                                         "head",
                                                         "header",
                                                         "hr",
                                                         "html",
                                                         "i",
                                                         "iframe",
                                                         "image",
                                                         "img",
                                                         "input",
                                                         "li",
                                                         "link",
                                                         "listing",
                                                         "main",
                                                         "malignmark",
                                                         "marquee",
                                                         "math",
                                                         "mglyph",
                                                         "mi",
                                                         "mn",
                                                         "mo",
                                                         "ms",
                                                         "mtext",
                                                         "nav",
                                                         "nobr",
                                                         "noembed",
                                                         "noframes",
                                                         "noscript",
                                                         "object",
                                                         "ol",
                                                         "optgroup",
                                                         "option",
                                                         "p",
                                                         "param",
                                                         "path",
                                                         "plaintext",
                                                         "pre",
                                                         "rb",
                                                         "rp",
                                                         "rt",
                                                         "rtc",
                                                         "ruby",
                                                         "s",
                                                         "script",
                                                         "search",
                                                         "section",
                                                         "select",
                                                         "small",
                                                         "source",
                                                         "span",
                                                         "strong",
                                                         "style",
                                                         "sub",
                                                         "summary",
                                                         "svg",
                                                         "table",
                                                         "tbody",
                                                         "td",
                                                         "template",
                                                         "textarea",
                                                         "tfoot",
                                                         "th",
                                                         "thead",
                                                         "title",
                                                         "tr",
                                                         "track",
                                                         "tspan",
                                                         "tt",
                                                         "u",
                                                         "ul",
                                                         "var",
                                                         "video",
                                                         "wbr",
                                                         "x-card",
                                                         "x-item",
                                                         "xmp",
                                                         "meta",
                                                         "bgsound",
                                                         "basefont",
                                                         "canvas",
                                                         "label",
                                                         "mark",
                                                         "time",
                                                         "semantics"};

/// Those that make trouble together.
constexpr std::array<std::array<std::string_view, 12>, 6> kFamilies = {{
    {"table", "tr", "td", "tbody", "caption", "b", "p", "a", "div", "form", "select", "input"},
    {"b", "i", "a", "p", "div", "font", "nobr", "em", "button", "table", "span", "h1"},
    {"svg", "math", "foreignObject", "mi", "desc", "title", "p", "b", "annotation-xml", "g", "mo",
     "font"},
    {"select", "option", "optgroup", "hr", "div", "button", "p", "input", "table", "td", "b",
     "template"},
    {"template", "table", "tr", "td", "div", "col", "colgroup", "caption", "b", "select", "html",
     "p"},
    {"ul", "li", "dl", "dd", "dt", "ruby", "rt", "rp", "p", "div", "b", "h2"},
}};

constexpr std::array<std::string_view, 38> kOthers = {
    " ",
    "\n",
    "<!-- c -->",
    "<!DOCTYPE html>",
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">",
    "<![CDATA[ c ]]>",
    "&amp;",
    "&notit;",
    "&#x41;",
    "&lt",
    "<?php x ?>",
    "<!x>",
    "<input type=hidden>",
    "<font color=red>",
    "<annotation-xml encoding=text/html>",
    "<svg/>",
    "<math/>",
    "<script>if (a < b) { c('</p>') }</script>",
    "<style>p { }</style>",
    "<title>t &amp; u</title>",
    "<textarea>\n<b></textarea>",
    "<p hidden>",
    "<div style='display:none'>",
    "<a href='?a&amp;b=1' rel=nofollow>",
    "<img alt='a picture'>",
    "<script><!--<script></script>--></script>",
    "</p>",
    "</br>",
    "<dialog open>",
    "<div popover>",
    "<details open>",
    "<object data=x>",
    "<text>",
    "<html hidden>",
    "<p hidden style='display:block'>",
    "<div style='visibility:hidden'>",
    "<b style='display:none;display:inline;visibility:visible'>",
    "< "};

}  // namespace

std::string SoupGenerator::Token(const std::vector<std::string_view>& elements) {
  const auto number = [&](std::uint64_t below) { return random_() % below; };
  const std::string_view element = elements[number(elements.size())];
  switch (number(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
      return fmt::format("<{}>", element);
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
      return fmt::format("</{}>", element);
    case 12:
      return fmt::format("<{}/>", element);
    case 13:
      return fmt::format("<{} class=c{} id='i' a=\"&lt;{}\">", element, number(3), number(3));
    case 14:
    case 15:
      return std::string(kOthers[number(kOthers.size())]);
    case 16:
      return " ";
    default:
      return fmt::format("{}", ++words_);
  }
}

std::string SoupGenerator::Next() {
  words_ = 0;
  const auto number = [&](std::uint64_t below) { return random_() % below; };
  std::vector<std::string_view> elements;
  // A few elements a document, so that they meet.
  if (number(2) == 0) {
    const auto& family = kFamilies[number(kFamilies.size())];
    elements.assign(family.begin(), family.end());
  }
  const std::size_t others = 2 + number(8);
  for (std::size_t i = 0; i < others; ++i) elements.push_back(kElements[number(kElements.size())]);
  std::string document = number(2) == 0 ? "<!DOCTYPE html>" : "";
  const std::size_t tokens = 2 + number(40);
  for (std::size_t i = 0; i < tokens; ++i) document += Token(elements);
  return document;
}

MutationGenerator::MutationGenerator(std::uint64_t seed, const std::vector<std::string>& pages)
    : random_(seed), pages_(pages), soup_(seed + 1) {
  for (const std::string& page : pages_) {
    std::vector<std::string_view>& sources = pieces_.emplace_back();
    for (const Piece& piece : PiecesOf({page})) sources.push_back(piece.source);
    if (sources.empty()) sources.emplace_back(" ");
  }
}

std::string MutationGenerator::Next() {
  const auto number = [&](std::uint64_t below) { return random_() % below; };
  constexpr std::size_t kMaxPiece = 600;
  const auto& all = pieces_[number(pieces_.size())];
  const std::size_t count = std::min<std::size_t>(all.size(), 10 + number(110));
  const std::size_t from = number(4) == 0 ? 0 : number(all.size() - count + 1);
  std::vector<std::string> pieces;
  for (std::size_t i = from; i < from + count; ++i) {
    pieces.emplace_back(all[i].substr(0, extract::CutAtCodePoint(all[i], kMaxPiece)));
  }
  const std::size_t changes = 1 + number(8);
  for (std::size_t change = 0; change < changes && !pieces.empty(); ++change) {
    const std::size_t at = number(pieces.size());
    const auto place = pieces.begin() + static_cast<std::ptrdiff_t>(at);
    switch (number(6)) {
      case 0: {  // cut
        const std::size_t size = 1 + number(std::min<std::size_t>(pieces.size() - at, 8));
        pieces.erase(place, place + static_cast<std::ptrdiff_t>(size));
        break;
      }
      case 1: {  // repeat
        const std::string copy = *place;
        pieces.insert(place, 1 + number(4), copy);
        break;
      }
      case 2:
        std::swap(pieces[at], pieces[number(pieces.size())]);
        break;
      case 3: {
        const auto& other = pieces_[number(pieces_.size())];
        const std::string_view source = other[number(other.size())];
        pieces.insert(place,
                      std::string(source.substr(0, extract::CutAtCodePoint(source, kMaxPiece))));
        break;
      }
      case 4:
        pieces.insert(place, soup_.Next());
        break;
      default: {  // cut a piece off
        place->resize(extract::CutAtCodePoint(*place, number(place->size() + 1)));
        break;
      }
    }
  }
  std::string document;
  for (const std::string& piece : pieces) document += piece;
  return document;
}

std::string PageOfTokens(std::span<const std::uint8_t> numbers) {
  std::string page;
  unsigned words = 0;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    const std::string_view element = kElements[numbers[i + 1] % kElements.size()];
    switch (numbers[i] % 9) {
      case 0:
      case 1:
      case 2:
        page += fmt::format("<{}>", element);
        break;
      case 3:
      case 4:
      case 5:
        page += fmt::format("</{}>", element);
        break;
      case 6:
        page += fmt::format("<{}/>", element);
        break;
      case 7:
        page += fmt::format("{}", ++words);
        break;
      default:
        page += kOthers[numbers[i + 1] % kOthers.size()];
        break;
    }
  }
  return page;
}

std::string PageOfFuzzInput(std::span<const std::uint8_t> input) {
  if (input.empty()) return {};
  const std::span<const std::uint8_t> rest = input.subspan(1);
  if (input[0] % 2 == 0) return PageOfTokens(rest);
  extract::CharsetDecoder decoder;
  return std::string(decoder.RepairUtf8({reinterpret_cast<const char*>(rest.data()), rest.size()}));
}

std::string Shrink(std::string document, const std::function<bool(std::string_view)>& fails) {
  int tries = 4000;
  const auto shrink_by = [&](std::vector<std::string> parts) {
    for (std::size_t size = std::max<std::size_t>(parts.size() / 2, 1);; size /= 2) {
      for (std::size_t at = 0; at < parts.size() && tries > 0;) {
        std::string shorter;
        for (std::size_t i = 0; i < parts.size(); ++i) {
          if (i < at || i >= at + size) shorter += parts[i];
        }
        --tries;
        if (fails(shorter)) {
          const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(at);
          parts.erase(begin,
                      begin + static_cast<std::ptrdiff_t>(std::min(size, parts.size() - at)));
        } else {
          at += size;
        }
      }
      if (size <= 1) break;
    }
    document.clear();
    for (const std::string& part : parts) document += part;
  };
  for (int round = 0; round < 2; ++round) {
    std::vector<std::string> pieces;
    for (const Piece& piece : PiecesOf({document})) pieces.emplace_back(piece.source);
    shrink_by(std::move(pieces));
  }
  if (document.size() > 2000) return document;
  std::vector<std::string> characters;
  for (const char c : document) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (continues && !characters.empty()) {
      characters.back().push_back(c);
    } else {
      characters.emplace_back(1, c);
    }
  }
  shrink_by(std::move(characters));
  return document;
}

}  // namespace crawlsieve::html_check
