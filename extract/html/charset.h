#pragma once

#include "extract/html/encoding.h"
#include "extract/html/options.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace crawlsieve::extract {

/// Who named the encoding of a page.
enum class CharsetSource {
  kBom,
  kHeader,    ///< Content-Type, or the crawler
  kMeta,      ///< the page itself
  kDetected,  ///< its bytes
  kDefault,   ///< nobody
};

/// `bom`, `header`, `meta`, `detected`, `default`.
[[nodiscard]] std::string_view CharsetSourceName(CharsetSource source);

/// What is known of a page's encoding before its bytes are read. Labels, as they came.
struct CharsetHints {
  std::string_view content_type = {};  ///< the header's value; its `charset=` counts
  std::string_view charset = {};  ///< named apart from it; counts where content_type names none
  bool prescan = false;           ///< whether the page may declare an encoding, as HTML does
};

struct DecodedText {
  std::string_view text;  ///< valid UTF-8 without byte order mark
  std::string_view encoding;
  CharsetSource source = CharsetSource::kDefault;
};

/// Finds out the encoding of pages and decodes them to UTF-8.
///
/// The order is that of the HTML standard: byte order mark, header, declaration in the page,
/// detection from the bytes, default. Pages that are valid UTF-8 and nothing else said are UTF-8.
/// Bytes that mean nothing in the encoding become U+FFFD, as the Encoding Standard has it; no
/// input fails. Thread-compatible; one for each worker, as its buffers and converters are reused.
class CharsetDecoder {
 public:
  explicit CharsetDecoder(Revision revision = Revision::k4);
  ~CharsetDecoder();
  CharsetDecoder(const CharsetDecoder&) = delete;
  CharsetDecoder& operator=(const CharsetDecoder&) = delete;

  /// The text points into `bytes` (valid UTF-8 isn't copied) or into the decoder's buffer, which
  /// the next call overwrites. At most three times as long as `bytes`.
  [[nodiscard]] DecodedText Decode(std::string_view bytes, const CharsetHints& hints) &;

  /// `bytes` itself when it is valid UTF-8, else a copy with U+FFFD in place of each maximal
  /// broken sequence; lives as long as that of Decode.
  [[nodiscard]] std::string_view RepairUtf8(std::string_view bytes) &;

 private:
  class Converters;

  struct Choice {
    const Encoding* encoding;
    CharsetSource source;
  };
  [[nodiscard]] Choice ChooseEncoding(std::string_view bytes, const CharsetHints& hints);
  [[nodiscard]] std::string_view Convert(std::string_view bytes, const Encoding& encoding);

  Revision revision_;
  std::unique_ptr<Converters> converters_;
  std::string buffer_;
};

}  // namespace crawlsieve::extract
