#include "consumer/input/formats/json_path.h"

#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

/// Takes one step off `rest`; empty: there is no step at its front.
std::string TakeStep(std::string_view& rest) {
  if (rest.front() == '.') {
    rest.remove_prefix(1);
    const std::string_view name = rest.substr(0, rest.find_first_of(".[]"));
    rest.remove_prefix(name.size());
    return std::string(name);
  }
  if (rest.front() != '[' || rest.size() < 3) return {};
  const char quote = rest[1];
  if (quote == '\'' || quote == '"') {
    const std::size_t end = rest.find(fmt::format("{}]", quote), 2);
    if (end == std::string_view::npos) return {};
    std::string name(rest.substr(2, end - 2));
    rest.remove_prefix(end + 2);
    return name;
  }
  const std::size_t end = rest.find(']');
  if (end == std::string_view::npos) return {};
  const std::string_view number = rest.substr(1, end - 1);
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return {};
  rest.remove_prefix(end + 1);
  return std::string(number);
}

}  // namespace

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  JsonPath path;
  if (text.empty()) return path;
  path.text_ = text;
  bool is_valid = text.front() == '$';
  std::string_view rest = text.substr(1);
  while (is_valid && !rest.empty()) {
    std::string step = TakeStep(rest);
    is_valid = !step.empty();
    path.steps_.push_back(std::move(step));
  }
  if (!is_valid || path.steps_.empty() || path.steps_.size() > kMaxSteps) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("`{}` is not a path such as $.page.url or $['page'][0] of 1 to {} "
                                 "steps",
                                 text, kMaxSteps));
  }
  return path;
}

}  // namespace crawlsieve::consumer
