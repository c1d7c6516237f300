#include "consumer/input/formats/url_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <simdjson.h>

namespace crawlsieve::consumer {

bool IsBlank(std::string_view url) {
  return std::all_of(url.begin(), url.end(),
                     [](char c) { return static_cast<unsigned char>(c) <= 0x20; });
}

std::string ToUtf8Url(std::string url) {
  if (simdjson::validate_utf8(url)) return url;
  std::string escaped;
  for (const char c : url) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", byte);
    }
  }
  return escaped;
}

}  // namespace crawlsieve::consumer
