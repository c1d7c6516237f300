#include "plugin/judge/asked_url.h"

#include "plugin/judge/due_urls.h"
#include "plugin/judge/page_scores.h"
#include "plugin/judge/page_site.h"
#include "plugin/judge/rows.h"
#include "plugin/schedule/fetch.h"
#include "plugin/site/site.h"
#include "plugin/site/url_parts.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace crawlsieve {
namespace {

/// Of a URL that was last fetched under rules that had no dates.
constexpr std::string_view kNoDate = "no_date";

Timestamp OfSeconds(schedule::Seconds seconds) {
  return Timestamp{std::chrono::seconds(static_cast<std::int64_t>(seconds))};
}

}  // namespace

AskedUrl AskedUrlOf(const log::Question& question) {
  AskedUrl asked;
  asked.url = question.url();
  asked.host = question.host();
  const std::size_t size = question.registered_domain_bytes();
  asked.registered_domain =
      asked.host.substr(asked.host.size() - std::min(size, asked.host.size()));
  asked.path_depth = question.path_depth();
  if (question.has_depth()) asked.depth = question.depth();
  asked.parent_url = question.parent_url();
  asked.crawl_id = question.crawl_id();
  asked.as_of = OfSeconds(schedule::ClampedFetchTime(
      Timestamp{std::chrono::milliseconds(question.asked_ms())},
      Timestamp{std::chrono::milliseconds(question.source().timestamp_ms())}));
  return asked;
}

Result<UrlScore> UrlScorer::ScoreOf(const AskedUrl& asked) {
  const JudgeParameters parameters = progress_.parameters.value_or(JudgeParameters());
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      const auto row,
      UrlRow::Read(rows_, UrlRow::Key(asked.url, asked.crawl_id, parameters.scope)));
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      auto score, row.has_value() ? ScoreOfFetched(asked, *row) : ScoreOfUnfetched(asked));
  score.url = asked.url;
  score.host = asked.host;
  score.registered_domain = asked.registered_domain;
  score.as_of = asked.as_of;
  if (asked.parent_url != asked.url) score.parent_url = asked.parent_url;
  score.crawl_id = asked.crawl_id;
  score.sequence = progress_.sequence;
  return score;
}

Result<UrlScore> UrlScorer::ScoreOfFetched(const AskedUrl& asked, const UrlRow& row) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto stored, schedules_.Read(row));
  UrlScore score;
  if (stored.has_value()) {
    const auto now = static_cast<schedule::Seconds>(
        std::chrono::floor<std::chrono::seconds>(asked.as_of).time_since_epoch().count());
    score = UrlScoreOf(
        {asked.url, asked.crawl_id, schedules_.ScoreAt(*stored, now), ReasonOf(stored->url)},
        asked.as_of, progress_.sequence);
  } else {
    // Nothing says when: now is as good as any time.
    score.fetched = true;
    score.next_fetch = asked.as_of;
    score.score = Score{Score::kOne / 2};
    score.reason = kNoDate;
  }
  score.depth = asked.depth;
  return score;
}

Result<UrlScore> UrlScorer::ScoreOfUnfetched(const AskedUrl& asked) {
  const std::uint64_t max_sites = progress_.parameters ? progress_.parameters->sites.max : 0;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const site::Site* const known,
                              sites_.Find(site::SiteOf(asked.url), max_sites, rows_));
  static const site::Site kUnknown;
  const site::Expected average = progress_.sites.Expect({});
  const std::uint32_t depth = asked.depth.value_or(asked.path_depth);
  UrlScore score;
  SetAdvice((known != nullptr ? *known : kUnknown).AdviceFor(asked.url, depth, average), average,
            score);
  score.depth = depth;
  return score;
}

void NameRowsOfQuestion(const log::Question& question, const JudgeParameters& parameters,
                        const RowNamer& name) {
  name(Table::kUrls, UrlRow::Key(question.url(), question.crawl_id(), parameters.scope));
  if (question.host().empty()) return;
  name(Table::kHosts, question.host());
  if (parameters.sites.max == 0) return;
  const std::string_view site = site::SiteOf(question.url());
  const SiteSlot slot = SiteSlot::Of(site, parameters.sites.max);
  name(Table::kHosts, SiteSlotRow::Key(slot));
  name(Table::kHosts, SiteRow::Key(slot));
  for (const std::string& owner : LatestPagesOwnersOf(site)) {
    if (owner != question.host()) name(Table::kHosts, owner);
  }
}

}  // namespace crawlsieve
