#include "plugin/site/url_patterns.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <utility>

namespace crawlsieve::site {
namespace {

constexpr std::size_t kMaxDepth = 6;
constexpr std::size_t kMaxEndingBytes = 8;
constexpr std::size_t kMaxValueBytes = 32;

std::uint64_t HashOf(std::string_view text) { return RawChecksum(text).low; }

/// ".html" of "a.html"; nothing where it is too long for the kind of a file, or has digits.
std::string_view EndingOf(std::string_view segment) {
  const std::size_t dot = segment.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  const std::string_view ending = segment.substr(dot);
  const bool is_plain = std::all_of(ending.begin() + 1, ending.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return is_plain && ending.size() <= kMaxEndingBytes ? ending : std::string_view();
}

std::string DigitsAsN(std::string_view text) {
  std::string out;
  bool in_digits = false;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) out.push_back(c);
    if (is_digit && !in_digits) out.push_back('N');
    in_digits = is_digit;
  }
  return out;
}

std::string PathPart(const UrlParts& parts, bool with_first) {
  const std::size_t depth = std::min(parts.segments.size(), kMaxDepth);
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) {
    text.push_back('/');
    const bool is_last = i + 1 == depth;
    if (i == 0 && !is_last && with_first) {
      text += DigitsAsN(parts.segments[0]);
    } else if (!is_last || !parts.segments.back().empty()) {
      text.push_back('*');
    }
    if (is_last) text.append(EndingOf(parts.segments.back()));
  }
  return text;
}

void AppendQuery(std::vector<std::string> names, std::string& text) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  char separator = '?';
  for (const std::string& name : names) {
    text.push_back(separator);
    text += name;
    separator = '&';
  }
  if (text.size() <= PatternMaker::kMaxPatternBytes) return;
  // What is cut off still tells patterns apart.
  const std::string rest = std::to_string(HashOf(text));
  text.resize(PatternMaker::kMaxPatternBytes - rest.size());
  text += rest;
}

}  // namespace

void PatternMaker::Note(const UrlParts& parts) {
  for (const Parameter& parameter : parts.parameters) {
    const std::uint64_t hash = HashOf(parameter.name);
    auto place = parameters_.find(hash);
    if (place == parameters_.end()) {
      if (parameters_.size() >= kMaxParameters) continue;
      place = parameters_.emplace(hash, Values()).first;
    }
    Values& values = place->second;
    if (values.many) continue;
    const auto value = static_cast<std::uint32_t>(HashOf(parameter.value()));
    const auto at = std::lower_bound(values.hashes.begin(), values.hashes.end(), value);
    if (at != values.hashes.end() && *at == value) continue;
    values.hashes.insert(at, value);
    if (values.hashes.size() <= kMaxValues) continue;
    values.many = true;
    values.hashes.clear();
    ++epoch_;
  }
}

bool PatternMaker::HasFewValues(std::string_view name) const {
  const auto place = parameters_.find(HashOf(name));
  return place != parameters_.end() && !place->second.many;
}

UrlPatterns PatternMaker::PatternsOf(const UrlParts& parts) const {
  UrlPatterns patterns{PathPart(parts, false), PathPart(parts, true)};
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const Parameter& parameter : parts.parameters) {
    names.emplace_back(parameter.name);
    const bool with_value = parameter.text.size() <= kMaxValueBytes && HasFewValues(parameter.name);
    values.emplace_back(with_value ? parameter.text : parameter.name);
  }
  AppendQuery(std::move(names), patterns.shape);
  AppendQuery(std::move(values), patterns.pattern);
  return patterns;
}

void PatternMaker::Encode(schedule::ByteWriter& out) const {
  out.Varint(parameters_.size());
  for (const auto& [hash, values] : parameters_) {
    out.Fixed(hash, 8);
    out.Varint(values.many ? kMaxValues + 1 : values.hashes.size());
    for (const std::uint32_t value : values.hashes) out.Fixed(value, 4);
  }
  out.Varint(epoch_);
}

bool PatternMaker::Decode(schedule::ByteReader& in) {
  parameters_.clear();
  const std::uint64_t count = in.Varint();
  if (count > kMaxParameters) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t hash = in.Fixed(8);
    if (!parameters_.empty() && hash <= parameters_.rbegin()->first) return false;
    Values values;
    const std::uint64_t size = in.Varint();
    if (size > kMaxValues + 1) return false;
    values.many = size > kMaxValues;
    for (std::uint64_t j = 0; !values.many && j < size; ++j) {
      const auto value = static_cast<std::uint32_t>(in.Fixed(4));
      if (!values.hashes.empty() && value <= values.hashes.back()) return false;
      values.hashes.push_back(value);
    }
    parameters_.emplace(hash, std::move(values));
  }
  epoch_ = in.Varint();
  return in.ok() && epoch_ <= kMaxParameters;
}

}  // namespace crawlsieve::site
