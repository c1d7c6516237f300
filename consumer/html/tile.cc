#include "consumer/html/tile.h"

#include <fmt/format.h>

namespace crawlsieve::consumer {

std::string Tile(std::string_view name, std::string_view figure, std::string_view more,
                 std::string_view extra) {
  return fmt::format("<li><span>{}</span><b>{}</b><span>{}</span>{}</li>\n", name, figure, more,
                     extra);
}

}  // namespace crawlsieve::consumer
