#include "extract/html/inline_style.h"

#include "extract/text/ascii.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace crawlsieve::extract {
namespace {

constexpr bool IsHexDigit(char c) {
  return IsAsciiDigit(c) || (AsciiLower(c) >= 'a' && AsciiLower(c) <= 'f');
}

/// What stands for anything that no name and no keyword has: strings, escaped signs.
constexpr char kOther = '"';

constexpr std::array<bool, 256> MakeNotPlain() {
  std::array<bool, 256> not_plain{};
  for (const char c : {'\\', '/', '"', '\'', '(', '[', '{'}) {
    not_plain[static_cast<unsigned char>(c)] = true;
  }
  return not_plain;
}
constexpr std::array<bool, 256> kNotPlain = MakeNotPlain();

/// Takes declarations out of a style one by one, in plain text: letters in lower case, comments and
/// runs of white space as one space, escapes of letters as these.
class DeclarationReader {
 public:
  explicit DeclarationReader(std::string_view style) : style_(style) {}

  /// The next declaration; nullopt at the end. One that is too long to be of interest is empty.
  [[nodiscard]] std::optional<std::string_view> Next() {
    if (at_ == style_.size()) return std::nullopt;
    if (SkipOther()) return std::string_view();
    size_ = 0;
    closers_.clear();
    while (at_ < style_.size()) {
      const char c = style_[at_];
      if (c == ';' && closers_.empty()) {
        ++at_;
        break;
      }
      ReadToken(c);
    }
    return size_ == text_.size() ? std::string_view() : TrimAscii(text());
  }

 private:
  /// Goes past a declaration of another property that has no comment, escape, string or bracket.
  /// Returns whether there was one.
  bool SkipOther() {
    const char first = AsciiLower(style_[at_]);
    if (!IsAsciiAlpha(first) || first == 'd' || first == 'v') return false;
    for (std::size_t at = at_ + 1; at <= style_.size(); ++at) {
      const char c = at == style_.size() ? ';' : style_[at];
      if (c == ';') {
        at_ = std::min(at + 1, style_.size());
        return true;
      }
      if (kNotPlain[static_cast<unsigned char>(c)]) return false;
    }
    return false;
  }

  void Append(char c) {
    if (size_ < text_.size()) text_[size_++] = c;
  }
  [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }

  void ReadToken(char c) {
    if (IsAsciiSpace(c)) {
      ++at_;
      AppendSpace();
    } else if (style_.substr(at_, 2) == "/*") {
      const std::size_t end = style_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? style_.size() : end + 2;
      AppendSpace();
    } else if (c == '\\') {
      Append(ReadEscape());
    } else if (c == '"' || c == '\'') {
      SkipString(c);
      Append(kOther);
    } else if (c == '(' && IsUrl()) {
      SkipUrl();
      Append(kOther);
    } else {
      ++at_;
      if (c == '(') closers_.push_back(')');
      if (c == '[') closers_.push_back(']');
      if (c == '{') closers_.push_back('}');
      if (!closers_.empty() && c == closers_.back()) closers_.pop_back();
      Append(AsciiLower(c));
    }
  }

  void AppendSpace() {
    if (!text().ends_with(' ')) Append(' ');
  }

  /// The letter, digit or '-' that an escape stands for; kOther for all else.
  char ReadEscape() {
    std::size_t end = at_ + 1;
    unsigned value = 0;
    while (end < style_.size() && end < at_ + 7 && IsHexDigit(style_[end])) {
      const char digit = AsciiLower(style_[end++]);
      value =
          value * 16 + static_cast<unsigned>(IsAsciiDigit(digit) ? digit - '0' : digit - 'a' + 10);
    }
    if (end == at_ + 1) {
      if (end < style_.size()) value = static_cast<unsigned char>(style_[end++]);
    } else if (end < style_.size() && IsAsciiSpace(style_[end])) {
      end += style_.substr(end, 2) == "\r\n" ? 2 : 1;
    }
    at_ = end;
    const char c = value < 0x80 ? AsciiLower(static_cast<char>(value)) : kOther;
    return IsAsciiAlpha(c) || IsAsciiDigit(c) || c == '-' ? c : kOther;
  }

  void SkipString(char quote) {
    for (++at_; at_ < style_.size(); ++at_) {
      const char c = style_[at_];
      if (c == quote) {
        ++at_;
        return;
      }
      if (c == '\n' || c == '\r' || c == '\f') return;  // a string that isn't closed ends its line
      if (c == '\\' && at_ + 1 < style_.size()) ++at_;
    }
  }

  /// Whether "url(" without a quote behind it ends at the bracket at `at_`.
  [[nodiscard]] bool IsUrl() const {
    if (!text().ends_with("url")) return false;
    std::size_t behind = at_ + 1;
    while (behind < style_.size() && IsAsciiSpace(style_[behind])) ++behind;
    return behind == style_.size() || (style_[behind] != '"' && style_[behind] != '\'');
  }

  void SkipUrl() {
    for (; at_ < style_.size(); ++at_) {
      if (style_[at_] == ')') {
        ++at_;
        return;
      }
      if (style_[at_] == '\\' && at_ + 1 < style_.size()) ++at_;
    }
  }

  std::string_view style_;
  std::size_t at_ = 0;
  std::array<char, 128> text_;  ///< longer than any valid declaration of the two properties
  std::size_t size_ = 0;
  std::string closers_;  ///< of the brackets that are open
};

constexpr std::array<std::string_view, 31> kDisplayKeywords = {
    "block",
    "inline",
    "run-in",
    "flow",
    "flow-root",
    "table",
    "flex",
    "grid",
    "ruby",
    "math",
    "list-item",
    "table-row-group",
    "table-header-group",
    "table-footer-group",
    "table-row",
    "table-cell",
    "table-column-group",
    "table-column",
    "table-caption",
    "ruby-text",
    "contents",
    "inline-block",
    "inline-table",
    "inline-flex",
    "inline-grid",
    "inline-list-item",
    "-webkit-box",
    "-webkit-inline-box",
    "-webkit-flex",
    "-webkit-inline-flex",
    "grid-lanes",
};

/// nullopt: no valid value, so that the declaration is none.
std::optional<InlineStyle::Display> ReadDisplay(std::string_view value) {
  using Display = InlineStyle::Display;
  if (value == "none") return Display::kNone;
  if (value == "revert" || value == "revert-layer") return Display::kUnsaid;
  if (value == "initial" || value == "inherit" || value == "unset") return Display::kShown;
  if (value.find("var(") != std::string_view::npos) return Display::kShown;
  // "block flow", "inline flow-root list-item": which words go together isn't looked at.
  if (value.empty()) return std::nullopt;
  while (!value.empty()) {
    const std::string_view word = value.substr(0, value.find(' '));
    if (std::find(kDisplayKeywords.begin(), kDisplayKeywords.end(), word) ==
        kDisplayKeywords.end()) {
      return std::nullopt;
    }
    value.remove_prefix(std::min(word.size() + 1, value.size()));
  }
  return Display::kShown;
}

std::optional<InlineStyle::Visibility> ReadVisibility(std::string_view value) {
  using Visibility = InlineStyle::Visibility;
  if (value == "hidden" || value == "collapse") return Visibility::kHidden;
  if (value == "visible" || value == "initial") return Visibility::kVisible;
  if (value == "inherit" || value == "unset" || value == "revert" || value == "revert-layer" ||
      value.find("var(") != std::string_view::npos) {
    return Visibility::kUnsaid;
  }
  return std::nullopt;
}

/// The value of a property that counts so far.
template <typename Value>
class Cascaded {
 public:
  void Declare(std::optional<Value> value, bool important) {
    if (!value || (important_ && !important)) return;
    value_ = *value;
    important_ = important;
  }
  [[nodiscard]] Value value() const { return value_; }

 private:
  Value value_ = Value::kUnsaid;
  bool important_ = false;
};

bool EndsWithNoCase(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         StartsWithNoCase(text.substr(text.size() - lower.size()), lower);
}

/// Whether one of the two properties may be in the style: what most styles are asked alone.
bool MayBeDeclared(std::string_view style) {
  if (style.find('\\') != std::string_view::npos) return true;
  for (std::size_t colon = style.find(':'); colon != std::string_view::npos;
       colon = style.find(':', colon + 1)) {
    std::size_t end = colon;
    while (end > 0 && IsAsciiSpace(style[end - 1])) --end;
    if (end == 0) continue;
    if (style[end - 1] == '/') return true;  // a comment in front of it
    if (AsciiLower(style[end - 1]) != 'y') continue;
    const std::string_view before = style.substr(0, end);
    if (EndsWithNoCase(before, "display") || EndsWithNoCase(before, "visibility")) return true;
  }
  return false;
}

}  // namespace

InlineStyle ReadInlineStyle(std::string_view style) {
  if (!MayBeDeclared(style)) return {};
  Cascaded<InlineStyle::Display> display;
  Cascaded<InlineStyle::Visibility> visibility;
  DeclarationReader reader(style);
  while (const std::optional<std::string_view> declaration = reader.Next()) {
    const std::size_t colon = declaration->find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view property = TrimAscii(declaration->substr(0, colon));
    if (property != "display" && property != "visibility") continue;
    std::string_view value = TrimAscii(declaration->substr(colon + 1));
    const std::size_t bang = value.find('!');
    const bool important = bang != std::string_view::npos;
    if (important) {
      if (TrimAscii(value.substr(bang + 1)) != "important") continue;
      value = TrimAscii(value.substr(0, bang));
    }
    if (property == "display") display.Declare(ReadDisplay(value), important);
    if (property == "visibility") visibility.Declare(ReadVisibility(value), important);
  }
  return {display.value(), visibility.value()};
}

bool StyleHides(std::string_view style) {
  while (!style.empty()) {
    const std::size_t end = std::min(style.find(';'), style.size());
    const std::string_view declaration = style.substr(0, end);
    style.remove_prefix(std::min(end + 1, style.size()));
    const std::size_t colon = declaration.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view property = TrimAscii(declaration.substr(0, colon));
    std::string_view value = declaration.substr(colon + 1);
    value = TrimAscii(value.substr(0, value.find('!')));  // "none !important"
    if (EqualsNoCase(property, "display") && EqualsNoCase(value, "none")) return true;
    if (EqualsNoCase(property, "visibility") && EqualsNoCase(value, "hidden")) return true;
  }
  return false;
}

}  // namespace crawlsieve::extract
