#pragma once

#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// A figure to be read in passing, between its name and what belongs to it: an item of a list of
/// class `tiles`. All are markup; `extra` stands below.
[[nodiscard]] std::string Tile(std::string_view name, std::string_view figure,
                               std::string_view more, std::string_view extra = "");

}  // namespace crawlsieve::consumer
