#include "plugin/judge/revisit.h"

#include "plugin/judge/page.h"
#include "plugin/schedule/fetch.h"
#include "plugin/verdict/comparison.h"

#include <chrono>
#include <cstdint>
#include <utility>

namespace crawlsieve {
namespace {

using schedule::Seconds;

Seconds SecondsOf(std::int64_t milliseconds) {
  return schedule::ClampedFetchTime(Timestamp{std::chrono::milliseconds(milliseconds)}, {});
}

/// What a fetch of a URL had.
struct Fetched {
  std::optional<DocumentRow>
      document;  ///< the live version that it is or repeats; nullopt: too short
  Comparison comparison;
  std::string content_checksum;
};

constexpr Comparison kSame{Comparison::Kind::kExact, 0, Score{Score::kOne}};

/// What the fetch at `time` of a URL had, if that is known still; `time`: nullopt: the last one.
/// `kept`: the URL's live version.
Result<std::optional<Fetched>> FetchedAt(const std::optional<Seconds>& time, const state::Url& url,
                                         const ShownTimes& shown,
                                         const std::optional<DocumentRow>& kept, RowReader& rows) {
  if (time.has_value() && kept.has_value() && SecondsOf(kept->record.first_seen_ms()) == *time) {
    return Fetched{*kept, kSame, kept->record.content_checksum()};
  }
  std::optional<Fetched> nothing;
  const bool is_known =
      url.fetches() > 0 && url.redirect() == 0 && !url.content_checksum().empty() &&
      (time.has_value() ? *time == shown.first || *time == shown.last : !url.was_unread());
  if (!is_known) return nothing;
  // Content that neither became a version nor repeated one.
  if (url.representative() == 0) return Fetched{std::nullopt, kSame, url.content_checksum()};
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto document, DocumentRow::Read(rows, DocId{url.representative()}));
  if (!document.has_value()) return nothing;
  Comparison comparison = kSame;
  if (document->record.content_checksum() != url.content_checksum()) {
    // Judged by earlier rules, which didn't keep it.
    if (url.near_similarity() == 0) return nothing;
    comparison = {Comparison::Kind::kNear, static_cast<int>(url.near_distance()),
                  Score{url.near_similarity()}};
  }
  return Fetched{std::move(document), comparison, url.content_checksum()};
}

/// The same of another URL.
Result<std::optional<Fetched>> FetchedOf(const std::string& key, Seconds time, RowReader& rows) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto url, UrlRow::Read(rows, key));
  if (!url.has_value()) return std::optional<Fetched>();
  schedule::UrlSchedule schedule;
  if (!url->record.schedule().empty()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(schedule, schedule::UrlSchedule::Decode(url->record.schedule()));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto kept, DocumentRow::Read(rows, DocId{url->record.kept()}));
  return FetchedAt(time, url->record, ShownTimes::Of(url->record, schedule.last_visit), kept, rows);
}

}  // namespace

ShownTimes ShownTimes::Of(const state::Url& url, Seconds last_visit) {
  const auto or_last_visit = [&](Seconds time) { return time != 0 ? time : last_visit; };
  return {or_last_visit(url.content_first()), or_last_visit(url.content_last())};
}

void ShownTimes::WriteTo(state::Url& url, Seconds last_visit) const {
  url.set_content_first(first == last_visit ? 0 : first);
  url.set_content_last(last == last_visit ? 0 : last);
}

Seconds ShownAt(const log::Page& page) { return SecondsOf(page.fetch_time_ms()); }

std::optional<std::string> RevisitedKey(const log::Page& page, Scope scope) {
  if (page.revisit_url().empty() || page.revisit_url() == page.canonical_url()) {
    return std::nullopt;
  }
  return UrlRow::Key(page.revisit_url(), page, scope);
}

Result<RevisitFinding> FindRevisited(const log::Page& page, const RevisitingUrl& url,
                                     const JudgeParameters& parameters, RowReader& rows) {
  RevisitFinding nothing;
  const std::optional<std::string> other = RevisitedKey(page, parameters.scope);
  std::optional<Seconds> time;
  if (page.has_revisit_time_ms()) time = SecondsOf(page.revisit_time_ms());
  std::optional<Fetched> fetched;
  if (!other.has_value()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(fetched, FetchedAt(time, url.record, url.shown, url.own, rows));
  } else if (time.has_value()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(fetched, FetchedOf(*other, *time, rows));
  }
  if (!fetched.has_value()) return nothing;
  if (!fetched->document.has_value()) {
    return RevisitFinding{{Reason::kTooShort, std::nullopt, {}, {}},
                          std::move(fetched->content_checksum)};
  }
  DocumentRow& document = *fetched->document;
  const bool is_exact = fetched->comparison.kind == Comparison::Kind::kExact;
  const auto found = [&fetched](Reason reason, DocumentRow match, const Comparison& comparison) {
    return RevisitFinding{{reason, std::move(match), comparison, {}},
                          std::move(fetched->content_checksum)};
  };
  // Near is said of one URL and another: it says nothing about a third.
  if (other.has_value() && !is_exact) return nothing;
  if (url.own.has_value() && url.own->id == document.id) {
    return found(Reason::kUnchanged, std::move(document), fetched->comparison);
  }
  if (document.record.scope() != ScopeOf(page, parameters.scope)) return nothing;
  if (is_exact && url.own.has_value()) {
    PageTraits traits = document.Traits();
    traits.item.url = page.canonical_url();
    const Comparison with_own = Compare(url.own->Traits(), traits, parameters);
    if (with_own.kind != Comparison::Kind::kDifferent) {
      return found(Reason::kUnchanged, *url.own, with_own);
    }
  }
  return found(is_exact ? Reason::kExactDuplicate : Reason::kNearDuplicate, std::move(document),
               fetched->comparison);
}

}  // namespace crawlsieve
