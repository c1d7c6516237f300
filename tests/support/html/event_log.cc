#include "tests/support/html/event_log.h"

#include "extract/text/ascii.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::html_check {
namespace {

using extract::IsAsciiSpace;

/// Behind and before these no white space is shown.
bool IsBorder(EventKind kind) {
  return kind == EventKind::kBreak || kind == EventKind::kBlockBegin ||
         kind == EventKind::kBlockEnd;
}

std::string Collapsed(std::string_view text) {
  std::string collapsed;
  for (const char c : text) {
    if (!IsAsciiSpace(c)) {
      collapsed.push_back(c);
    } else if (collapsed.empty() || collapsed.back() != ' ') {
      collapsed.push_back(' ');
    }
  }
  return collapsed;
}

/// Runs of white space become one space, also across the borders of links, and vanish beside the
/// borders of blocks: what VisibleText makes of them.
std::vector<Event> WithoutWhiteSpace(std::vector<Event> events) {
  std::vector<Event> kept;
  bool space_shown = true;           // whether white space here would follow white space
  std::size_t last_text = SIZE_MAX;  // in `kept`, since the last border
  const auto trim_last = [&] {
    if (last_text == SIZE_MAX) return;
    std::string& text = kept[last_text].text;
    if (text.ends_with(' ')) text.pop_back();
    if (text.empty()) kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(last_text));
    last_text = SIZE_MAX;
  };
  for (Event& event : events) {
    if (event.kind == EventKind::kTitle || event.kind == EventKind::kAltText) {
      event.text = extract::TrimAscii(Collapsed(event.text));
    }
    if (IsBorder(event.kind)) {
      trim_last();
      space_shown = true;
    }
    if (event.kind == EventKind::kText) {
      event.text = Collapsed(event.text);
      if (space_shown && event.text.starts_with(' ')) event.text.erase(0, 1);
      if (event.text.empty()) continue;
      space_shown = event.text.ends_with(' ');
      if (!kept.empty() && kept.back().kind == EventKind::kText) {
        kept.back().text += event.text;
        continue;
      }
      last_text = kept.size();
    }
    kept.push_back(std::move(event));
  }
  return kept;
}

std::string Escaped(std::string_view text, char quote) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      escaped += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      escaped += fmt::format("\\x{:02X}", byte);
    } else if (c == quote || c == '\\') {
      escaped.push_back('\\');
      escaped.push_back(c);
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

}  // namespace

void EventLog::Add(EventKind kind, std::string_view text) {
  events_.push_back({.kind = kind, .text = std::string(text)});
}

void EventLog::OnText(std::string_view text) {
  if (text.empty()) return;
  if (!events_.empty() && events_.back().kind == EventKind::kText) {
    events_.back().text += text;
  } else {
    Add(EventKind::kText, text);
  }
}

void EventLog::OnBlockBegin(extract::Hints hints) {
  events_.push_back({.kind = EventKind::kBlockBegin, .hints = hints});
}

void EventLog::OnLinkBegin(const extract::LinkTarget& target) {
  events_.push_back({.kind = EventKind::kLinkBegin,
                     .text = std::string(target.href),
                     .rel = std::string(target.rel)});
}

std::vector<Event> EventLog::Normalized(const Comparison& comparison) const {
  std::vector<Event> events = events_;
  if (comparison.ignore_hints) {
    for (Event& event : events) event.hints = extract::kNoHints;
  }
  return comparison.ignore_white_space ? WithoutWhiteSpace(std::move(events)) : events;
}

std::string Render(const Event& event) {
  const std::string text = Escaped(event.text, '"');
  switch (event.kind) {
    case EventKind::kLanguage:
      return fmt::format("language \"{}\"", text);
    case EventKind::kTitle:
      return fmt::format("title \"{}\"", text);
    case EventKind::kText:
      return fmt::format("text \"{}\"", text);
    case EventKind::kBreak:
      return "break";
    case EventKind::kBlockBegin:
      return fmt::format("block {}", event.hints);
    case EventKind::kBlockEnd:
      return "end block";
    case EventKind::kLinkBegin:
      return fmt::format("link \"{}\" \"{}\"", text, Escaped(event.rel, '"'));
    case EventKind::kLinkEnd:
      return "end link";
    case EventKind::kBase:
      return fmt::format("base \"{}\"", text);
    case EventKind::kCanonical:
      return fmt::format("canonical \"{}\"", text);
    case EventKind::kRefresh:
      return fmt::format("refresh \"{}\"", text);
    case EventKind::kRobots:
      return fmt::format("robots \"{}\"", text);
    case EventKind::kAltText:
      return fmt::format("alt \"{}\"", text);
  }
  return {};
}

std::string RenderShort(const std::vector<Event>& events) {
  std::string line;
  for (const Event& event : events) {
    const std::string text = Escaped(event.text, '\'');
    switch (event.kind) {
      case EventKind::kText:
        line += fmt::format("'{}'", text);
        break;
      case EventKind::kBreak:
        line += '|';
        break;
      case EventKind::kBlockBegin:
        line += event.hints == extract::kNoHints ? "[" : fmt::format("[{}:", event.hints);
        break;
      case EventKind::kBlockEnd:
        line += ']';
        break;
      case EventKind::kLinkBegin:
        line += event.rel.empty() ? fmt::format("({}:", text)
                                  : fmt::format("({} rel={}:", text, Escaped(event.rel, '\''));
        break;
      case EventKind::kLinkEnd:
        line += ')';
        break;
      case EventKind::kLanguage:
        line += fmt::format("lang='{}'", text);
        break;
      case EventKind::kTitle:
        line += fmt::format("title='{}'", text);
        break;
      case EventKind::kBase:
        line += fmt::format("base='{}'", text);
        break;
      case EventKind::kCanonical:
        line += fmt::format("canonical='{}'", text);
        break;
      case EventKind::kRefresh:
        line += fmt::format("refresh='{}'", text);
        break;
      case EventKind::kRobots:
        line += fmt::format("robots='{}'", text);
        break;
      case EventKind::kAltText:
        line += fmt::format("alt='{}'", text);
        break;
    }
  }
  return line;
}

std::optional<std::string> FirstDifference(const std::vector<Event>& left,
                                           const std::vector<Event>& right) {
  const auto [at_left, at_right] =
      std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  if (at_left == left.end() && at_right == right.end()) return std::nullopt;
  const std::size_t index = static_cast<std::size_t>(at_left - left.begin());
  std::string one = at_left == left.end() ? "the end" : Render(*at_left);
  std::string other = at_right == right.end() ? "the end" : Render(*at_right);
  // Of two long texts, what is around the place where they differ.
  constexpr std::size_t kShown = 60;
  if (one.size() > 2 * kShown && other.size() > 2 * kShown) {
    const auto place = static_cast<std::size_t>(
        std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin());
    const std::size_t from = place > kShown ? place - kShown : 0;
    one = "..." + one.substr(from, 2 * kShown);
    other = "..." + other.substr(from, 2 * kShown);
  }
  one.resize(std::min(one.size(), 4 * kShown));
  other.resize(std::min(other.size(), 4 * kShown));
  return fmt::format("event {}: {} | {}", index, one, other);
}

ParsedLog ParseLog(extract::HtmlParser& parser, std::string_view html) {
  ParsedLog parsed{extract::ParseEnd::kDone, {}};
  parsed.end = parser.Parse(html, parsed.log);
  return parsed;
}

extract::Limits WideLimits() {
  extract::Limits limits;
  limits.max_parse_memory = std::size_t{1} << 30;
  limits.max_parse_allocations = std::size_t{1} << 30;
  limits.parse_time_base = std::chrono::hours(1);
  return limits;
}

}  // namespace crawlsieve::html_check
