#include "consumer/input/formats/body_ref.h"

#include "consumer/input/formats/url_text.h"

#include <algorithm>
#include <cstddef>

namespace crawlsieve::consumer {

std::string ShownFile(const std::string& file) {
  constexpr std::size_t kMaxShownBytes = 256;
  std::string shown = file.substr(0, std::min(file.find_first_of("?#"), file.size()));
  const std::size_t scheme = shown.find("://");
  if (scheme != std::string::npos) {
    const std::size_t host = scheme + 3;
    const std::size_t path = std::min(shown.find_first_of("/\\", host), shown.size());
    const std::size_t at = shown.rfind('@', path);
    if (at != std::string::npos && at >= host) shown.erase(host, at + 1 - host);
  }
  shown.resize(std::min(shown.size(), kMaxShownBytes));
  return ToUtf8Url(std::move(shown));
}

}  // namespace crawlsieve::consumer
