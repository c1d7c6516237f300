#include "plugin/schedule/path_pattern.h"

#include <algorithm>
#include <vector>

namespace crawlsieve::schedule {
namespace {

constexpr std::size_t kLiteralSegments = 2;
constexpr std::size_t kMaxParameters = 16;

/// Path and query of `url`, from the first slash of the path on.
std::string_view WithoutAuthority(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return url;
  const std::size_t path = url.find_first_of("/?", scheme + 3);
  return path == std::string_view::npos ? std::string_view() : url.substr(path);
}

void AppendWithoutDigits(std::string_view text, std::string& out) {
  bool in_digits = false;
  for (const char c : text) {
    if (out.size() >= kMaxPatternBytes) return;
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) out.push_back(c);
    if (is_digit && !in_digits) out.push_back('N');
    in_digits = is_digit;
  }
}

std::vector<std::string_view> ParameterNames(std::string_view query) {
  std::vector<std::string_view> names;
  while (!query.empty() && names.size() < kMaxParameters) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view parameter = query.substr(0, end);
    if (!parameter.empty()) names.push_back(parameter.substr(0, parameter.find('=')));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

std::string PathPattern(std::string_view url) {
  const std::string_view rest = WithoutAuthority(url);
  const std::string_view whole = rest.substr(0, rest.find('#'));
  const std::size_t mark = std::min(whole.find('?'), whole.size());
  std::string_view path = whole.substr(0, mark);
  std::string pattern;
  if (!path.empty() && path.front() == '/') path.remove_prefix(1);
  for (std::size_t i = 0; i <= kLiteralSegments; ++i) {
    pattern.push_back('/');
    if (i == kLiteralSegments) {
      pattern.push_back('*');
      break;
    }
    const std::size_t end = std::min(path.find('/'), path.size());
    AppendWithoutDigits(path.substr(0, end), pattern);
    if (end == path.size()) break;
    path.remove_prefix(end + 1);
  }
  const std::vector<std::string_view> names = mark < whole.size()
                                                  ? ParameterNames(whole.substr(mark + 1))
                                                  : std::vector<std::string_view>();
  char separator = '?';
  for (const std::string_view name : names) {
    pattern.push_back(separator);
    AppendWithoutDigits(name, pattern);
    separator = '&';
  }
  pattern.resize(std::min(pattern.size(), kMaxPatternBytes));
  return pattern;
}

}  // namespace crawlsieve::schedule
