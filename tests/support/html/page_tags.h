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

/// What a cutting into pieces believes where tags alone can't tell it: implied and ignored ends may
/// leave SVG and MathML open or end them, and what is raw text depends on that.
enum class Reading : std::uint8_t {
  kAsTagsTell,  ///< SVG, MathML and raw text begin and end with their tags
  kNoRawText,   ///< what looks like raw text is cut into tags as well
  kAllHtml,     ///< the same, and no tag is foreign
  kAllForeign,  ///< the same, and all tags behind the first <svg> or <math> are foreign
};

struct PageSource {
  std::string_view html;
  Reading reading = Reading::kAsTagsTell;
};

/// Cuts a page into tags, text, comments and the like, and the content of raw text elements. A
/// tokenizer without tree construction: good enough to say where a construct stands.
[[nodiscard]] std::vector<Piece> PiecesOf(PageSource page);

/// The page with `replace(piece)` in place of each piece.
[[nodiscard]] std::string RewritePieces(PageSource page,
                                        const std::function<std::string(const Piece&)>& replace);

struct AttributeSource {
  std::string_view source;  ///< with the space before it
  std::string name;         ///< in lower case
};

/// The attributes of a start tag, repeated ones too, in order.
[[nodiscard]] std::vector<AttributeSource> AttributesOf(const Piece& start_tag);

}  // namespace crawlsieve::html_check
