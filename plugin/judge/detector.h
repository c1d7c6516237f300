#pragma once

#include "plugin/base/result.h"
#include "plugin/index/hamming_index.h"
#include "plugin/judge/candidate_source.h"
#include "plugin/judge/decision.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/fold_version.h"
#include "plugin/judge/freed_room.h"
#include "plugin/judge/mark.h"
#include "plugin/judge/open_marks.h"
#include "plugin/judge/overlay.h"
#include "plugin/judge/page.h"
#include "plugin/judge/parameters_entry.h"
#include "plugin/judge/recent_documents.h"
#include "plugin/judge/remover.h"
#include "plugin/judge/restart_snapshots.h"
#include "plugin/judge/score_queue.h"
#include "plugin/judge/site_report.h"
#include "plugin/log/entry.pb.h"
#include "plugin/score/url_score.h"
#include "plugin/site/pattern_counts.h"
#include "plugin/site/site.h"
#include "plugin/state/store.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/verdict.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// A change of what the log lacks: input records without an entry, in front of entries that are
/// there.
struct GapChange {
  std::optional<OffsetRange> opened;
  std::optional<OffsetRange> given_up;  ///< forgotten: entries for it would count as redelivered
  bool is_filling = false;              ///< the entry belongs to a gap
};

struct Folded {
  FoldOutcome outcome = FoldOutcome::kVerdict;
  std::optional<Verdict> verdict;
  GapChange gap{};
  Removed removed{};
};

/// The candidates that the verdict of a page came from, the nearest first; perhaps one more. With
/// them in place of the index's the page is judged in the same way.
struct Consulted {
  DocId page;
  std::vector<DocId> documents;
};

/// What was folded since a commit, so far as it concerns an index.
struct FoldedChanges {
  LogPosition before;  ///< the last one committed
  std::uint64_t sequence_before = 0;
  std::uint64_t sequence = 0;
  std::optional<JudgeParameters> parameters;  ///< in force from here on
  std::vector<IndexEntry> inserted;
  std::vector<IndexEntry> retired;   ///< perhaps inserted before
  std::vector<Consulted> consulted;  ///< ascending
};

/// Input offsets that the log has no entry for.
struct InputGap {
  std::string topic;
  std::int32_t partition = 0;
  OffsetRange offsets;
};

/// Makes an empty index that answers up to `max_distance`, or says why there is none.
using IndexFactory = std::function<Result<std::unique_ptr<HammingIndex>>(int max_distance)>;

/// The judge: a deterministic fold of the admission log.
///
///     state(n+1), verdict(n) = judge(state(n), entry(n))
///
/// Operation: Fold reads the store and remembers changes in an overlay. Commit adds them, with
/// the log position they go up to, in one atomic step; Discard forgets them, in the index too.
/// Between the two the caller publishes the verdicts, so that the store never runs ahead of what
/// was published.
///
/// Thread-compatible. Borrows the store, which nobody else may change.
class Detector {
 public:
  /// Takes up the state in `store` and fills an index with its documents: from a restart snapshot,
  /// where `restart` asks for them and there is one, and the store. `scheme` is the only one whose
  /// entries are accepted. With a `remote` index, only the newest documents are put into the one
  /// here, and restart snapshots must not be asked for.
  /// Errors: kMismatch (state of another scheme or format), kCorruption, kIo.
  [[nodiscard]] static Result<std::unique_ptr<Detector>> Open(Store& store, IndexFactory make_index,
                                                              std::string scheme,
                                                              RestartOptions restart = {},
                                                              RemoteIndex remote = {});

  /// The scheme of the entries that were folded into `store`; nullopt before the first. Errors:
  /// kIo, kCorruption.
  [[nodiscard]] static Result<std::optional<std::string>> SchemeOf(const Store& store);

  /// Reads, on `threads` threads at most, most of what folding `entries` next will ask of store and
  /// index, and with it what ScoresOf will, where that is the purpose. What is folded comes out the
  /// same without it, only later: it may be called or not, also in the middle of what is to be
  /// committed together, and other entries may follow. About a thousand entries at a time are best:
  /// each is compared with what was kept since.
  void ReadAheadFor(std::span<const log::Entry> entries, std::size_t threads,
                    Purpose purpose = Purpose::kVerdicts);

  /// Folds the next entry of the log. After an error the caller must Discard.
  /// Errors: kMismatch (another scheme or fold version), kInvalidInput (not an entry of ours, or a
  /// page before the first parameters), kIo, kCorruption; kBusy: the remote index has yet to answer
  /// for this entry. Nothing of it is folded then: it may be folded again later, and there is
  /// nothing to discard.
  [[nodiscard]] Result<Folded> Fold(const log::Entry& entry);

  /// Adds everything folded since the last Commit to the store, together with `position`, the last
  /// entry read. After an error nothing of it is there, and the caller must Discard.
  [[nodiscard]] Status Commit(const LogPosition& position);

  /// Forgets everything folded since the last Commit.
  void Discard();

  /// Has the store write all that is committed to files, with a restart snapshot of it unless there
  /// is one, where they are asked for. To be called at a stop, when nothing is folded that isn't
  /// committed. Whether a snapshot could be written is in restart_report(). Errors: as Commit.
  [[nodiscard]] Status Flush();

  /// The last committed position.
  [[nodiscard]] const LogPosition& position() const { return position_; }

  /// The parameters in force after the last folded entry; nullopt before the first.
  [[nodiscard]] const std::optional<JudgeParameters>& parameters() const {
    return current_.parameters;
  }

  /// The rules in force after the last folded entry; 0 before the first parameters.
  [[nodiscard]] std::uint32_t fold_version() const { return current_.fold_version; }

  /// What was folded since the last Commit, for a remote index. Only with one.
  [[nodiscard]] FoldedChanges Uncommitted() const;
  /// About how many bytes that takes as a record.
  [[nodiscard]] std::size_t uncommitted_bytes() const;

  /// The number of the last folded entry.
  [[nodiscard]] std::uint64_t sequence() const { return current_.sequence; }

  /// Gaps that are open as of the last Commit. Reads all marks. Errors: kIo, kCorruption.
  [[nodiscard]] Result<std::vector<InputGap>> OpenGaps() const;

  /// All that was learned of a site, as of the last folded entry; nullopt: nothing. Errors: kIo,
  /// kCorruption.
  [[nodiscard]] Result<std::optional<site::Site>> SiteAt(std::string_view name);

  /// Wants scores of the URLs of the page that was folded last, `verdict` being what came of it:
  /// see page_scores.h. They may be wanted or not; the fold stays the same. This entry, and those
  /// that are folded then, must live until the scores are taken.
  void WantScores(const log::Page& page, const Verdict& verdict);

  /// The scores that were wanted since the last call, of each page by the state behind it, in the
  /// order of the pages. They are made on `threads` threads at most. A few hundred pages at a time
  /// are best: while they wait, what entries change is kept. Commit makes what is wanted so far, on
  /// one thread, and so does Fold of an entry that is no page or comes amid a purge: errors of
  /// scores may be theirs. Errors: kIo, kCorruption.
  [[nodiscard]] Result<std::vector<std::vector<UrlScore>>> TakeScores(std::size_t threads);

  /// Both, of the page that was folded last; no others are wanted.
  [[nodiscard]] Result<std::vector<UrlScore>> ScoresOf(const log::Page& page,
                                                       const Verdict& verdict);

  /// The answer to the question that was folded last. It may be asked for or not. Errors: kIo,
  /// kCorruption.
  [[nodiscard]] Result<UrlScore> AnswerTo(const log::Question& question);

  /// What the entry that was folded last changed of sites, so far as others should hear of it:
  /// sites that were forgotten, and then at most one that was learned of. It may be asked for or
  /// not. Errors: kIo, kCorruption.
  [[nodiscard]] Result<std::vector<SiteNews>> NewsOfSites();

  /// What is told of a site, as of the last folded entry: see ReportOfSite. Errors: kIo,
  /// kCorruption.
  [[nodiscard]] Result<std::optional<SiteReport>> ReportOn(std::string_view site);

  /// What first fetches brought, of all sites together, as of the last folded entry.
  [[nodiscard]] const site::FetchCounts& sites() const { return current_.sites; }

  /// What the index holds, uncommitted changes included.
  [[nodiscard]] IndexStats index_stats() const { return overlay_.index().get().Stats(); }

  /// Work of all index lookups so far.
  [[nodiscard]] const LookupWork& lookup_work() const { return overlay_.lookup_work(); }
  [[nodiscard]] const ConfirmWork& confirm_work() const { return confirm_work_; }
  /// Whether a purge is under way: rows that it covers may be there still.
  [[nodiscard]] bool is_removing() const { return !current_.removal.purges.empty(); }

  [[nodiscard]] const RestartReport& restart_report() const { return snapshots_.report(); }

 private:
  /// What an entry comes to by its source alone.
  struct Passed {
    Folded folded;
    std::optional<state::Mark> mark{};  ///< of its partition, behind the entry
  };

  Detector(Store& store, IndexFactory make_index, std::string scheme, RestartOptions restart,
           RemoteIndex remote);

  [[nodiscard]] Status Load();
  [[nodiscard]] Status RebuildIndex(int max_distance);
  /// Fills the index with documents of the store.
  [[nodiscard]] Status InsertDocumentsAfter(std::uint64_t sequence);
  [[nodiscard]] Result<Folded> FoldBody(const log::Entry& entry);
  [[nodiscard]] Result<Folded> FoldParameters(const log::Parameters& parameters);
  [[nodiscard]] Result<Folded> FoldPage(const log::Page& page);
  [[nodiscard]] Result<Folded> FoldPurge(const log::Purge& purge);
  /// The decision, in a view where purged rows and the sites of `stale` are gone. Changes nothing.
  [[nodiscard]] Result<PageDecision> DecideOn(const log::Page& page, DocId id,
                                              const std::vector<UrlRow>& stale);
  /// Of the entry that is folded.
  [[nodiscard]] Remover MakeRemover();
  /// Takes out of the state what is due behind the entry that was folded.
  [[nodiscard]] Status Sweep();
  [[nodiscard]] Result<Folded> FoldQuestion(const log::Question& question);
  /// Where the entry comes to at the mark of its partition. Whoever gets kVerdict goes on. Changes
  /// nothing: an entry that has to wait leaves no trace.
  [[nodiscard]] Result<Passed> PassMark(const log::Source& source);
  /// Advances the mark.
  void SetMark(const log::Source& source, Passed& passed);
  void Learn(const SiteChange& change);
  [[nodiscard]] Status MakeScores(std::size_t threads);
  void NoteConsulted(const PageDecision& decision);
  /// Forgets how many documents there are where nothing bounds them, and else finds out.
  [[nodiscard]] Status CountForBound();
  /// The last document that the index here needn't have, as of the last Commit.
  [[nodiscard]] std::uint64_t OwnAfter() const;
  /// Tells the remote index of the last Commit.
  void TellCommitted();
  [[nodiscard]] Status CheckScheme(const std::string& scheme) const;
  [[nodiscard]] Status CheckPage(const log::Page& page) const;

  Store& store_;
  const IndexFactory make_index_;
  const std::string scheme_;
  const RemoteIndex remote_;

  LogPosition position_;
  FoldProgress committed_;
  FoldProgress current_;
  Overlay overlay_;
  OpenMarks marks_;
  ScoreQueue scores_;                          ///< keeps no sites unless somebody wants advice
  std::vector<std::string> forgotten_sites_;   ///< by the last entry, of those with news
  std::optional<std::string> site_with_news_;  ///< by the last entry
  ConfirmWork confirm_work_;
  Removed removed_;  ///< by the entry that is folded
  FreedRoom room_;
  RecentDocuments recent_;            ///< with a remote index: what the one here holds
  std::vector<Consulted> consulted_;  ///< since the last Commit, with a remote index
  std::size_t consulted_documents_ = 0;
  RestartSnapshots snapshots_;  ///< after the index, which they may be reading
};

}  // namespace crawlsieve
