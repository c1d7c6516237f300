#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// The properties that the librdkafka of this process knows, aliases included, in its order.
[[nodiscard]] std::vector<std::string> KnownProperties();

/// Of `names` the one that is the fewest insertions, deletions and replacements of a character away
/// from `name`, the first of several; empty where none is as near as a misspelling: over two of
/// these, and over a quarter of the name's length.
[[nodiscard]] std::string NearestName(std::string_view name, const std::vector<std::string>& names);

}  // namespace crawlsieve::consumer
