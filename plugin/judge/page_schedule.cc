#include "plugin/judge/page_schedule.h"

#include "plugin/judge/page_fetch.h"
#include "plugin/schedule/path_pattern.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace crawlsieve {
namespace {

using schedule::FetchClass;
using schedule::FetchEffect;

/// Keys of pattern rows are the host's name, a NUL and a byte: no name may have a NUL.
bool HasHost(const log::Page& page) {
  return !page.host().empty() && page.host().find('\0') == std::string::npos;
}

bool LeadsOn(FetchClass result) {
  return result == FetchClass::kPermanentRedirect || result == FetchClass::kTemporaryRedirect;
}

template <typename Value>
Status DecodeInto(std::string_view bytes, Value& value) {
  if (bytes.empty()) return {};
  auto decoded = Value::Decode(bytes);
  if (!decoded) return tl::unexpected(decoded.error());
  value = std::move(*decoded);
  return {};
}

}  // namespace

PageSchedule::PageSchedule(const log::Page& page, const schedule::CrawlSchedule& crawl)
    : page_(page),
      crawl_(crawl),
      is_fetch_(page.outcome() != log::OUTCOME_DELETED),
      has_host_(HasHost(page)),
      fetch_(is_fetch_ ? FetchOf(page) : schedule::Fetch()) {}

std::optional<std::string> PageSchedule::PatternKey(const log::Page& page,
                                                    const state::Host& host) {
  if (page.outcome() == log::OUTCOME_DELETED || !HasHost(page) || host.schedule().empty()) {
    return std::nullopt;
  }
  const auto decoded = schedule::HostSchedule::Decode(host.schedule());
  if (!decoded || !decoded->has_visits()) return std::nullopt;
  return PatternRow::Key(page.host(), schedule::PathPattern(page.canonical_url()));
}

Status PageSchedule::Read(const state::Url& url, const state::Host& host, RowReader& rows) {
  if (auto read = DecodeInto(url.schedule(), url_); !read) return read;
  if (!is_fetch_ || !has_host_) return {};
  if (auto read = DecodeInto(host.schedule(), host_); !read) return read;
  // Nothing is known of patterns, and none will be: most pages of a crawl that begins.
  if (!host_.has_visits() && !was_visited() && !LeadsOn(fetch_.result)) return {};
  pattern_ = schedule::PathPattern(page_.canonical_url());
  if (!host_.has_visits()) return {};
  auto patterns = PatternRow::Read(rows, PatternRow::Key(page_.host(), pattern_));
  if (!patterns) return tl::unexpected(patterns.error());
  if (patterns->has_value()) patterns_ = std::move((*patterns)->patterns);
  return {};
}

bool PageSchedule::is_outdated() const { return is_fetch_ && fetch_.time < url_.last_visit; }

bool PageSchedule::finds_gone() const {
  schedule::UrlSchedule url = url_;
  const schedule::ScheduleOptions& options = crawl_.options();
  return schedule::TakeFetch(url, fetch_, options.retry, options.half_lives).effect ==
         FetchEffect::kGone;
}

void PageSchedule::Take(std::optional<bool> changed) {
  fetch_.changed = changed.value_or(false);
  if (LeadsOn(fetch_.result) && has_host_ && !is_outdated() && !page_.redirect_target().empty() &&
      page_.redirect_host() == page_.host()) {
    host_.AddRedirect(page_.canonical_url(), pattern_, page_.redirect_target());
  }
  taken_ = crawl_.Take(url_, host_, patterns_, pattern_, fetch_);
  const auto& history = taken_.outcome.history;
  if (history.has_value() && history->last_visit != 0 && IsOwnTarget(page_) &&
      !host_.IsSink(page_.redirect_target())) {
    history_ = history;
  }
}

schedule::IntervalBounds PageSchedule::Bounds() const {
  return schedule::BoundsOf(crawl_.options(), page_.host(), page_.canonical_url());
}

Recrawl PageSchedule::NextFetch(std::optional<bool> changed) const {
  const schedule::Seconds next =
      std::max(crawl_.NextFetch(url_, host_, taken_.rate, Bounds()), fetch_.time + 1);
  return {changed, Timestamp{std::chrono::seconds(static_cast<std::int64_t>(next))},
          next - fetch_.time};
}

Score PageSchedule::ScoreAfter(schedule::Seconds seconds) const {
  return crawl_.ScoreAt(url_, host_, taken_.rate, fetch_.time + seconds, Bounds());
}

void PageSchedule::WriteTo(state::Url& url) const {
  url.set_schedule(url_.Encode());
  url.clear_interval_seconds();
}

bool PageSchedule::WriteTo(state::Host& host) const {
  if (!has_host_) return false;
  std::string bytes = host_.Encode();
  if (bytes == host.schedule()) return false;
  host.set_schedule(std::move(bytes));
  return true;
}

std::optional<PatternRow> PageSchedule::ChangedPatterns() const {
  if (!has_host_ || !taken_.change.visit.has_value()) return std::nullopt;
  return PatternRow{PatternRow::Key(page_.host(), pattern_), patterns_};
}

}  // namespace crawlsieve
