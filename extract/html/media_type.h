#pragma once

#include <string_view>

namespace crawlsieve::extract {

/// How the bytes of a page are to be read.
enum class MediaKind {
  kHtml,   ///< HTML, or XHTML, which is read as HTML
  kPlain,  ///< plain text
  kOther,  ///< anything else: images, archives, feeds, scripts
};

/// Decides by the Content-Type label and by the first bytes, in the sense of the WHATWG MIME
/// Sniffing Standard: a label that is missing or says nothing is replaced by what the bytes look
/// like; HTML and text labels are believed unless the bytes have the signature of a binary format
/// or hold binary bytes; XML is HTML when its root element is. An empty body without a label is
/// HTML. Looks at 1,445 bytes of `body` at most. Pure function.
[[nodiscard]] MediaKind ClassifyMedia(std::string_view content_type, std::string_view body);

}  // namespace crawlsieve::extract
