#pragma once

#include "extract/html/html_text.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::html_check {

enum class EventKind : std::uint8_t {
  kLanguage,
  kTitle,
  kText,
  kBreak,
  kBlockBegin,
  kBlockEnd,
  kLinkBegin,
  kLinkEnd,
  kBase,
  kCanonical,
  kRefresh,
  kRobots,
  kAltText,
};

struct Event {
  EventKind kind;
  extract::Hints hints = extract::kNoHints;  ///< of a block
  std::string text = {};                     ///< text, or href of a link
  std::string rel = {};                      ///< of a link

  friend bool operator==(const Event&, const Event&) = default;
};

/// What is ignored when two logs are compared.
struct Comparison {
  bool ignore_white_space = false;  ///< runs are one space; none at the borders of blocks
  bool ignore_hints = false;
};

/// Records what a parser reports. Pieces of text that belong together are one event, as where a
/// parser cuts text means nothing. Thread-compatible.
class EventLog final : public extract::HtmlEvents {
 public:
  void OnLanguage(std::string_view tag) override { Add(EventKind::kLanguage, tag); }
  void OnTitle(std::string_view text) override { Add(EventKind::kTitle, text); }
  void OnText(std::string_view text) override;
  void OnBreak() override { Add(EventKind::kBreak); }
  void OnBlockBegin(extract::Hints hints) override;
  void OnBlockEnd() override { Add(EventKind::kBlockEnd); }
  void OnLinkBegin(const extract::LinkTarget& target) override;
  void OnLinkEnd() override { Add(EventKind::kLinkEnd); }
  void OnBase(std::string_view href) override { Add(EventKind::kBase, href); }
  void OnCanonical(std::string_view href) override { Add(EventKind::kCanonical, href); }
  void OnRefresh(std::string_view content) override { Add(EventKind::kRefresh, content); }
  void OnRobots(std::string_view content) override { Add(EventKind::kRobots, content); }
  void OnAltText(std::string_view text) override { Add(EventKind::kAltText, text); }

  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  void Clear() { events_.clear(); }

  /// The log without what `comparison` ignores.
  [[nodiscard]] std::vector<Event> Normalized(const Comparison& comparison) const;

 private:
  void Add(EventKind kind, std::string_view text = {});

  std::vector<Event> events_;
};

/// One line an event: `text "a"`, `block 4`, `end block`, `link "href" "rel"`, `break`. Control
/// characters and bytes outside of ASCII are escaped as \xNN.
[[nodiscard]] std::string Render(const Event& event);
/// The events in one line, short enough for a test's literal:
/// `[`, `]` blocks (`[4:` with hints), `(href)` and `/)` links, `|` break, 'text',
/// `title='...'`, `alt='...'`, `lang='...'`, `base='...'`, `canonical='...'`, `refresh='...'`,
/// `robots='...'`.
[[nodiscard]] std::string RenderShort(const std::vector<Event>& events);

/// The first event in which two logs differ, as `event 12: text "a" | end block`; nullopt: equal.
[[nodiscard]] std::optional<std::string> FirstDifference(const std::vector<Event>& left,
                                                         const std::vector<Event>& right);

/// A parse and what it reported.
struct ParsedLog {
  extract::ParseEnd end;
  EventLog log;
};
[[nodiscard]] ParsedLog ParseLog(extract::HtmlParser& parser, std::string_view html);

/// Limits that no test's page reaches, so that only the parser itself decides.
[[nodiscard]] extract::Limits WideLimits();

}  // namespace crawlsieve::html_check
