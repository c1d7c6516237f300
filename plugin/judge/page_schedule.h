#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/rows.h"
#include "plugin/log/entry.pb.h"
#include "plugin/schedule/crawl_schedule.h"
#include "plugin/verdict/verdict.h"

#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve {

/// The schedules that one page concerns: those of its URL, its host and its path pattern. Read from
/// rows, changed by the page's fetch, and put into rows again. For one page; thread-compatible.
/// Borrows page and crawl.
class PageSchedule {
 public:
  PageSchedule(const log::Page& page, const schedule::CrawlSchedule& crawl);

  /// The row of the page's pattern, if anything can be in it; nullopt: nothing. Needs the host's
  /// row.
  [[nodiscard]] static std::optional<std::string> PatternKey(const log::Page& page,
                                                             const state::Host& host);

  /// Errors: kIo, kCorruption.
  [[nodiscard]] Status Read(const state::Url& url, const state::Host& host, RowReader& rows);

  [[nodiscard]] schedule::FetchClass result() const { return fetch_.result; }
  /// Whether the URL had a visit before, one that had content.
  [[nodiscard]] bool was_visited() const { return url_.last_visit != 0; }
  /// Whether anything is known of what the URL has: content, or that it has none.
  [[nodiscard]] bool was_answered() const {
    return was_visited() || url_.state != schedule::UrlState::kLive;
  }
  [[nodiscard]] schedule::Seconds time() const { return fetch_.time; }
  /// Of the URL; 0: none. After Take: with this page's.
  [[nodiscard]] schedule::Seconds last_visit() const { return url_.last_visit; }
  /// Whether the page was fetched before the latest visit of its URL. Such a page changes nothing.
  [[nodiscard]] bool is_outdated() const;
  /// Whether this fetch shows that the page is gone. Before Take.
  [[nodiscard]] bool finds_gone() const;

  /// The page has no body, but its content is known: it counts as a visit that had content. Before
  /// Take.
  void CountAsContent() { fetch_.result = schedule::FetchClass::kContent; }

  /// Takes the fetch. `changed`: whether it found other content than the visit before; nullopt:
  /// nothing to compare.
  void Take(std::optional<bool> changed);

  // What came of it, after Take.

  /// What the page changes of the crawl.
  [[nodiscard]] const schedule::CrawlChange& crawl_change() const { return taken_.change; }
  /// What the target of a permanent redirect takes over; nullopt: nothing.
  [[nodiscard]] const std::optional<schedule::UrlSchedule>& history() const { return history_; }
  /// Never below a second after the fetch.
  [[nodiscard]] Recrawl NextFetch(std::optional<bool> changed) const;
  /// How much a fetch will be due so long after this one: at least 0.5 if NextFetch isn't later.
  [[nodiscard]] Score ScoreAfter(schedule::Seconds seconds) const;
  void WriteTo(state::Url& url) const;
  /// Whether the record has changed.
  [[nodiscard]] bool WriteTo(state::Host& host) const;
  /// The row of the page's pattern, where that has changed.
  [[nodiscard]] std::optional<PatternRow> ChangedPatterns() const;

  /// What a tombstone takes out of the crawl's sums.
  [[nodiscard]] schedule::CrawlChange Forget() const {
    return schedule::CrawlSchedule::Forget(url_);
  }

 private:
  [[nodiscard]] schedule::IntervalBounds Bounds() const;

  const log::Page& page_;
  const schedule::CrawlSchedule& crawl_;
  const bool is_fetch_;  // and no tombstone
  const bool has_host_;  // pages of no host say nothing about each other
  std::string pattern_;  // empty where nothing needs it
  schedule::Fetch fetch_;
  schedule::UrlSchedule url_;
  schedule::HostSchedule host_;
  schedule::PatternSet patterns_;
  schedule::TakenFetch taken_;
  std::optional<schedule::UrlSchedule> history_;
};

}  // namespace crawlsieve
