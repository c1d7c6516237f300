#include "plugin/judge/stored_schedules.h"

#include "plugin/judge/page.h"
#include "plugin/schedule/fixed_point.h"
#include "plugin/schedule/path_pattern.h"

#include <algorithm>
#include <utility>

namespace crawlsieve {
namespace {

using schedule::Seconds;

/// 1 - e^(-rate * elapsed).
Score ChanceOfChange(schedule::LogRate rate, Seconds elapsed) {
  if (elapsed == 0) return Score{0};
  const schedule::Q32 unchanged =
      schedule::ExpMinus(schedule::Exp2Q32(rate + schedule::Log2Of(elapsed)));
  const schedule::Q32 changed = schedule::kQ32One - std::min(unchanged, schedule::kQ32One);
  return Score{static_cast<std::uint32_t>(changed * Score::kOne >> 32)};
}

}  // namespace

Result<std::optional<StoredSchedule>> StoredSchedules::Read(const UrlRow& row) {
  if (row.record.schedule().empty()) return std::optional<StoredSchedule>();
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto url, schedule::UrlSchedule::Decode(row.record.schedule()));
  CRAWLSIEVE_RETURN_IF_ERROR(ReadHost(HostOfUrl(row.url())));
  std::string pattern = schedule::PathPattern(row.url());
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto* patterns, ReadPatterns(pattern));
  return std::optional(
      StoredSchedule{url, host_->schedule, *patterns, std::move(pattern),
                     schedule::BoundsOf(progress_.crawl.options(), host_->name, row.url())});
}

Status StoredSchedules::ReadHost(std::string_view name) {
  if (host_.has_value() && host_->name == name) return {};
  host_.reset();
  Host host{std::string(name), {}, {}};
  // Pages of no host say nothing about each other.
  if (!name.empty()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, HostRow::Read(rows_, name));
    if (row.has_value() && !row->record.schedule().empty()) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(host.schedule,
                                  schedule::HostSchedule::Decode(row->record.schedule()));
    }
  }
  host_ = std::move(host);
  return {};
}

Result<const schedule::PatternSet*> StoredSchedules::ReadPatterns(std::string_view pattern) {
  static const schedule::PatternSet kNone;
  if (!host_->schedule.has_visits()) return &kNone;
  std::string key = PatternRow::Key(host_->name, pattern);
  const auto known = host_->patterns.find(key);
  if (known != host_->patterns.end()) return &known->second;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto row, PatternRow::Read(rows_, key));
  schedule::PatternSet set = row.has_value() ? std::move(row->patterns) : schedule::PatternSet();
  return &host_->patterns.emplace(std::move(key), std::move(set)).first->second;
}

StoredScore StoredSchedules::ScoreAt(const StoredSchedule& schedule, Seconds now) const {
  const schedule::CrawlSchedule& crawl = progress_.crawl;
  StoredScore score;
  schedule::LogRate rate = 0;
  if (schedule.url.has_rate()) {
    rate = crawl.RateOf(schedule.url, schedule.host, schedule.patterns, schedule.pattern);
    score.chance_of_change = ChanceOfChange(rate, now - std::min(now, schedule.url.last_visit));
  }
  score.next_fetch = crawl.NextFetch(schedule.url, schedule.host, rate, schedule.bounds);
  score.score = crawl.ScoreAt(schedule.url, schedule.host, rate, now, schedule.bounds);
  return score;
}

std::string_view ReasonOf(const schedule::UrlSchedule& schedule) {
  return schedule.failures > 0 ? "failed" : NameOf(schedule.state);
}

}  // namespace crawlsieve
