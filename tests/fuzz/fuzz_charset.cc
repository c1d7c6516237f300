// Any label and any bytes: the decoder yields valid UTF-8 of bounded length, and the same again.
// Input: the Content-Type up to the first line feed, then the page.

#include "extract/html/charset.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using crawlsieve::extract::CharsetDecoder;
  using crawlsieve::extract::DecodedText;

  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line_end = input.find('\n');
  const std::string_view content_type = input.substr(0, line_end);
  const std::string_view bytes =
      line_end == std::string_view::npos ? std::string_view() : input.substr(line_end + 1);

  static CharsetDecoder decoder;
  const DecodedText first = decoder.Decode(bytes, {.content_type = content_type, .prescan = true});
  Require(simdjson::validate_utf8(first.text));
  Require(first.text.size() <= 3 * bytes.size());
  Require(!first.encoding.empty());

  const std::string text(first.text);
  CharsetDecoder fresh;
  const DecodedText again = fresh.Decode(bytes, {.content_type = content_type, .prescan = true});
  Require(again.text == text && again.encoding == first.encoding && again.source == first.source);
  return 0;
}
