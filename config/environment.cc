#include "config/environment.h"

#include <cstdlib>

#include <fmt/format.h>

namespace crawlsieve::config {
namespace {

bool IsVariableName(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

}  // namespace

Environment ProcessEnvironment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

Parsed<Expansion> Expand(std::string_view text, const Environment& environment) {
  Expansion result;
  while (!text.empty()) {
    const std::size_t dollar = text.find('$');
    result.text += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar + 1);
    if (text.starts_with('$')) {
      result.text += '$';
      text.remove_prefix(1);
      continue;
    }
    if (!text.starts_with('{')) {
      result.text += '$';
      continue;
    }
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) {
      return tl::unexpected(std::string("has a \"${\" without \"}\" (\"$$\" stands for \"$\")"));
    }
    const std::string_view reference = text.substr(1, close - 1);
    text.remove_prefix(close + 1);
    const std::size_t separator = reference.find(":-");
    const std::string name(reference.substr(0, separator));
    if (!IsVariableName(name)) {
      return tl::unexpected(
          std::string("has a \"${\" without the name of a variable (\"$$\" stands for \"$\")"));
    }
    result.used_variable = true;
    std::optional<std::string> value = environment(name);
    if (separator != std::string_view::npos) {
      if (!value || value->empty()) value = std::string(reference.substr(separator + 2));
    } else if (!value) {
      return tl::unexpected(
          fmt::format("needs the environment variable {}, which is not set", name));
    }
    result.text += *value;
  }
  return result;
}

}  // namespace crawlsieve::config
