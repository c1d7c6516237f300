#include "plugin/judge/due_urls.h"

#include "plugin/judge/page.h"
#include "plugin/judge/rows.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace crawlsieve {
namespace {

using schedule::Seconds;

/// What keys of URLs of the host begin with, in their order.
std::vector<std::string> PrefixesOf(const std::string& host) {
  if (host.empty()) return {""};
  return {"http://" + host + "/", "http://" + host + ":", "https://" + host + "/",
          "https://" + host + ":"};
}

}  // namespace

bool IsMoreUrgent(const UrlScore& a, const UrlScore& b) {
  const auto rank = [](const UrlScore& due) {
    return std::tuple(Score::kOne - due.score.ten_thousandths, due.next_fetch,
                      std::string_view(due.url), std::string_view(due.crawl_id));
  };
  return rank(a) < rank(b);
}

UrlScore UrlScoreOf(const DueUrl& due, Timestamp as_of, std::uint64_t sequence) {
  UrlScore record;
  record.url = due.url;
  record.host = HostOfUrl(due.url);
  record.as_of = as_of;
  record.score = due.score.score;
  if (due.score.chance_of_change.has_value()) {
    record.components.push_back({"chance_of_change", *due.score.chance_of_change});
  }
  record.reason = due.reason;
  record.fetched = true;
  record.next_fetch =
      Timestamp{std::chrono::seconds(static_cast<std::int64_t>(due.score.next_fetch))};
  record.crawl_id = due.crawl_id;
  record.sequence = sequence;
  return record;
}

Result<DueCounts> ForEachDue(StateView& state, const DueOptions& options,
                             const std::function<Status(DueUrl&&)>& take) {
  const auto now = static_cast<Seconds>(
      std::chrono::floor<std::chrono::seconds>(options.before).time_since_epoch().count());
  StoredSchedules schedules(state.progress(), state);
  DueCounts counts;
  const auto look = [&](std::string_view key, std::string_view value) -> Status {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, UrlRow::Parse(key, value));
    if (!options.host.empty() && HostOfUrl(row.url()) != options.host) return {};
    ++counts.urls;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto schedule, schedules.Read(row));
    if (!schedule.has_value()) {
      ++counts.without_schedule;
      return {};
    }
    const StoredScore score = schedules.ScoreAt(*schedule, now);
    if (score.next_fetch > now) return {};
    ++counts.due;
    return take(
        {std::string(row.url()), std::string(row.crawl_id()), score, ReasonOf(schedule->url)});
  };
  std::size_t rows_left = options.most_urls;
  const auto visit = [&](std::string_view key, std::string_view value) -> Result<bool> {
    --rows_left;
    CRAWLSIEVE_RETURN_IF_ERROR(look(key, value));
    return counts.due < options.most_due && !(options.is_late && options.is_late());
  };
  std::optional<std::string_view> after;
  if (options.after.has_value()) after = *options.after;
  for (const std::string& prefix : PrefixesOf(options.host)) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(counts.last,
                                state.ForEachOf(Table::kUrls, {prefix, after, rows_left}, visit));
    if (counts.last.has_value()) break;
  }
  return counts;
}

void MostUrgent::Add(UrlScore&& due) {
  if (heap_.size() >= limit_) {
    if (heap_.empty() || !IsMoreUrgent(due, heap_.front())) return;
    std::pop_heap(heap_.begin(), heap_.end(), IsMoreUrgent);
    heap_.pop_back();
  }
  heap_.push_back(std::move(due));
  std::push_heap(heap_.begin(), heap_.end(), IsMoreUrgent);
}

std::vector<UrlScore> MostUrgent::Take() && {
  std::sort_heap(heap_.begin(), heap_.end(), IsMoreUrgent);
  return std::move(heap_);
}

}  // namespace crawlsieve
