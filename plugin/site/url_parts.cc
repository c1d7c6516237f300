#include "plugin/site/url_parts.h"

#include <algorithm>
#include <array>

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

void AppendWithDigitsAsZero(std::string_view text, std::string& out) {
  bool in_digits = false;
  for (const char c : text) {
    const bool is_digit = IsDigit(c);
    if (!is_digit) out.push_back(c);
    if (is_digit && !in_digits) out.push_back('0');
    in_digits = is_digit;
  }
}

/// Finds both in `url`, and returns how many bytes they take, what stands between them included.
/// Both stay empty where there is no scheme. What is behind a `#` isn't looked at.
std::size_t TakeSchemeAndHost(std::string_view url, std::string_view& scheme,
                              std::string_view& host) {
  // Nearly all URLs begin so.
  const std::size_t end = url.starts_with("https://") ? 5 : url.find("://");
  if (end == std::string_view::npos || url.substr(0, end).find('#') != std::string_view::npos) {
    return 0;
  }
  scheme = url.substr(0, end);
  const std::string_view rest = url.substr(end + 3);
  host = rest;
  for (const char end_of_host : {'/', '?', '#'}) host = host.substr(0, host.find(end_of_host));
  const std::size_t taken = end + 3 + host.size();
  if (host.find('@') != std::string_view::npos) host.remove_prefix(host.rfind('@') + 1);
  return taken;
}

class PartFinder {
 public:
  PartFinder(std::string_view url, const UrlParts& parts,
             const std::function<void(const Part&)>& take)
      : url_(url),
        parts_(parts),
        before_path_(url.substr(0, static_cast<std::size_t>(parts_.path.data() - url.data()))),
        query_(url.substr(before_path_.size() + parts_.path.size())),
        take_(take) {
    without_.reserve(url.size());
  }

  void Find() {
    AddParameters();
    AddPathParameters();
    AddEndOfPath();
    AddNumbers();
    AddHostAndScheme();
  }

 private:
  void Add(PartKind kind, std::string_view name, std::string_view value, bool is_url = true) {
    Take({kind, name, value, without_, true, is_url});
  }
  void Take(const Part& part) {
    if (part.name.size() <= UrlParts::kMaxNameBytes) take_(part);
  }
  /// The URL without a piece of it.
  void Remove(std::string_view piece) {
    const auto at = static_cast<std::size_t>(piece.data() - url_.data());
    without_.assign(url_.substr(0, at)).append(url_.substr(at + piece.size()));
  }

  void AddParameters() {
    std::array<std::string_view, kMaxPartsOfAKind> seen;
    std::size_t count = 0;
    for (const Parameter& parameter : parts_.parameters) {
      const auto end = seen.begin() + static_cast<std::ptrdiff_t>(count);
      if (std::find(seen.begin(), end, parameter.name) != end) continue;
      if (count == seen.size()) return;
      seen[count++] = parameter.name;
      RemoveParameters(parameter.name);
      Add(PartKind::kParameter, parameter.name, parameter.value());
      Add(PartKind::kParameterValue, parameter.text, parameter.value());
      AddPathOf(parameter);
    }
  }

  /// The URL with the others alone, joined with &.
  void RemoveParameters(std::string_view name) {
    without_.assign(before_path_).append(parts_.path);
    char separator = '?';
    for (const Parameter& other : parts_.parameters) {
      if (other.name == name) continue;
      without_.push_back(separator);
      without_.append(other.text);
      separator = '&';
    }
  }

  void AddPathOf(const Parameter& parameter) {
    // Without a slash the value would become part of the host.
    if (parameter.value().empty() || !parts_.path.starts_with('/')) return;
    without_.assign(before_path_).append(parts_.path.substr(0, parts_.path.rfind('/') + 1));
    without_.append(parameter.value());
    Add(PartKind::kPath, parameter.name, parameter.value());
  }

  void AddPathParameters() {
    for (const std::string_view segment : parts_.segments) {
      const std::size_t begin = segment.find(';');
      if (begin == std::string_view::npos || begin == 0) continue;
      const std::string_view text = segment.substr(begin + 1);
      const std::size_t sign = text.find('=');
      if (sign == std::string_view::npos) continue;
      Remove(segment.substr(begin));
      Add(PartKind::kPathParameter, text.substr(0, sign), text.substr(sign + 1));
    }
  }

  void AddEndOfPath() {
    if (parts_.segments.empty()) return;
    const std::string_view last = parts_.segments.back();
    const std::string_view path = parts_.path;
    const auto cut = [&](std::size_t bytes) {
      without_.assign(before_path_).append(path.substr(0, path.size() - bytes)).append(query_);
    };
    if (last.empty()) {
      if (path.size() < 2) return;
      cut(1);
      Add(PartKind::kTrailingSlash, "", "/");
      return;
    }
    Take({PartKind::kTrailingSlash, "", "", "", false, true});
    cut(last.size());
    Add(PartKind::kLastSegment, last, last);
  }

  void AddNumbers() {
    std::size_t found = 0;
    for (std::size_t i = 0; i < parts_.segments.size(); ++i) {
      const std::string_view segment = parts_.segments[i];
      if (!HasDigit(segment)) continue;
      if (++found > kMaxPartsOfAKind) return;
      const auto at = static_cast<std::size_t>(segment.data() - url_.data());
      without_.assign(url_.substr(0, at));
      AppendWithDigitsAsZero(segment, without_);
      without_.append(url_.substr(at + segment.size()));
      Add(PartKind::kNumber, NameOfPlace(i), segment, false);
    }
  }

  void AddHostAndScheme() {
    if (parts_.host.starts_with(kWwwLabel)) {
      Remove(parts_.host.substr(0, kWwwLabel.size()));
      Add(PartKind::kWww, "", kWwwLabel);
    } else {
      Take({PartKind::kWww, "", "", "", false, false});
    }
    if (!parts_.scheme.empty()) Take({PartKind::kScheme, "", parts_.scheme, "", true, false});
  }

  const std::string_view url_;
  const UrlParts& parts_;
  const std::string_view before_path_;
  const std::string_view query_;  // with its question mark
  const std::function<void(const Part&)>& take_;
  std::string without_;
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
  TakeApart(url, parts);
  return parts;
}

void TakeApart(std::string_view url, UrlParts& parts) {
  parts.scheme = {};
  parts.host = {};
  parts.segments.clear();
  parts.parameters.clear();
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

void ForEachPartThatMayNotMatter(std::string_view url, const UrlParts& parts,
                                 const std::function<void(const Part&)>& take) {
  if (url.size() <= kMaxUrlBytes) PartFinder(url, parts, take).Find();
}

}  // namespace crawlsieve::site
