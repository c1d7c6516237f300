#include "plugin/judge/decision.h"

#include "plugin/base/result.h"
#include "plugin/judge/fold_version.h"
#include "plugin/judge/page.h"
#include "plugin/judge/page_fetch.h"
#include "plugin/judge/page_mirrors.h"
#include "plugin/judge/page_schedule.h"
#include "plugin/judge/revisit.h"
#include "plugin/schedule/text_hash.h"
#include "plugin/site/url_parts.h"
#include "plugin/verdict/preference.h"
#include "plugin/verdict/priority.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

SiteRules SiteRulesOf(const JudgeParameters& parameters, std::uint32_t fold_version) {
  SiteRules rules{parameters.sites.max};
  if (fold_version < kFoldVersionOfLatestParts) {
    rules.layout = site::LatestLayout::kInHost;
  } else if (fold_version < kFoldVersionOfLatestRows) {
    rules.layout = site::LatestLayout::kParts;
  } else if (fold_version < kFoldVersionOfMoreLatestPages) {
    rules.layout = site::LatestLayout::kPages;
  }
  return rules;
}

/// Whether the page says itself that it stands for another URL of its site.
bool HasCanonicalLink(const log::Page& page) {
  const std::string& target = page.canonical_link();
  return !target.empty() && target != page.canonical_url() &&
         site::SiteOf(target) == site::SiteOf(page.canonical_url());
}

/// Lets a URL compete for the preferred one of a cluster. Whether the record has changed.
bool Prefer(std::string_view url, Score score, const std::vector<UrlPreference>& preferences,
            state::Document& document) {
  bool has_changed = false;
  const auto set_score = [&](std::uint32_t before, auto set) {
    if (before == score.ten_thousandths) return;
    (document.*set)(score.ten_thousandths);
    has_changed = true;
  };
  if (url == document.canonical_url()) set_score(document.score(), &state::Document::set_score);
  if (url == document.preferred_url()) {
    set_score(document.preferred_score(), &state::Document::set_preferred_score);
  }
  const bool is_own = document.preferred_url().empty();
  const ClusterUrl preferred{is_own ? document.canonical_url() : document.preferred_url(),
                             Score{is_own ? document.score() : document.preferred_score()}};
  if (url == preferred.url || !GoesBefore({url, score}, preferred, preferences)) return has_changed;
  if (url == document.canonical_url()) {
    document.clear_preferred_url();
    document.clear_preferred_score();
  } else {
    document.set_preferred_url(std::string(url));
    document.set_preferred_score(score.ten_thousandths);
  }
  return true;
}

/// The judging of one page, step by step. Each step needs those before it.
class Judging {
 public:
  Judging(const log::Page& page, DocId id, const JudgeRules& rules, JudgeView& view,
          PageDecision& decision)
      : page_(page),
        id_(id),
        parameters_(rules.parameters),
        fold_version_(rules.fold_version),
        view_(view),
        decision_(decision),
        has_content_(HasContent(page)),
        content_checksum_(&page.content_checksum()) {
    if (fold_version_ >= kFoldVersionOfSchedules) schedule_.emplace(page, rules.crawl);
  }

  [[nodiscard]] Status Run() {
    for (const auto step : {&Judging::ReadUrl, &Judging::ReadHost, &Judging::FindReason,
                            &Judging::ChangeClusters, &Judging::LeaveCluster, &Judging::LearnOfSite,
                            &Judging::NoteFetch, &Judging::LearnOfMirrors, &Judging::TakeFetch,
                            &Judging::CountForHost, &Judging::SetPriority, &Judging::SetRecrawl}) {
      CRAWLSIEVE_RETURN_IF_ERROR((this->*step)());
    }
    return {};
  }

 private:
  Status ReadUrl() {
    std::string key = UrlRow::Key(page_, parameters_.scope);
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto read, UrlRow::Read(view_, key));
    is_known_ = read.has_value();
    decision_.url = is_known_ ? std::move(*read) : UrlRow{std::move(key), {}};
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto own, DocumentRow::Read(view_, DocId{url().kept()}));
    own_ = std::move(own);
    return {};
  }

  Status ReadHost() {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto read, HostRow::Read(view_, page_.host()));
    host_ = read.has_value() ? std::move(*read) : HostRow{page_.host(), {}};
    if (!schedule_.has_value()) return {};
    CRAWLSIEVE_RETURN_IF_ERROR(schedule_->Read(url(), host_.record, view_));
    shown_ = ShownTimes::Of(url(), schedule_->last_visit());
    return {};
  }

  /// The reason of a page that was fetched too late to count, or of a fetch that failed.
  [[nodiscard]] std::optional<Reason> ReasonOfFetch() const {
    if (!schedule_.has_value()) return std::nullopt;
    if (schedule_->is_outdated()) return Reason::kOutdated;
    if (page_.outcome() != log::OUTCOME_ERROR_STATUS) return std::nullopt;
    switch (schedule_->result()) {
      case schedule::FetchClass::kNotModified:
        return Reason::kNotModified;
      case schedule::FetchClass::kPermanentRedirect:
      case schedule::FetchClass::kTemporaryRedirect:
        return Reason::kRedirect;
      case schedule::FetchClass::kNotFound:
      case schedule::FetchClass::kGone:
        return schedule_->finds_gone() ? Reason::kGone : Reason::kErrorStatus;
      default:
        return Reason::kErrorStatus;
    }
  }

  Status FindReason() {
    Finding found;
    if (const std::optional<Reason> of_fetch = ReasonOfFetch()) {
      found.reason = *of_fetch;
    } else if (page_.outcome() == log::OUTCOME_REVISIT && fold_version_ >= kFoldVersionOfRevisits) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(auto revisit,
                                  FindRevisited(page_, {url(), shown_, own_}, parameters_, view_));
      found = std::move(revisit.finding);
      if (found.reason != Reason::kNotEvaluated) {
        has_content_ = true;
        revisit_checksum_ = std::move(revisit.content_checksum);
        content_checksum_ = &revisit_checksum_;
        schedule_->CountAsContent();
      }
    } else {
      CRAWLSIEVE_ASSIGN_OR_RETURN(found,
                                  FindMatch(page_, own_, parameters_, view_, decision_.work));
    }
    reason_ = found.reason;
    comparison_ = found.comparison;
    neighbours_ = found.neighbours;
    if (found.match.has_value()) {
      representative_ = std::move(found.match);
      // Another URL's content: a page of that cluster, for the first time or back again.
      joins_ = url().representative() != representative_->id.sequence;
      if (joins_ && reason_ != Reason::kUnchanged &&
          representative_->record.cluster_size() < parameters_.cluster_budget) {
        reason_ = Reason::kClusterBudget;
      }
    }
    decision_.verdict.sequence = id_.sequence;
    decision_.verdict.reason = reason_;
    return {};
  }

  /// Retires the URL's own version, and begins a cluster or joins one.
  Status ChangeClusters() {
    const Rule& rule = RuleFor(reason_);
    const bool retires_own = rule.retires_own || (reason_ == Reason::kNotEvaluated &&
                                                  fold_version_ < kFoldVersionOfUnknownContent);
    if (retires_own && own_.has_value()) {
      decision_.retired = std::move(own_);
      url().set_kept(0);
    }
    Verdict& verdict = decision_.verdict;
    if (rule.inserts) {
      representative_ = DocumentRow::Of(page_, id_, ScopeOf(page_, parameters_.scope));
      if (learns_of_sites()) representative_->record.set_bytes(ByteMarkOf(page_));
      url().set_kept(id_.sequence);
      verdict.cluster = Cluster{id_, 1, {}};
    } else if (representative_.has_value()) {
      state::Document& record = representative_->record;
      if (joins_) record.set_cluster_size(record.cluster_size() + 1);
      is_changed_ = joins_;
      verdict.cluster = Cluster{representative_->id, record.cluster_size(), {}};
      verdict.match = VerdictMatch{representative_->id,
                                   record.id(),
                                   record.url(),
                                   comparison_.kind == Comparison::Kind::kExact,
                                   comparison_.distance,
                                   comparison_.similarity,
                                   Timestamp{std::chrono::milliseconds(record.first_seen_ms())}};
    }
    return {};
  }

  /// A URL that shows something else is no longer the preferred one of the cluster it was in: the
  /// representative's own is.
  Status LeaveCluster() {
    const DocId before{url().representative()};
    const bool tells_of_content = has_content_ || page_.outcome() == log::OUTCOME_DELETED;
    if (!tells_of_content || reason_ == Reason::kOutdated || before.sequence == 0 ||
        before == representative()) {
      return {};
    }
    if (decision_.retired.has_value() && decision_.retired->id == before) return {};
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto left, DocumentRow::Read(view_, before));
    if (!left.has_value() || left->record.preferred_url() != page_.canonical_url()) return {};
    left->record.clear_preferred_url();
    left->record.clear_preferred_score();
    decision_.left = std::move(left);
    return {};
  }

  /// What the page says about URLs of its site. Needs the URL's history as it was before.
  Status LearnOfSite() {
    if (!learns_of_sites()) return {};
    is_first_fetch_ = !schedule_->was_answered() && url().fetches() == 0;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_alias, IsAlias());
    const auto observation =
        ObservationOf({page_, decision_.verdict, schedule_->result(), neighbours_, is_first_fetch_,
                       is_alias, SimhashOfContent(), schedule_->time()});
    if (!observation.has_value()) return {};
    return crawlsieve::LearnOfSite(*observation, host_, SiteRulesOf(parameters_, fold_version_),
                                   view_, decision_.site);
  }

  /// Whether the URL that the page says it stands for has its content.
  [[nodiscard]] Result<bool> IsAlias() {
    if (fold_version_ < kFoldVersionOfAliases || !is_first_fetch_ ||
        !decision_.verdict.match.has_value() || !HasCanonicalLink(page_)) {
      return false;
    }
    CRAWLSIEVE_ASSIGN_OR_RETURN(
        const auto row,
        UrlRow::Read(view_, UrlRow::Key(page_.canonical_link(), page_, parameters_.scope)));
    return row.has_value() && DocId{row->record.representative()} == representative();
  }

  [[nodiscard]] std::uint64_t SimhashOfContent() const {
    const bool has_none = page_.outcome() == log::OUTCOME_REVISIT && representative_.has_value();
    return has_none ? representative_->record.simhash() : page_.simhash();
  }

  /// What the fetch adds to the history of its URL.
  Status NoteFetch() {
    if (reason_ == Reason::kOutdated) return {};
    if (has_content_) {
      NoteContent();
    } else if (schedule_.has_value()) {
      NoteVisitWithoutContent();
      if (reason_ == Reason::kNotEvaluated && fold_version_ >= kFoldVersionOfRevisits) {
        url().set_was_unread(true);
      }
    }
    if (page_.outcome() == log::OUTCOME_DELETED) {
      decision_.url_change = PageDecision::UrlChange::kDelete;
    } else if (is_known_ || has_content_ || schedule_.has_value()) {
      decision_.url_change = PageDecision::UrlChange::kWrite;
    }
    return {};
  }

  /// What the page says about other hosts. Its verdict has match and cluster, and the URL's row
  /// says how long it has had its content.
  Status LearnOfMirrors() {
    SiteChange& change = decision_.site;
    if (change.site.empty()) return {};
    const bool has_match = decision_.verdict.match.has_value();
    state::Host& host = change.owner.has_value() ? change.owner->record : host_.record;
    CRAWLSIEVE_ASSIGN_OR_RETURN(
        const bool is_news,
        crawlsieve::LearnOfMirrors(
            {page_, decision_.verdict, has_match ? &representative_->record : nullptr,
             is_first_fetch_, has_changed_ == false, shown_, parameters_.scope},
            host, view_));
    change.is_news = change.is_news || is_news;
    return {};
  }

  void NoteContent() {
    // A fetch that was redirected here says what the page shows, but is no refetch of its URL.
    const bool is_refetch = !schedule_.has_value() || !page_.was_redirected();
    if (fold_version_ >= kFoldVersionOfRevisits) NoteShown();
    // A URL whose fetches had no content so far has nothing to compare with.
    if (url().fetches() > 0 || url().redirect() != 0) {
      // Not the same bytes, but judged to repeat what the fetch before was or repeated: the same.
      const bool repeats_the_last =
          representative_.has_value() && url().representative() == representative().sequence;
      has_changed_ = url().redirect() != 0 ||
                     (url().content_checksum() != *content_checksum_ && !repeats_the_last);
      if (*has_changed_ && is_refetch) url().set_changes(url().changes() + 1);
    }
    if (!schedule_.has_value()) {
      url().set_interval_seconds(
          has_changed_.has_value()
              ? NextInterval(parameters_.recrawl, url().interval_seconds(), *has_changed_)
              : parameters_.recrawl.initial_seconds);
    }
    if (is_refetch || url().fetches() == 0) url().set_fetches(url().fetches() + 1);
    url().set_representative(representative().sequence);
    url().set_content_checksum(*content_checksum_);
    url().clear_redirect();
  }

  /// When the URL had the content, and how near that is to what it repeats: for revisit records.
  void NoteShown() {
    shown_.last = ShownAt(page_);
    const bool is_same = url().fetches() > 0 && url().redirect() == 0 &&
                         url().content_checksum() == *content_checksum_;
    if (!is_same) shown_.first = shown_.last;
    const bool is_near = comparison_.kind == Comparison::Kind::kNear;
    url().clear_was_unread();
    url().set_near_distance(is_near ? static_cast<std::uint32_t>(comparison_.distance) : 0);
    url().set_near_similarity(is_near ? comparison_.similarity.ten_thousandths : 0);
  }

  void NoteVisitWithoutContent() {
    if (reason_ == Reason::kNotModified) {
      if (schedule_->was_visited()) has_changed_ = false;
      if (url().redirect() == 0) shown_.last = ShownAt(page_);
      if (url().fetches() > 0) url().set_fetches(url().fetches() + 1);
    } else if (schedule_->result() == schedule::FetchClass::kTemporaryRedirect) {
      const std::uint64_t target = schedule::TextHash(page_.redirect_target()) | 1;
      if (schedule_->was_visited()) has_changed_ = url().redirect() != target;
      url().set_redirect(target);
    }
  }

  /// The schedules of URL, host and pattern, and what moves on to the target of a redirect.
  Status TakeFetch() {
    if (!schedule_.has_value()) return {};
    if (page_.outcome() == log::OUTCOME_DELETED) {
      decision_.crawl = schedule_->Forget();
      return {};
    }
    schedule_->Take(has_changed_);
    if (reason_ == Reason::kOutdated) return {};
    decision_.crawl = schedule_->crawl_change();
    decision_.patterns = schedule_->ChangedPatterns();
    schedule_->WriteTo(url());
    if (fold_version_ >= kFoldVersionOfRevisits) shown_.WriteTo(url(), schedule_->last_visit());
    return schedule_->history().has_value() ? MoveTo(*schedule_->history()) : Status();
  }

  /// Gives what is known of the URL to the target, if nothing is known of that one yet.
  Status MoveTo(const schedule::UrlSchedule& history) {
    std::string key = UrlRow::Key(page_.redirect_target(), page_, parameters_.scope);
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto read, UrlRow::Read(view_, key));
    UrlRow target = read.has_value() ? std::move(*read) : UrlRow{std::move(key), {}};
    schedule::UrlSchedule schedule;
    if (!target.record.schedule().empty()) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(schedule,
                                  schedule::UrlSchedule::Decode(target.record.schedule()));
    }
    if (target.record.fetches() > 0 || schedule.last_visit != 0) return {};
    AdoptHistory(schedule, history);
    target.record.set_schedule(schedule.Encode());
    target.record.set_fetches(url().fetches());
    target.record.set_changes(url().changes());
    target.record.set_content_checksum(url().content_checksum());
    target.record.set_redirect(url().redirect());
    url().clear_fetches();
    url().clear_changes();
    url().clear_content_checksum();
    url().clear_redirect();
    url().clear_content_first();
    url().clear_content_last();
    url().clear_near_distance();
    url().clear_near_similarity();
    decision_.adopted = std::move(target);
    return {};
  }

  Status CountForHost() {
    HostRow& row = host_;
    const HostCount count = fold_version_ >= kFoldVersionOfLimits
                                ? HostCountOf(reason_, page_.detail())
                                : RuleFor(reason_).host_count;
    // The same content on the same URL as the last time adds nothing. Pages without a host (file:,
    // dns:) say nothing about each other.
    const bool counts = count != HostCount::kNot && has_changed_ != false && !page_.host().empty();
    if (counts) {
      row.record.set_pages(row.record.pages() + 1);
      if (count == HostCount::kAsDuplicate) row.record.set_duplicates(row.record.duplicates() + 1);
    }
    evidence_ = {.novelty = RuleFor(reason_).novelty,
                 .host_pages = row.record.pages(),
                 .host_duplicates = row.record.duplicates(),
                 .path_depth = page_.path_depth(),
                 .refetches = url().fetches() > 0 ? url().fetches() - 1 : 0,
                 .changes = url().changes()};
    const bool is_scheduled = schedule_.has_value() && reason_ != Reason::kOutdated &&
                              page_.outcome() != log::OUTCOME_DELETED &&
                              schedule_->WriteTo(row.record);
    if (counts || is_scheduled || !decision_.site.site.empty()) decision_.host = std::move(row);
    return {};
  }

  /// The priority, and by it the cluster's preferred URL.
  Status SetPriority() {
    Verdict& verdict = decision_.verdict;
    verdict.priority = ComputePriority(parameters_.priority, evidence_);
    SetScoreAtHorizon();
    if (!representative_.has_value()) return {};
    if (!parameters_.preferred_url.empty()) {
      if (decision_.retired.has_value() && decision_.retired->id == representative()) {
        return MakeError(ErrorCode::kCorruption, fmt::format("state: cluster {} has no document",
                                                             representative().sequence));
      }
      evidence_.novelty = 0;
      state::Document& record = representative_->record;
      const Score score = ComputePriority(parameters_.priority, evidence_).score;
      is_changed_ |= Prefer(page_.canonical_url(), score, parameters_.preferred_url, record);
      verdict.cluster->preferred_url =
          record.preferred_url().empty() ? record.canonical_url() : record.preferred_url();
    }
    if (RuleFor(reason_).inserts) {
      decision_.inserted = std::move(representative_);
    } else if (is_changed_) {
      decision_.matched = std::move(representative_);
    }
    return {};
  }

  /// What was deleted is never due.
  void SetScoreAtHorizon() {
    const schedule::Seconds horizon =
        std::min(parameters_.priority.horizon_seconds, schedule::kLongestInterval);
    if (fold_version_ < kFoldVersionOfHorizons || horizon == 0) return;
    decision_.verdict.priority.score =
        page_.outcome() == log::OUTCOME_DELETED ? Score{0} : schedule_->ScoreAfter(horizon);
  }

  Status SetRecrawl() {
    if (page_.outcome() == log::OUTCOME_DELETED) return {};
    if (schedule_.has_value()) {
      decision_.verdict.recrawl = schedule_->NextFetch(has_changed_);
      return {};
    }
    const std::uint64_t interval = url().interval_seconds() > 0
                                       ? url().interval_seconds()
                                       : parameters_.recrawl.initial_seconds;
    decision_.verdict.recrawl = Recrawl{
        has_changed_, FetchTime(page_) + std::chrono::seconds(static_cast<std::int64_t>(interval)),
        interval};
    return {};
  }

  [[nodiscard]] bool learns_of_sites() const {
    return fold_version_ >= kFoldVersionOfSites && parameters_.sites.max > 0;
  }
  [[nodiscard]] state::Url& url() { return decision_.url.record; }
  /// Of the cluster that the page belongs to; 0: it belongs to none.
  [[nodiscard]] DocId representative() const {
    return representative_.has_value() ? representative_->id : DocId{};
  }

  const log::Page& page_;
  const DocId id_;
  const JudgeParameters& parameters_;
  const std::uint32_t fold_version_;
  JudgeView& view_;

  PageDecision& decision_;
  bool is_known_ = false;           // the URL
  std::optional<DocumentRow> own_;  // the URL's live kept version
  HostRow host_;
  std::optional<PageSchedule> schedule_;  // nullopt: the rules have none
  ShownTimes shown_;
  bool has_content_;  // or it is known which the page has, though it has no body
  const std::string* content_checksum_;
  std::string revisit_checksum_;
  Reason reason_ = Reason::kNotEvaluated;
  Comparison comparison_;
  SiteNeighbours neighbours_;
  bool is_first_fetch_ = false;                // the first answer about content
  std::optional<DocumentRow> representative_;  // the match, or the page itself
  bool joins_ = false;
  bool is_changed_ = false;          // the match's row
  std::optional<bool> has_changed_;  // the content of the URL, since the fetch before
  PriorityEvidence evidence_;
};

}  // namespace

Result<PageDecision> Decide(const log::Page& page, DocId id, const JudgeRules& rules,
                            JudgeView& view) {
  // Built in place: its rows are expensive to move.
  Result<PageDecision> decision;
  const Status done = Judging(page, id, rules, view, *decision).Run();
  if (!done) decision = tl::unexpected(done.error());
  return decision;
}

void NameFirstRows(const log::Page& page, const ReadRules& rules, const RowNamer& name) {
  const JudgeParameters& parameters = rules.parameters;
  name(Table::kUrls, UrlRow::Key(page, parameters.scope));
  name(Table::kHosts, page.host());
  if (page.outcome() == log::OUTCOME_ERROR_STATUS && IsOwnTarget(page)) {
    name(Table::kUrls, UrlRow::Key(page.redirect_target(), page, parameters.scope));
  }
  if (page.outcome() == log::OUTCOME_REVISIT) {
    if (const auto key = RevisitedKey(page, parameters.scope)) name(Table::kUrls, *key);
  }
  if (parameters.sites.max > 0 && !page.host().empty()) {
    const std::string_view owner =
        LatestPagesOwner(site::SiteOf(page.canonical_url()), page.host());
    if (owner != page.host()) name(Table::kHosts, owner);
  }
  if (ReasonWithoutComparison(page, TraitsOf(page), parameters).has_value()) return;
  name(Table::kContent, ContentRow::Key(page.content_checksum(), ScopeOf(page, parameters.scope)));
}

namespace {

/// Names what the page's site takes and changes, if the page makes it take anything. `host`: that
/// of the page; nullptr: nothing is known of it.
void NameSite(const log::Page& page, const HostRow* host, const ReadRules& rules, JudgeView& view,
              const RowNamer& name) {
  const std::string_view site = site::SiteOf(page.canonical_url());
  const std::string_view owner = LatestPagesOwner(site, page.host());
  std::optional<HostRow> other;
  if (owner != page.host()) {
    auto read = HostRow::Read(view, owner);
    if (read) other = *std::move(read);
    host = other.has_value() ? &*other : nullptr;
  }
  if (host == nullptr) return;
  std::string_view target =
      page.redirect_target().empty() ? page.canonical_link() : page.redirect_target();
  if (site::SiteOf(target) != site) target = {};
  NameLearningRows(site, *host, site::ExpectedPageBytes(owner, page.canonical_url(), target),
                   SiteRulesOf(rules.parameters, rules.fold_version),
                   [&name](std::string_view key) { name(Table::kHosts, key); });
  NameMirrorRows(page, host->record, rules.parameters.scope, name);
}

}  // namespace

void NameDocuments(const log::Page& page, const ReadRules& rules, JudgeView& view,
                   const RowNamer& name) {
  const JudgeParameters& parameters = rules.parameters;
  const auto name_document = [&name](DocId id) {
    if (id.sequence != 0) name(Table::kDocuments, DocumentRow::Key(id));
  };
  // Whether the URL was fetched before.
  const auto name_versions = [&](const std::string& key, bool with_representative) {
    const auto url = UrlRow::Read(view, key);
    if (!url || !url->has_value()) return false;
    name_document(DocId{(*url)->record.kept()});
    if (with_representative) name_document(DocId{(*url)->record.representative()});
    return (*url)->record.fetches() > 0;
  };
  const bool is_revisit = page.outcome() == log::OUTCOME_REVISIT;
  const bool was_fetched =
      name_versions(UrlRow::Key(page, parameters.scope),
                    HasContent(page) || is_revisit || page.outcome() == log::OUTCOME_DELETED);
  if (is_revisit) {
    if (const auto key = RevisitedKey(page, parameters.scope)) {
      static_cast<void>(name_versions(*key, true));
    }
  }
  const auto host = HostRow::Read(view, page.host());
  if (host && host->has_value()) {
    if (const auto key = PageSchedule::PatternKey(page, (*host)->record)) name(Table::kHosts, *key);
  }
  if (parameters.sites.max > 0 && !page.host().empty()) {
    if (rules.fold_version >= kFoldVersionOfAliases && HasCanonicalLink(page) && !was_fetched) {
      name(Table::kUrls, UrlRow::Key(page.canonical_link(), page, parameters.scope));
    }
    NameSite(page, host && host->has_value() ? &**host : nullptr, rules, view, name);
  }
  const PageTraits traits = TraitsOf(page);
  if (ReasonWithoutComparison(page, traits, parameters).has_value()) return;
  const std::uint64_t scope = ScopeOf(page, parameters.scope);
  const auto content = ContentRow::Read(view, ContentRow::Key(page.content_checksum(), scope));
  if (content && content->has_value()) {
    name_document((*content)->document);
  } else if (traits.is_text) {
    const auto candidates = view.Candidates(InIndex(page.simhash(), scope), ReachOf(parameters));
    if (!candidates) return;
    for (const Match& match : candidates->matches) name_document(match.document);
  }
}

}  // namespace crawlsieve
