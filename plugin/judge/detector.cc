#include "plugin/judge/detector.h"

#include "plugin/base/result.h"
#include "plugin/index/filler.h"
#include "plugin/judge/apply.h"
#include "plugin/judge/asked_url.h"
#include "plugin/judge/page_fetch.h"
#include "plugin/judge/rows.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {

Detector::Detector(Store& store, IndexFactory make_index, std::string scheme,
                   RestartOptions restart, RemoteIndex remote)
    : store_(store),
      make_index_(std::move(make_index)),
      scheme_(std::move(scheme)),
      remote_(remote),
      overlay_(store, remote.source),
      scores_(overlay_),
      snapshots_(std::move(restart), scheme_) {}

Result<std::unique_ptr<Detector>> Detector::Open(Store& store, IndexFactory make_index,
                                                 std::string scheme, RestartOptions restart,
                                                 RemoteIndex remote) {
  if (remote.source != nullptr && restart.every_entries > 0) {
    return MakeError(ErrorCode::kInvalidConfig,
                     "an index in other processes has no restart snapshots here");
  }
  std::unique_ptr<Detector> detector(
      new Detector(store, std::move(make_index), std::move(scheme), std::move(restart), remote));
  CRAWLSIEVE_RETURN_IF_ERROR(detector->Load());
  return detector;
}

Result<std::optional<std::string>> Detector::SchemeOf(const Store& store) {
  StoredRows rows(store);
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto stored, ParametersRow::Read(rows));
  if (!stored.has_value()) return std::optional<std::string>();
  return std::optional(std::move(*stored->record.mutable_scheme()));
}

Status Detector::Load() {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto stored, ReadProgress(overlay_));
  if (stored.progress.parameters.has_value() && stored.scheme != scheme_) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("state of scheme {}; the configuration makes scheme {}: "
                                 "fingerprints of the two can't be compared. Restore the old "
                                 "settings, or start with a new log topic, group and state "
                                 "directory",
                                 stored.scheme, scheme_));
  }
  position_ = std::move(stored.position);
  current_ = std::move(stored.progress);
  committed_ = current_;
  CRAWLSIEVE_RETURN_IF_ERROR(
      RebuildIndex(current_.parameters ? static_cast<int>(current_.parameters->max_distance) : 0));
  TellCommitted();
  return {};
}

std::uint64_t Detector::OwnAfter() const {
  if (remote_.source == nullptr || committed_.sequence < remote_.window) return 0;
  return committed_.sequence - remote_.window;
}

void Detector::TellCommitted() {
  if (remote_.source == nullptr) return;
  remote_.source->OnCommitted(position_, committed_.sequence, OwnAfter());
}

Status Detector::RebuildIndex(int max_distance) {
  snapshots_.Abandon();
  ChangedIndex& index = overlay_.index();
  auto made = make_index_(max_distance);
  if (!made) return tl::unexpected(made.error());
  index.Replace(std::move(*made));
  const auto loaded = snapshots_.Load(store_, position_.offset, index.get());
  if (!loaded && index.get().Stats().documents > 0) {
    made = make_index_(max_distance);
    if (!made) return tl::unexpected(made.error());
    index.Replace(std::move(*made));
  }
  CRAWLSIEVE_RETURN_IF_ERROR(InsertDocumentsAfter(loaded.value_or(OwnAfter())));
  index.Redo();
  return {};
}

Status Detector::InsertDocumentsAfter(std::uint64_t sequence) {
  IndexFiller filler(overlay_.index().get());
  recent_.Clear();
  CRAWLSIEVE_RETURN_IF_ERROR(store_.ForEach(
      Table::kDocuments,
      [&](std::string_view key, std::string_view value) -> Status {
        CRAWLSIEVE_ASSIGN_OR_RETURN(const auto document, DocumentRow::Parse(key, value));
        const auto entry = document.InIndex();
        if (!entry.has_value()) return {};
        filler.Add(*entry);
        if (remote_.source != nullptr) recent_.Add(*entry);
        return {};
      },
      DocumentRow::Key(DocId{sequence + 1})));
  filler.Finish();
  return {};
}

Result<Folded> Detector::Fold(const log::Entry& entry) {
  // What scores are made by besides rows and sites stays as it is while pages are folded.
  if (!entry.has_page() || is_removing()) CRAWLSIEVE_RETURN_IF_ERROR(MakeScores(1));
  forgotten_sites_.clear();
  site_with_news_.reset();
  removed_ = {};
  scores_.BeginEntry();
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto folded, FoldBody(entry));
  room_.Add(removed_);
  folded.removed = removed_;
  return folded;
}

Result<Folded> Detector::FoldBody(const log::Entry& entry) {
  switch (entry.body_case()) {
    case log::Entry::kParameters:
      return FoldParameters(entry.parameters());
    case log::Entry::kPage:
      return FoldPage(entry.page());
    case log::Entry::kQuestion:
      return FoldQuestion(entry.question());
    case log::Entry::kPurge:
      return FoldPurge(entry.purge());
    case log::Entry::BODY_NOT_SET:
      break;
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "the admission log holds an entry of a kind unknown to this version");
}

Status Detector::Commit(const LogPosition& position) {
  CRAWLSIEVE_RETURN_IF_ERROR(MakeScores(1));
  PositionRow row;
  row.record.set_format(StateFormatOf(current_.fold_version));
  row.record.set_log_offset(position.offset);
  row.record.set_entry_checksum(position.entry_checksum);
  row.record.set_sequence(current_.sequence);
  row.Write(overlay_.rows());
  if (current_.fold_version >= kFoldVersionOfSchedules) {
    ScheduleRow::Write(current_.crawl, overlay_.rows());
  }
  if (current_.fold_version >= kFoldVersionOfSites) {
    SitesRow::Write(current_.sites, overlay_.rows());
  } else if (current_.fold_version >= kFoldVersionOfSitesRow) {
    SitesRow::WriteNothing(overlay_.rows());
  }
  if (auto& indexed = current_.removal.indexed; indexed.has_value()) {
    *indexed += static_cast<std::uint64_t>(overlay_.index().balance());
  }
  if (current_.removal.has_row) current_.removal.ToRow().Write(overlay_.rows());
  marks_.Write(overlay_.rows());
  auto recorded =
      snapshots_.Record(store_, current_.sequence, overlay_.index().Removed(), overlay_.rows());
  if (!recorded) return recorded;
  overlay_.ForgetReadAhead();
  CRAWLSIEVE_RETURN_IF_ERROR(store_.Apply(overlay_.rows()));
  if (remote_.source != nullptr) {
    for (const IndexEntry& entry : overlay_.index().Inserted()) recent_.Add(entry);
  }
  overlay_.Commit();
  committed_ = current_;
  position_ = position;
  if (remote_.source != nullptr) {
    consulted_.clear();
    consulted_documents_ = 0;
    recent_.Drop(OwnAfter(), overlay_.index().get());
    TellCommitted();
  }
  if (snapshots_.Committed(position_.offset, committed_.sequence, overlay_.index().get())) {
    // After a crash only a snapshot counts of which a file says so. An error comes up again with
    // the next commit.
    (void)store_.BeginFlush();
  }
  if (room_.IsTimeToLook() && room_.IsWorthIt(store_.EstimateDocuments())) {
    store_.GiveRoomBack();
  }
  return {};
}

void Detector::Discard() {
  scores_.Clear();
  static_cast<void>(scores_.Take());
  snapshots_.Discarded(overlay_.Discard());
  marks_.Discard();
  consulted_.clear();
  consulted_documents_ = 0;
  current_ = committed_;
}

FoldedChanges Detector::Uncommitted() const {
  return {position_,           committed_.sequence,         current_.sequence,
          current_.parameters, overlay_.index().Inserted(), overlay_.index().Removed(),
          consulted_};
}

std::size_t Detector::uncommitted_bytes() const {
  constexpr std::size_t kOfChange = 14;
  constexpr std::size_t kOfPage = 4;
  constexpr std::size_t kOfCandidate = 6;
  return overlay_.index().change_count() * kOfChange + consulted_.size() * kOfPage +
         consulted_documents_ * kOfCandidate;
}

Status Detector::Flush() {
  if (committed_.sequence == 0) return {};
  snapshots_.Finish(position_.offset, committed_.sequence, overlay_.index().get());
  CRAWLSIEVE_RETURN_IF_ERROR(Commit(LogPosition(position_)));
  return store_.Flush();
}

Result<Folded> Detector::FoldParameters(const log::Parameters& parameters) {
  CRAWLSIEVE_RETURN_IF_ERROR(CheckFoldVersion(parameters));
  if (parameters.scheme() != scheme_) {
    return MakeError(
        ErrorCode::kMismatch,
        fmt::format("the admission log is of scheme {}, the configuration makes scheme "
                    "{}: restore the old settings, or start with a new log topic, "
                    "group and state directory",
                    parameters.scheme(), scheme_));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto read, ParametersOf(parameters));
  const auto max_distance = static_cast<int>(read.max_distance);
  if (max_distance > overlay_.index().get().max_distance()) {
    CRAWLSIEVE_RETURN_IF_ERROR(RebuildIndex(max_distance));
  }
  ++current_.sequence;
  current_.parameters = std::move(read);
  if (current_.fold_version < kFoldVersionOfSites) current_.sites = {};
  current_.fold_version = parameters.fold_version();
  current_.crawl.SetOptions(ScheduleOptionsOf(*current_.parameters));
  scores_.Clear();
  if (current_.parameters->retention.expire_seconds == 0) current_.removal.StopClock();
  CRAWLSIEVE_RETURN_IF_ERROR(CountForBound());
  ParametersRow{parameters}.Write(overlay_.rows());
  CRAWLSIEVE_RETURN_IF_ERROR(Sweep());
  return Folded{FoldOutcome::kParameters, std::nullopt, {}, {}};
}

Status Detector::CountForBound() {
  RemovalProgress& removal = current_.removal;
  if (current_.fold_version < kFoldVersionOfRemoval ||
      current_.parameters->retention.max_pages == 0) {
    removal.indexed.reset();
    return {};
  }
  if (removal.indexed.has_value()) return {};
  removal.has_row = true;
  std::uint64_t& indexed = removal.indexed.emplace(0);
  if (remote_.source == nullptr) {
    indexed = overlay_.index().get().Stats().documents -
              static_cast<std::uint64_t>(overlay_.index().balance());
    return {};
  }
  return store_.ForEach(
      Table::kDocuments, [&indexed](std::string_view key, std::string_view value) -> Status {
        CRAWLSIEVE_ASSIGN_OR_RETURN(const auto document, DocumentRow::Parse(key, value));
        indexed += document.InIndex().has_value() ? 1 : 0;
        return {};
      });
}

Status Detector::CheckScheme(const std::string& scheme) const {
  if (!current_.parameters.has_value()) {
    return MakeError(ErrorCode::kInvalidInput,
                     "the admission log begins with a page, not with judging parameters");
  }
  if (scheme != scheme_) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("an entry of scheme {} in a log of scheme {}: an extract process "
                                 "runs with other settings; give all processes the same ones",
                                 scheme, scheme_));
  }
  return {};
}

Status Detector::CheckPage(const log::Page& page) const {
  CRAWLSIEVE_RETURN_IF_ERROR(CheckScheme(page.scheme()));
  const std::size_t sketch_words = page.shingles() > 0 ? Sketch::kWords : 0;
  if (static_cast<std::size_t>(page.sketch_size()) != sketch_words) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("the admission log holds a sketch of {} words, not {}",
                                 page.sketch_size(), sketch_words));
  }
  return {};
}

Result<Detector::Passed> Detector::PassMark(const log::Source& source) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto mark, marks_.Find(overlay_, source));
  MarkStep step = AdvanceMark(mark, source, current_.fold_version);
  Passed passed;
  passed.folded.outcome = step.refused.value_or(FoldOutcome::kVerdict);
  if (step.refused.has_value() && !step.opened.has_value()) return passed;
  passed.folded.gap = {step.opened, step.given_up, step.fills_gap};
  passed.mark = std::move(step.mark);
  return passed;
}

void Detector::SetMark(const log::Source& source, Passed& passed) {
  if (passed.mark.has_value()) marks_.Set(source, *std::move(passed.mark));
}

/// Has no sequence: verdicts are the same with and without questions between them. One that can't
/// be read came as a page, a dead letter.
Result<Folded> Detector::FoldQuestion(const log::Question& question) {
  CRAWLSIEVE_RETURN_IF_ERROR(CheckScheme(question.scheme()));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto passed, PassMark(question.source()));
  SetMark(question.source(), passed);
  if (passed.folded.outcome == FoldOutcome::kVerdict) {
    passed.folded.outcome = FoldOutcome::kQuestion;
  }
  return std::move(passed.folded);
}

Result<Folded> Detector::FoldPage(const log::Page& page) {
  CRAWLSIEVE_RETURN_IF_ERROR(CheckPage(page));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto passed, PassMark(page.source()));
  Folded& folded = passed.folded;
  if (folded.outcome != FoldOutcome::kVerdict) {
    SetMark(page.source(), passed);
    return std::move(folded);
  }
  const DocId id{current_.sequence + 1};
  if (page.outcome() == log::OUTCOME_DEAD_LETTER) {
    SetMark(page.source(), passed);
    current_.sequence = id.sequence;
    folded.outcome = FoldOutcome::kDeadLetter;
    CRAWLSIEVE_RETURN_IF_ERROR(Sweep());
    return std::move(folded);
  }
  // Before anything is changed: the decision may have to wait for candidates.
  overlay_.BeginPage(id);
  Remover remover = MakeRemover();
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto stale, remover.StaleUrlsOf(page));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto decision, DecideOn(page, id, stale));
  SetMark(page.source(), passed);
  current_.sequence = id.sequence;
  NoteConsulted(decision);
  if (current_.parameters->retention.expire_seconds > 0) {
    current_.removal.NoteTime(page.source().timestamp_ms());
  }
  CRAWLSIEVE_RETURN_IF_ERROR(remover.RemoveStale(stale));
  Apply(decision, overlay_.rows(), overlay_.index());
  current_.crawl.Add(decision.crawl);
  Learn(decision.site);
  confirm_work_ += decision.work;
  folded.verdict = std::move(decision.verdict);
  CRAWLSIEVE_RETURN_IF_ERROR(Sweep());
  return std::move(folded);
}

void Detector::NoteConsulted(const PageDecision& decision) {
  const std::vector<Match>* asked = overlay_.asked();
  if (asked == nullptr) return;
  // Those that were compared, the one that showed a cut, and the page's own version. Among purged
  // ones they may be any.
  const std::uint64_t count =
      is_removing()
          ? asked->size()
          : std::min<std::uint64_t>(decision.work.compared + decision.work.cut + 1, asked->size());
  Consulted& consulted = consulted_.emplace_back();
  consulted.page = DocId{current_.sequence};
  for (const Match& match : std::span(*asked).first(count)) {
    consulted.documents.push_back(match.document);
  }
  consulted_documents_ += count;
}

Result<PageDecision> Detector::DecideOn(const log::Page& page, DocId id,
                                        const std::vector<UrlRow>& stale) {
  const JudgeParameters& parameters = *current_.parameters;
  const JudgeRules rules{parameters, current_.fold_version, current_.crawl};
  if (current_.fold_version < kFoldVersionOfRemoval) return Decide(page, id, rules, overlay_);
  const PurgedRows purged(current_.removal.purges);
  LivingView living(purged, page.crawl_id(), parameters, purged.SitesOf(stale), overlay_);
  JudgeView& view = purged.any() ? static_cast<JudgeView&>(living) : overlay_;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto decision, Decide(page, id, rules, view));
  CRAWLSIEVE_RETURN_IF_ERROR(
      NoteForRemoval(page, id, parameters.retention, current_.removal, view, decision));
  return decision;
}

Result<Folded> Detector::FoldPurge(const log::Purge& purge) {
  if (!current_.parameters.has_value()) {
    return MakeError(ErrorCode::kInvalidInput,
                     "the admission log begins with a purge, not with judging parameters");
  }
  if (current_.fold_version < kFoldVersionOfRemoval) {
    return Folded{FoldOutcome::kPurgeIgnored, std::nullopt, {}, {}};
  }
  ++current_.sequence;
  Remover remover = MakeRemover();
  CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_taken, remover.Begin(purge, scheme_));
  CRAWLSIEVE_RETURN_IF_ERROR(Sweep());
  return Folded{is_taken ? FoldOutcome::kPurge : FoldOutcome::kPurgeIgnored, std::nullopt, {}, {}};
}

Remover Detector::MakeRemover() {
  return {current_, overlay_, scores_, removed_, forgotten_sites_};
}

Status Detector::Sweep() { return MakeRemover().Sweep(); }

void Detector::Learn(const SiteChange& change) {
  if (change.forgotten.has_value()) forgotten_sites_.push_back(*change.forgotten);
  if (change.is_news) site_with_news_ = change.site;
  for (const site::Brought& brought : change.brought) current_.sites.Add(brought);
  scores_.NoteSites(change);
}

void Detector::WantScores(const log::Page& page, const Verdict& verdict) {
  scores_.Add(page, verdict, current_.sites.Expect({}));
}

Result<std::vector<std::vector<UrlScore>>> Detector::TakeScores(std::size_t threads) {
  CRAWLSIEVE_RETURN_IF_ERROR(MakeScores(threads));
  return scores_.Take();
}

Status Detector::MakeScores(std::size_t threads) {
  if (!scores_.any_waits()) return {};
  const PurgedRows purged(current_.removal.purges);
  return scores_.Make(*current_.parameters, current_.fold_version, purged, threads);
}

Result<std::vector<UrlScore>> Detector::ScoresOf(const log::Page& page, const Verdict& verdict) {
  WantScores(page, verdict);
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto scores, TakeScores(1));
  return std::move(scores.back());
}

Result<UrlScore> Detector::AnswerTo(const log::Question& question) {
  const PurgedRows purged(current_.removal.purges);
  LivingRows rows(purged, overlay_);
  return UrlScorer(current_, scores_.sites(), rows).ScoreOf(AskedUrlOf(question));
}

Result<std::vector<SiteNews>> Detector::NewsOfSites() {
  std::vector<SiteNews> news;
  for (const std::string& site : forgotten_sites_) news.push_back({site, std::nullopt});
  if (site_with_news_.has_value()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto report, ReportOn(*site_with_news_));
    news.push_back({*site_with_news_, std::move(report)});
  }
  return news;
}

Result<std::optional<SiteReport>> Detector::ReportOn(std::string_view site) {
  return ReportOfSite(site, current_, overlay_);
}

void Detector::ReadAheadFor(std::span<const log::Entry> entries, std::size_t threads,
                            Purpose purpose) {
  if (!current_.parameters.has_value()) return;
  overlay_.ReadAheadFor(entries, {*current_.parameters, current_.fold_version, purpose}, threads);
}

Result<std::optional<site::Site>> Detector::SiteAt(std::string_view name) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      auto state,
      ReadSite(name, current_.parameters ? current_.parameters->sites.max : 0, overlay_));
  if (!state.has_value()) return std::optional<site::Site>();
  return std::optional(std::move(state->site));
}

Result<std::vector<InputGap>> Detector::OpenGaps() const {
  std::vector<InputGap> gaps;
  auto read = store_.ForEach(
      Table::kMarks, [&gaps](std::string_view key, std::string_view value) -> Status {
        CRAWLSIEVE_ASSIGN_OR_RETURN(const auto mark, MarkRow::Parse(key, value));
        CRAWLSIEVE_ASSIGN_OR_RETURN(const auto partition, mark.OfPartition());
        for (const state::Mark::Gap& gap : mark.record.gap()) {
          gaps.push_back({partition.topic, partition.number, {gap.from(), gap.to()}});
        }
        return {};
      });
  if (!read) return tl::unexpected(read.error());
  return gaps;
}

}  // namespace crawlsieve
