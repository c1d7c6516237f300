#pragma once

#include <string>

namespace crawlsieve::consumer {

/// A line of a CDXJ index, "org,example)/ 20260301123005 {...}", as one JSON object, which gets the
/// member `timestamp` in front. Any other text comes back as it is.
[[nodiscard]] std::string JsonOfCdxjLine(std::string text);

}  // namespace crawlsieve::consumer
