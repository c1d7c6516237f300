#include "tests/support/html/page_tags.h"

#include "extract/ascii.h"

#include <algorithm>
#include <array>

namespace crawlsieve::html_check {
namespace {

using extract::IsAsciiAlpha;
using extract::IsAsciiSpace;

constexpr std::array<std::string_view, 8> kRawTextElements = {
    "iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"};

/// Behind the '>' of the tag that begins at `begin`; the end of the page if it has none.
std::size_t EndOfTag(std::string_view page, std::size_t begin) {
  std::size_t at = begin;
  while (at < page.size() && page[at] != '>') {
    if (page[at] != '=') {
      ++at;
      continue;
    }
    do ++at;
    while (at < page.size() && IsAsciiSpace(page[at]));
    if (at < page.size() && (page[at] == '"' || page[at] == '\'')) {
      at = std::min(page.find(page[at], at + 1), page.size() - 1) + 1;
    }
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

std::size_t EndOfRawText(std::string_view page, std::size_t begin, std::string_view name) {
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

}  // namespace

std::vector<Piece> PiecesOf(std::string_view page) {
  std::vector<Piece> pieces;
  const auto add = [&](PieceKind kind, std::size_t begin, std::size_t end, std::string name = {}) {
    if (begin < end) pieces.push_back({kind, page.substr(begin, end - begin), std::move(name)});
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
      const std::string name = NameAt(page, begin + (start ? 1 : 2));
      at = EndOfTag(page, begin + 1);
      add(start ? PieceKind::kStartTag : PieceKind::kEndTag, begin, at, name);
      if (start && std::find(kRawTextElements.begin(), kRawTextElements.end(), name) !=
                       kRawTextElements.end()) {
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

std::string RewritePieces(std::string_view page,
                          const std::function<std::string(const Piece&)>& replace) {
  std::string rewritten;
  rewritten.reserve(page.size());
  for (const Piece& piece : PiecesOf(page)) rewritten += replace(piece);
  return rewritten;
}

}  // namespace crawlsieve::html_check
