// Any bytes as text of a page: nothing that a terminal obeys is left, and JSON says the same.

#include "consumer/observability/printable.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

bool IsAsciiControl(char c) { return (c >= 0 && c < 0x20) || c == 0x7F; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crawlsieve::consumer;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string line = Printable(text);
  Require(std::none_of(line.begin(), line.end(), IsAsciiControl));
  for (const std::string_view unsafe : {"\u009b", "\u0085", "\u202e", "\u2066", "\u200b"}) {
    Require(line.find(unsafe) == std::string::npos);
  }
  Require(nlohmann::json(line).dump().size() > line.size());  // throws unless it is UTF-8
  Require(Printable(line) == line);
  Require(line.size() <= 4 * text.size());

  const std::string lines = PrintableLines(text);
  Require(std::count(lines.begin(), lines.end(), '\n') ==
          std::count(text.begin(), text.end(), '\n'));

  const auto replace = nlohmann::json::error_handler_t::replace;
  const std::string json = nlohmann::json{{"text", text}}.dump(-1, ' ', false, replace);
  const std::string safe = PrintableJson(json);
  Require(nlohmann::json::parse(safe) == nlohmann::json::parse(json));
  Require(std::none_of(safe.begin(), safe.end(), IsAsciiControl));
  return 0;
}
