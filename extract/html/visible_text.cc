#include "extract/html/visible_text.h"

#include "extract/text/ascii.h"
#include "extract/text/utf8.h"

#include <algorithm>

namespace crawlsieve::extract {
namespace {

/// Tables larger than those of common pages go back to the system.
constexpr std::size_t kKeptElements = 64 << 10;

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
  title_.Clear();
  body_.Clear();
  alt_text_.Clear();
  language_.clear();
  open_blocks_.clear();
  with_container_ = 0;
  if (containers_.capacity() > kKeptElements) containers_ = {};
  containers_.assign(1, {});
  if (segments_.capacity() > kKeptElements) segments_ = {};
  segments_.clear();
  in_segment_ = false;
  links_ = 0;
  base_.clear();
  canonical_.clear();
  refresh_.clear();
  is_nofollow_ = false;
  anchors_.clear();
  open_anchors_.clear();
}

void VisibleText::KeepFirst(std::string_view value, std::string& kept) {
  if (kept.empty()) kept = TrimAscii(value);
}

void VisibleText::OnRefresh(std::string_view content) {
  // "5; url='https://example.org/'"; without a target the page loads itself again.
  const std::size_t separator = content.find_first_of(";,");
  if (separator == std::string_view::npos) return;
  std::string_view target = TrimAscii(content.substr(separator + 1));
  if (StartsWithNoCase(target, "url")) {
    const std::string_view rest = TrimAscii(target.substr(3));
    if (rest.starts_with('=')) target = TrimAscii(rest.substr(1));
  }
  if (!target.empty() && (target.front() == '"' || target.front() == '\'')) {
    const char quote = target.front();
    target.remove_prefix(1);
    target = target.substr(0, target.find(quote));
  }
  KeepFirst(target, refresh_);
}

void VisibleText::OnRobots(std::string_view content) {
  while (!content.empty()) {
    const std::string_view rule = content.substr(0, content.find(','));
    content.remove_prefix(std::min(rule.size() + 1, content.size()));
    const std::string_view name = TrimAscii(rule);
    if (EqualsNoCase(name, "nofollow") || EqualsNoCase(name, "none")) is_nofollow_ = true;
  }
}

void VisibleText::OnLanguage(std::string_view tag) { language_ = CleanLanguage(tag); }

void VisibleText::OnTitle(std::string_view text) {
  if (title_.size() == 0) title_.Append(text);
}

void VisibleText::OnText(std::string_view text) {
  const std::size_t before = body_.size();
  body_.Append(text);
  if (body_.size() == before || in_segment_) return;
  BeginSegment(before == 0 ? 0 : before + 1);
}

void VisibleText::OnBlockBegin(Hints hints) {
  EndSegment();
  open_blocks_.push_back({hints, 0});
}

void VisibleText::OnBlockEnd() {
  EndSegment();
  open_blocks_.pop_back();
  with_container_ = std::min(with_container_, open_blocks_.size());
}

void VisibleText::OnLinkBegin(const LinkTarget& target) {
  const bool kept =
      !target.href.empty() && target.href.size() <= kMaxHrefBytes && anchors_.size() < max_links_;
  open_anchors_.push_back(kept ? anchors_.size() : kNoAnchor);
  if (kept) {
    anchors_.push_back(
        {std::string(target.href), std::string(TrimAscii(target.rel)), body_.size(), body_.size()});
  }
  if (links_++ == 0) link_begin_ = body_.size();
}

void VisibleText::OnLinkEnd() {
  if (open_anchors_.back() != kNoAnchor) anchors_[open_anchors_.back()].end = body_.size();
  open_anchors_.pop_back();
  if (--links_ == 0 && in_segment_) CountLinkWords();
}

void VisibleText::OnAltText(std::string_view text) {
  if (alt_text_.size() + text.size() >= kMaxAltBytes) return;
  alt_text_.AppendSpace();
  alt_text_.Append(text);
}

void VisibleText::BeginSegment(std::size_t begin) {
  std::uint32_t container = with_container_ == 0 ? 0 : open_blocks_[with_container_ - 1].container;
  for (; with_container_ < open_blocks_.size(); ++with_container_) {
    OpenBlock& block = open_blocks_[with_container_];
    containers_.push_back({container, block.hints});
    container = static_cast<std::uint32_t>(containers_.size() - 1);
    block.container = container;
  }
  segments_.push_back({.begin = static_cast<std::uint32_t>(begin), .container = container});
  in_segment_ = true;
  link_begin_ = begin;
}

void VisibleText::EndSegment() {
  body_.AppendSpace();
  if (!in_segment_) return;
  if (links_ != 0) CountLinkWords();
  Segment& segment = segments_.back();
  segment.end = static_cast<std::uint32_t>(body_.size());
  segment.words = EstimateWords(TextOf(segment));
  segment.link_words = std::min(segment.link_words, segment.words);
  in_segment_ = false;
}

void VisibleText::CountLinkWords() {
  segments_.back().link_words += EstimateWords(body().substr(link_begin_));
}

bool VisibleText::IsInMainText(const Anchor& anchor) const {
  const auto segment = std::ranges::upper_bound(segments_, anchor.begin, {}, &Segment::end);
  return segment != segments_.end() && IsMainText(segment->role);
}

std::string_view VisibleText::TextOf(const Anchor& anchor, std::size_t max_bytes) const {
  const std::string_view text = TrimAscii(body().substr(anchor.begin, anchor.end - anchor.begin));
  return text.substr(0, CutAtCodePoint(text, max_bytes));
}

void VisibleText::Finish() {
  EndSegment();
  roles_.Assign(containers_, segments_);
}

std::uint32_t VisibleText::length() const {
  const std::size_t between = title().empty() || body().empty() ? 0 : 1;
  return static_cast<std::uint32_t>(CountCodePoints(title()) + between + CountCodePoints(body()));
}

}  // namespace crawlsieve::extract
