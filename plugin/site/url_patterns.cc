#include "plugin/site/url_patterns.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <span>
#include <utility>

namespace crawlsieve::site {
namespace {

constexpr std::size_t kMaxDepth = 6;
constexpr std::size_t kMaxEndingBytes = 8;
constexpr std::size_t kMaxValueBytes = 32;
constexpr std::size_t kMaxSegmentBytes = 256;

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

/// What is longer is cut off: it would be later.
void AppendDigitsAsN(std::string_view text, std::string& out) {
  std::array<char, kMaxSegmentBytes> shown;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::size_t size = 0;
  bool in_digits = false;
  // Without a branch: nobody can foretell the digits of a hash.
  for (const char c : text.substr(0, kMaxSegmentBytes)) {
    const bool is_digit = c >= '0' && c <= '9';
    shown[size] = is_digit ? 'N' : c;
    size += static_cast<std::size_t>(!is_digit || !in_digits);
    in_digits = is_digit;
  }
  out.append(shown.data(), size);
}

/// Whether the name, without its ending, ends in a number.
bool IsNumbered(std::string_view segment) {
  segment.remove_suffix(EndingOf(segment).size());
  return !segment.empty() && segment.back() >= '0' && segment.back() <= '9';
}

/// The first `named` segments as they are, the others as `*`, and of more than `max_depth` no more.
/// The last one is never named; `numbered`: it has N behind it if it is.
void AppendPath(const UrlParts& parts, std::size_t named, std::size_t max_depth, bool numbered,
                std::string& text) {
  const std::size_t depth = std::min(parts.segments.size(), max_depth);
  for (std::size_t i = 0; i < depth; ++i) {
    text.push_back('/');
    const bool is_last = i + 1 == depth;
    if (i < named && !is_last) {
      AppendDigitsAsN(parts.segments[i], text);
    } else if (!is_last || !parts.segments.back().empty()) {
      text.push_back('*');
    }
    if (!is_last) continue;
    if (numbered && IsNumbered(parts.segments.back())) text.push_back('N');
    text.append(EndingOf(parts.segments.back()));
  }
}

/// Sorts the names.
void AppendQuery(std::span<std::string_view> names, std::string& text) {
  std::sort(names.begin(), names.end());
  char separator = '?';
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0 && names[i] == names[i - 1]) continue;
    text.push_back(separator);
    text.append(names[i]);
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
    Values* values = parameters_.Find(hash);
    if (values == nullptr) {
      if (parameters_.size() >= kMaxParameters) continue;
      values = &parameters_.Add(hash, Values(), kMaxParameters);
    }
    if (values->many) continue;
    const auto value = static_cast<std::uint32_t>(HashOf(parameter.value()));
    const auto end = values->hashes.begin() + values->count;
    const auto at = std::lower_bound(values->hashes.begin(), end, value);
    if (at != end && *at == value) continue;
    if (values->count == kMaxValues) {
      *values = Values();
      values->many = true;
      ++epoch_;
      continue;
    }
    std::move_backward(at, end, end + 1);
    *at = value;
    ++values->count;
  }
}

bool PatternMaker::HasFewValues(std::string_view name) const {
  const Values* const values = parameters_.Find(HashOf(name));
  return values != nullptr && !values->many;
}

std::string PatternMaker::PatternOf(const UrlParts& parts) const {
  std::string pattern;
  FindPattern(parts, pattern);
  return pattern;
}

void PatternMaker::FindPattern(const UrlParts& parts, std::string& pattern) const {
  pattern.clear();
  pattern.reserve(kMaxPatternBytes);
  AppendPath(parts, 1, kMaxDepth, false, pattern);
  AppendQueryOf(parts, pattern);
}

void PatternMaker::AppendQueryOf(const UrlParts& parts, std::string& text) const {
  std::array<std::string_view, UrlParts::kMaxParameters> names;
  std::size_t count = 0;
  for (const Parameter& parameter : parts.parameters) {
    const bool with_value = parameter.text.size() <= kMaxValueBytes && HasFewValues(parameter.name);
    names[count++] = with_value ? parameter.text : parameter.name;
  }
  AppendQuery(std::span(names).first(count), text);
}

UrlPatterns PatternMaker::PatternsOf(const UrlParts& parts) const {
  UrlPatterns patterns{{}, PatternOf(parts), {}};
  if (parts.segments.size() > 2) {
    patterns.folder.reserve(kMaxPatternBytes);
    AppendPath(parts, parts.segments.size(), parts.segments.size(), true, patterns.folder);
    AppendQueryOf(parts, patterns.folder);
  }
  patterns.shape.reserve(kMaxPatternBytes);
  AppendPath(parts, 0, kMaxDepth, false, patterns.shape);
  std::array<std::string_view, UrlParts::kMaxParameters> names;
  std::size_t count = 0;
  for (const Parameter& parameter : parts.parameters) names[count++] = parameter.name;
  AppendQuery(std::span(names).first(count), patterns.shape);
  return patterns;
}

void PatternMaker::Encode(schedule::ByteWriter& out) const {
  out.Varint(parameters_.size());
  for (const auto& [hash, values] : parameters_) {
    out.Fixed(hash, 8);
    out.Varint(values.many ? kMaxValues + 1 : values.count);
    for (std::size_t i = 0; i < values.count; ++i) out.Fixed(values.hashes[i], 4);
  }
  out.Varint(epoch_);
}

bool PatternMaker::Decode(schedule::ByteReader& in) {
  parameters_.Clear();
  const std::uint64_t count = in.Varint();
  if (count > kMaxParameters) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t hash = in.Fixed(8);
    Values values;
    const std::uint64_t size = in.Varint();
    if (size > kMaxValues + 1) return false;
    values.many = size > kMaxValues;
    for (std::uint64_t j = 0; !values.many && j < size; ++j) {
      const auto value = static_cast<std::uint32_t>(in.Fixed(4));
      if (values.count > 0 && value <= values.hashes[values.count - 1U]) return false;
      values.hashes[values.count++] = value;
    }
    if (!parameters_.Append(hash, values)) return false;
  }
  epoch_ = in.Varint();
  return in.ok() && epoch_ <= kMaxParameters;
}

}  // namespace crawlsieve::site
