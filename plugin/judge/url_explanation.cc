#include "plugin/judge/url_explanation.h"

#include "plugin/judge/due_urls.h"
#include "plugin/judge/page.h"
#include "plugin/judge/page_scores.h"
#include "plugin/judge/page_site.h"
#include "plugin/judge/rows.h"
#include "plugin/site/url_parts.h"

#include <chrono>
#include <utility>

namespace crawlsieve {
namespace {

using schedule::Seconds;
using schedule::UrlState;

KeptVersion VersionOf(const DocumentRow& document) {
  KeptVersion version;
  version.sequence = document.id.sequence;
  version.url = document.record.canonical_url();
  version.id = document.record.id();
  version.first_seen = Timestamp{std::chrono::milliseconds(document.record.first_seen_ms())};
  version.cluster_size = document.record.cluster_size();
  version.features = document.record.features();
  return version;
}

/// The explanation of one URL, part by part.
class Explaining {
 public:
  Explaining(const ExplainedUrl& asked, const FoldProgress& progress, RowReader& rows)
      : asked_(asked), progress_(progress), rows_(rows), schedules_(progress, rows) {}

  [[nodiscard]] Result<UrlExplanation> Take() && {
    const JudgeParameters parameters = progress_.parameters.value_or(JudgeParameters());
    explanation_.url = asked_.url;
    explanation_.crawl_id = parameters.scope == Scope::kCrawl ? asked_.crawl_id : "";
    explanation_.sequence = progress_.sequence;
    CRAWLSIEVE_ASSIGN_OR_RETURN(
        const auto row,
        UrlRow::Read(rows_, UrlRow::Key(asked_.url, asked_.crawl_id, parameters.scope)));
    CRAWLSIEVE_RETURN_IF_ERROR(AddHost());
    CRAWLSIEVE_RETURN_IF_ERROR(AddSite(parameters.sites.max));
    if (row.has_value()) {
      CRAWLSIEVE_RETURN_IF_ERROR(AddSchedule(*row));
      CRAWLSIEVE_RETURN_IF_ERROR(AddHistory(row->record, parameters.cluster_budget > 1));
    } else {
      SetScoreOfUnfetched();
    }
    return std::move(explanation_);
  }

 private:
  [[nodiscard]] Seconds now() const {
    return static_cast<Seconds>(
        std::chrono::floor<std::chrono::seconds>(asked_.now).time_since_epoch().count());
  }

  Status AddHost() {
    const std::string_view host = HostOfUrl(asked_.url);
    if (host.empty()) return {};
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, HostRow::Read(rows_, host));
    if (!row.has_value()) return {};
    explanation_.host_pages = row->record.pages();
    explanation_.host_duplicates = row->record.duplicates();
    return {};
  }

  Status AddSite(std::uint64_t max_sites) {
    const std::string_view name = site::SiteOf(asked_.url);
    if (name.empty()) return {};
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto known, ReadSite(name, max_sites, rows_));
    const site::Site site = known.has_value() ? known->site : site::Site();
    SiteEvidence& evidence = explanation_.site.emplace();
    evidence.name = name;
    evidence.is_known = known.has_value();
    evidence.patterns = site.PatternsOf(asked_.url);
    evidence.of_site = site.counts();
    evidence.of_shape = site.patterns().Find(evidence.patterns.shape);
    evidence.of_pattern = site.patterns().Find(evidence.patterns.pattern);
    evidence.of_folder = site.patterns().Find(evidence.patterns.folder);
    evidence.average = progress_.sites.Expect({});
    evidence.is_explored = site::IsExplored(asked_.url);
    evidence.steps =
        site.StepsOf(evidence.patterns, asked_.path_depth, evidence.is_explored, evidence.average);
    evidence.advice = site.AdviceFor(asked_.url, asked_.path_depth, evidence.average);
    if (evidence.advice.ground == site::Ground::kUrlRule) {
      evidence.rule = *site.RuleAdviceFor(asked_.url)->rule;
    }
    return {};
  }

  void SetScoreOfUnfetched() {
    UrlScore& score = explanation_.score.emplace();
    score.url = asked_.url;
    score.host = HostOfUrl(asked_.url);
    score.as_of = asked_.now;
    score.score = Score{Score::kOne / 2};
    score.reason = "none";
    score.depth = asked_.path_depth;
    score.crawl_id = explanation_.crawl_id;
    score.sequence = explanation_.sequence;
    if (explanation_.site.has_value()) {
      const SiteEvidence& site = *explanation_.site;
      SetAdvice(site::Advice(site.advice), site.average, score);
    }
  }

  Status AddSchedule(const UrlRow& row) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto stored, schedules_.Read(row));
    if (!stored.has_value()) return {};
    ScheduleEvidence& evidence = explanation_.schedule.emplace();
    evidence.url = stored->url;
    evidence.pattern = stored->pattern;
    if (const auto* const like = stored->patterns.Find(stored->pattern); like != nullptr) {
      evidence.pattern_visits = like->visits;
    }
    if (stored->url.has_rate()) {
      evidence.rates =
          progress_.crawl.RateStepsOf(stored->url, stored->host, stored->patterns, stored->pattern);
    }
    evidence.host_paused_until = stored->host.paused_until();
    evidence.score = schedules_.ScoreAt(*stored, now());
    explanation_.score =
        UrlScoreOf({asked_.url, explanation_.crawl_id, evidence.score, ReasonOf(stored->url)},
                   asked_.now, explanation_.sequence);
    return {};
  }

  Status AddHistory(const state::Url& url, bool has_budget) {
    UrlHistory& history = explanation_.history.emplace();
    history.fetches = url.fetches();
    history.changes = url.changes();
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto own, DocumentRow::Read(rows_, DocId{url.kept()}));
    if (own.has_value()) history.kept = VersionOf(*own);
    if (url.representative() != url.kept()) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto other,
                                  DocumentRow::Read(rows_, DocId{url.representative()}));
      history.repeats_retired = url.representative() != 0 && !other.has_value();
      if (other.has_value()) {
        history.repeats = VersionOf(*other);
        history.repeats_exactly = other->record.content_checksum() == url.content_checksum();
      }
    }
    history.last_reasons = ReasonsOfFetch(url);
    if (history.last_reasons.empty() && url.fetches() > 0) {
      history.last_reasons = ReasonsOfContent(url, history, has_budget);
    }
    return {};
  }

  /// What the last verdict was if it wasn't about content.
  [[nodiscard]] std::vector<Reason> ReasonsOfFetch(const state::Url& url) const {
    if (!explanation_.schedule.has_value()) return {};
    const schedule::UrlSchedule& schedule = explanation_.schedule->url;
    if (schedule.failures > 0) return {Reason::kErrorStatus, Reason::kNotEvaluated};
    switch (schedule.state) {
      case UrlState::kMissing:
        return {Reason::kErrorStatus};
      case UrlState::kGone:
        return {Reason::kGone};
      case UrlState::kMoved:
        return {Reason::kRedirect};
      case UrlState::kLive:
        break;
    }
    if (url.redirect() != 0) return {Reason::kRedirect, Reason::kNotModified};
    if (url.fetches() == 0 && schedule.last_visit != 0) return {Reason::kNotModified};
    return {};
  }

  /// Whether the URL's kept version came with its last visit; nullopt: nothing says. Fetch times
  /// that were moved say no where it did.
  [[nodiscard]] std::optional<bool> CameWithLastVisit(const KeptVersion& kept) const {
    if (!explanation_.schedule.has_value()) return std::nullopt;
    const auto first_seen =
        std::chrono::floor<std::chrono::seconds>(kept.first_seen).time_since_epoch().count();
    return static_cast<Seconds>(first_seen) == explanation_.schedule->url.last_visit;
  }

  [[nodiscard]] std::vector<Reason> ReasonsOfContent(const state::Url& url, UrlHistory& history,
                                                     bool has_budget) const {
    std::vector<Reason> reasons;
    if (history.kept.has_value()) {
      const std::optional<bool> is_last = CameWithLastVisit(*history.kept);
      if (is_last != false && history.kept->features == 0) reasons.push_back(Reason::kNotHtml);
      if (is_last != false && history.kept->features > 0) {
        reasons.insert(reasons.end(), {Reason::kUnique, Reason::kUpdated});
      }
      if (is_last != true) reasons.push_back(Reason::kUnchanged);
    } else if (history.repeats.has_value() || history.repeats_retired) {
      if (history.repeats_retired || history.repeats_exactly) {
        reasons.push_back(Reason::kExactDuplicate);
      }
      if (!history.repeats_exactly) reasons.push_back(Reason::kNearDuplicate);
      if (has_budget) reasons.push_back(Reason::kClusterBudget);
    } else {
      reasons.push_back(Reason::kTooShort);
      history.may_be_adopted = url.representative() == 0;
    }
    if (url.fetches() > 1) reasons.push_back(Reason::kNotModified);
    return reasons;
  }

  const ExplainedUrl& asked_;
  const FoldProgress& progress_;
  RowReader& rows_;
  StoredSchedules schedules_;
  UrlExplanation explanation_;
};

}  // namespace

Result<std::vector<std::string>> CrawlsThatKnow(const std::string& url, std::size_t most,
                                                StateView& state) {
  std::vector<std::string> crawls;
  const std::string prefix = UrlRow::Key(url, "", Scope::kCrawl);
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      const auto last,
      state.ForEachOf(Table::kUrls, {prefix, std::nullopt, most},
                      [&](std::string_view key, std::string_view /*value*/) -> Result<bool> {
                        crawls.emplace_back(key.substr(prefix.size()));
                        return true;
                      }));
  static_cast<void>(last);
  return crawls;
}

Result<UrlExplanation> Explain(const ExplainedUrl& asked, const FoldProgress& progress,
                               RowReader& rows) {
  return Explaining(asked, progress, rows).Take();
}

}  // namespace crawlsieve
