#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::html_check {

enum class PieceKind : std::uint8_t { kText, kStartTag, kEndTag, kEmptyEndTag, kMarkup, kRawText };

/// A piece of a page's source. The pieces of a page are the whole of it, in order.
struct Piece {
  PieceKind kind;
  std::string_view source;
  std::string name = {};  ///< of a tag, in lower case
  bool foreign = false;   ///< within SVG or MathML, as far as the tags alone tell
};

/// Cuts a page into tags, text, comments and the like, and the content of raw text elements. A
/// tokenizer without tree construction: good enough to say where a construct stands.
[[nodiscard]] std::vector<Piece> PiecesOf(std::string_view page);

/// The page with `replace(piece)` in place of each piece.
[[nodiscard]] std::string RewritePieces(std::string_view page,
                                        const std::function<std::string(const Piece&)>& replace);

}  // namespace crawlsieve::html_check
