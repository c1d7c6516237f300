#include "extract/visible_text.h"

#include "extract/ascii.h"
#include "extract/utf8.h"

#include <algorithm>

namespace crawlsieve::extract {
namespace {

/// Appends `text` with each run of white space as one space, none at the beginning of `out`.
/// `space_pending` is whether white space came last, and is carried on to the next piece.
void AppendCollapsed(std::string_view text, std::string& out, bool& space_pending) {
  const auto* at = text.begin();
  while (at != text.end()) {
    const auto* const word = std::find_if_not(at, text.end(), IsAsciiSpace);
    space_pending = space_pending || word != at;
    if (word == text.end()) return;
    if (space_pending && !out.empty()) out.push_back(' ');
    space_pending = false;
    at = std::find_if(word, text.end(), IsAsciiSpace);
    out.append(word, at);
  }
}

/// Letters, digits and hyphens, as BCP 47 has them; "de_AT" is common enough to be read.
std::string CleanLanguage(std::string_view tag) {
  constexpr std::size_t kMaxLength = 35;  // RFC 5646, section 4.4.1
  std::string language(TrimAscii(tag));
  std::replace(language.begin(), language.end(), '_', '-');
  const bool valid = language.size() >= 2 && language.size() <= kMaxLength &&
                     IsAsciiAlpha(language[0]) && IsAsciiAlpha(language[1]) &&
                     std::all_of(language.begin(), language.end(), [](char c) {
                       return IsAsciiAlpha(c) || IsAsciiDigit(c) || c == '-';
                     });
  return valid ? language : std::string();
}

}  // namespace

void VisibleText::Clear() {
  title_.clear();
  body_.clear();
  language_.clear();
  space_pending_ = false;
}

void VisibleText::OnLanguage(std::string_view tag) { language_ = CleanLanguage(tag); }

void VisibleText::OnTitle(std::string_view text) {
  if (!title_.empty()) return;
  bool space_pending = false;
  AppendCollapsed(text, title_, space_pending);
}

void VisibleText::OnText(std::string_view text) { AppendCollapsed(text, body_, space_pending_); }

std::uint32_t VisibleText::length() const {
  const std::size_t between = title_.empty() || body_.empty() ? 0 : 1;
  return static_cast<std::uint32_t>(CountCodePoints(title_) + between + CountCodePoints(body_));
}

}  // namespace crawlsieve::extract
