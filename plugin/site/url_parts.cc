#include "plugin/site/url_parts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace crawlsieve::site {
namespace {

constexpr std::string_view kWwwLabel = "www.";
constexpr std::size_t kUsualSegments = 8;
/// Names of segments by their places, two digits each.
constexpr std::string_view kPlaces =
    "0001020304050607080910111213141516171819202122232425262728293031"
    "3233343536373839404142434445464748495051525354555657585960616263";
static_assert(kPlaces.size() == 2 * UrlParts::kMaxSegments);

std::string_view NameOfPlace(std::size_t i) {
  return i < 10 ? kPlaces.substr(2 * i + 1, 1) : kPlaces.substr(2 * i, 2);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool HasDigit(std::string_view text) { return std::any_of(text.begin(), text.end(), IsDigit); }

std::string ZeroDigits(std::string_view text) {
  std::string out;
  bool in_digits = false;
  for (const char c : text) {
    const bool is_digit = IsDigit(c);
    if (!is_digit) out.push_back(c);
    if (is_digit && !in_digits) out.push_back('0');
    in_digits = is_digit;
  }
  return out;
}

/// The URL whose pieces these are, `parameters` joined with &.
std::string Join(std::string_view before_path, std::string_view path,
                 const std::vector<Parameter>& parameters) {
  std::string url;
  url.append(before_path).append(path);
  char separator = '?';
  for (const Parameter& parameter : parameters) {
    url.push_back(separator);
    url.append(parameter.text);
    separator = '&';
  }
  return url;
}

/// Finds both in `url`, and returns how many bytes they take, what stands between them included.
/// Both stay empty where there is no scheme. What is behind a `#` isn't looked at.
std::size_t TakeSchemeAndHost(std::string_view url, std::string_view& scheme,
                              std::string_view& host) {
  const std::size_t end = url.find("://");
  if (end == std::string_view::npos || url.substr(0, end).find('#') != std::string_view::npos) {
    return 0;
  }
  scheme = url.substr(0, end);
  const std::string_view rest = url.substr(end + 3);
  const auto ends_host = [](char c) { return c == '/' || c == '?' || c == '#'; };
  host = rest.substr(
      0, static_cast<std::size_t>(std::ranges::find_if(rest, ends_host) - rest.begin()));
  const std::size_t taken = end + 3 + host.size();
  const std::size_t user = host.rfind('@');
  if (user != std::string_view::npos) host.remove_prefix(user + 1);
  return taken;
}

class PartFinder {
 public:
  explicit PartFinder(std::string_view url)
      : url_(url),
        parts_(PartsOf(url)),
        before_path_(url.substr(0, static_cast<std::size_t>(parts_.path.data() - url.data()))),
        query_(url.substr(before_path_.size() + parts_.path.size())) {}

  std::vector<Part> Find() {
    found_.reserve(2 * parts_.parameters.size() + parts_.segments.size() + 4);
    AddParameters();
    AddPathParameters();
    AddEndOfPath();
    AddNumbers();
    AddHostAndScheme();
    return std::move(found_);
  }

 private:
  void Add(Part part) {
    if (part.name.size() <= UrlParts::kMaxNameBytes) found_.push_back(std::move(part));
  }

  void AddParameters() {
    std::vector<std::string_view> seen;
    for (const Parameter& parameter : parts_.parameters) {
      if (std::find(seen.begin(), seen.end(), parameter.name) != seen.end()) continue;
      if (seen.size() == kMaxPartsOfAKind) return;
      seen.push_back(parameter.name);
      std::vector<Parameter> rest;
      for (const Parameter& other : parts_.parameters) {
        if (other.name != parameter.name) rest.push_back(other);
      }
      std::string without = Join(before_path_, parts_.path, rest);
      Add({PartKind::kParameter, parameter.name, parameter.value(), without, true, true});
      Add({PartKind::kParameterValue, parameter.text, parameter.value(), std::move(without), true,
           true});
      AddPathOf(parameter);
    }
  }

  void AddPathOf(const Parameter& parameter) {
    // Without a slash the value would become part of the host.
    if (parameter.value().empty() || !parts_.path.starts_with('/')) return;
    std::string page(before_path_);
    page.append(parts_.path.substr(0, parts_.path.rfind('/') + 1)).append(parameter.value());
    Add({PartKind::kPath, parameter.name, parameter.value(), std::move(page), true, true});
  }

  void AddPathParameters() {
    for (const std::string_view segment : parts_.segments) {
      const std::size_t begin = segment.find(';');
      if (begin == std::string_view::npos || begin == 0) continue;
      const std::string_view text = segment.substr(begin + 1);
      const std::size_t sign = text.find('=');
      if (sign == std::string_view::npos) continue;
      std::string without(url_);
      without.erase(static_cast<std::size_t>(segment.data() - url_.data()) + begin,
                    segment.size() - begin);
      Add({PartKind::kPathParameter, text.substr(0, sign), text.substr(sign + 1),
           std::move(without), true, true});
    }
  }

  void AddEndOfPath() {
    if (parts_.segments.empty()) return;
    const std::string_view last = parts_.segments.back();
    const std::string_view path = parts_.path;
    const auto replaced = [&](std::string_view with) {
      std::string url(before_path_);
      return url.append(with).append(query_);
    };
    if (last.empty()) {
      if (path.size() < 2) return;
      Add({PartKind::kTrailingSlash, "", "/", replaced(path.substr(0, path.size() - 1)), true,
           true});
      return;
    }
    Add({PartKind::kTrailingSlash, "", "", "", false, true});
    Add({PartKind::kLastSegment, last, last, replaced(path.substr(0, path.size() - last.size())),
         true, true});
  }

  void AddNumbers() {
    std::size_t found = 0;
    for (std::size_t i = 0; i < parts_.segments.size(); ++i) {
      const std::string_view segment = parts_.segments[i];
      if (!HasDigit(segment)) continue;
      if (++found > kMaxPartsOfAKind) return;
      std::string without(url_);
      without.replace(static_cast<std::size_t>(segment.data() - url_.data()), segment.size(),
                      ZeroDigits(segment));
      Add({PartKind::kNumber, NameOfPlace(i), segment, std::move(without), true, false});
    }
  }

  void AddHostAndScheme() {
    const bool has_www = parts_.host.starts_with(kWwwLabel);
    std::string without;
    if (has_www) {
      without = url_;
      without.erase(static_cast<std::size_t>(parts_.host.data() - url_.data()), kWwwLabel.size());
    }
    Add({PartKind::kWww, "", has_www ? kWwwLabel : std::string_view(), std::move(without), has_www,
         has_www});
    if (!parts_.scheme.empty()) Add({PartKind::kScheme, "", parts_.scheme, "", true, false});
  }

  const std::string_view url_;
  const UrlParts parts_;
  const std::string_view before_path_;
  const std::string_view query_;  // with its question mark
  std::vector<Part> found_;
};

}  // namespace

std::string_view NameOf(PartKind kind) {
  constexpr std::array<std::string_view, kPartKinds> kNames{
      "parameter",    "parameter_value", "path_parameter",
      "last_segment", "trailing_slash",  "number",
      "www",          "scheme",          "path"};
  return kNames.at(static_cast<std::size_t>(kind));
}

UrlParts PartsOf(std::string_view url) {
  UrlParts parts;
  std::string_view rest = url.substr(0, url.find('#'));
  rest.remove_prefix(TakeSchemeAndHost(rest, parts.scheme, parts.host));
  const std::size_t mark = std::min(rest.find('?'), rest.size());
  parts.path = rest.substr(0, mark);
  std::string_view path = parts.path;
  if (!path.empty() && path.front() == '/') {
    parts.segments.reserve(kUsualSegments);
    while (parts.segments.size() < UrlParts::kMaxSegments) {
      path.remove_prefix(1);
      const std::size_t end = std::min(path.find('/'), path.size());
      parts.segments.push_back(path.substr(0, end));
      path.remove_prefix(end);
      if (path.empty()) break;
    }
  }
  std::string_view query = rest.substr(std::min(mark + 1, rest.size()));
  while (!query.empty() && parts.parameters.size() < UrlParts::kMaxParameters) {
    const std::string_view text = query.substr(0, query.find('&'));
    if (!text.empty()) parts.parameters.push_back({text.substr(0, text.find('=')), text});
    query.remove_prefix(std::min(text.size() + 1, query.size()));
  }
  return parts;
}

std::string_view SiteOf(std::string_view url) {
  std::string_view scheme;
  std::string_view host;
  TakeSchemeAndHost(url, scheme, host);
  if (host.starts_with(kWwwLabel) && host.find('.', kWwwLabel.size()) != std::string_view::npos) {
    host.remove_prefix(kWwwLabel.size());
  }
  return host;
}

std::vector<Part> PartsThatMayNotMatter(std::string_view url) {
  if (url.size() > kMaxUrlBytes) return {};
  return PartFinder(url).Find();
}

}  // namespace crawlsieve::site
