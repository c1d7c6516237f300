#pragma once

#include "plugin/base/result.h"
#include "plugin/index/fingerprint_list.h"
#include "plugin/index/hamming_index.h"
#include "plugin/judge/mark.h"
#include "plugin/judge/read_ahead.h"
#include "plugin/judge/restart_snapshots.h"
#include "plugin/log/entry.pb.h"
#include "plugin/state/state.pb.h"
#include "plugin/state/store.h"
#include "plugin/verdict/comparison.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/verdict.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// The rules by which this binary folds the log. A log written for other rules is refused.
inline constexpr std::uint32_t kFoldVersion = 5;

/// The oldest rules it has: version 4 is version 5 without gaps and samples in the marks and
/// without the host's count of pages that ran into a limit, and a page that isn't evaluated retires
/// its URL's version; version 3 is version 4 without item
/// evidence, and version 2 is version 3 with a budget of 1, scope global, no preferred URLs and no
/// rule for short texts.
inline constexpr std::uint32_t kOldestFoldVersion = 2;

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
};

/// Input offsets that the log has no entry for.
struct InputGap {
  std::string topic;
  std::int32_t partition = 0;
  OffsetRange offsets;
};

/// A place in the admission log, and the bytes that lie there.
struct LogPosition {
  std::int64_t offset = -1;    ///< of an entry; -1: before the first
  std::string entry_checksum;  ///< RawChecksum of the entry's bytes, 16 of them
};

/// What confirming near duplicates took; counted, so that no data can make it slow unseen.
struct ConfirmWork {
  std::uint64_t compared = 0;   ///< candidates read from the store and compared
  std::uint64_t confirmed = 0;  ///< of these, near duplicates
  std::uint64_t cut = 0;        ///< pages that had more candidates than `max_candidates`, none near
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
  /// entries are accepted.
  /// Errors: kMismatch (state of another scheme or format), kCorruption, kIo.
  [[nodiscard]] static Result<std::unique_ptr<Detector>> Open(Store& store, IndexFactory make_index,
                                                              std::string scheme,
                                                              RestartOptions restart = {});

  /// The scheme of the entries that were folded into `store`; nullopt before the first. Errors:
  /// kIo, kCorruption.
  [[nodiscard]] static Result<std::optional<std::string>> SchemeOf(const Store& store);

  /// Reads, on `threads` threads at most, most of what folding `entries` next will ask of store and
  /// index. What is folded comes out the same without it, only later: it may be called or not, also
  /// in the middle of what is to be committed together, and other entries may follow. About a
  /// thousand entries at a time are best: each is compared with what was kept since.
  void ReadAheadFor(std::span<const log::Entry> entries, std::size_t threads);

  /// Folds the next entry of the log. After an error the caller must Discard.
  /// Errors: kMismatch (another scheme or fold version), kInvalidInput (not an entry of ours, or a
  /// page before the first parameters), kIo, kCorruption.
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

  /// Gaps that are open as of the last Commit. Reads all marks. Errors: kIo, kCorruption.
  [[nodiscard]] Result<std::vector<InputGap>> OpenGaps() const;

  /// What the index holds, uncommitted changes included.
  [[nodiscard]] IndexStats index_stats() const { return index_->Stats(); }

  /// Work of all index lookups so far.
  [[nodiscard]] const LookupWork& lookup_work() const { return lookup_work_; }
  [[nodiscard]] const ConfirmWork& confirm_work() const { return confirm_work_; }
  [[nodiscard]] const RestartReport& restart_report() const { return snapshots_.report(); }

 private:
  struct Progress {
    std::uint64_t sequence = 0;
    std::optional<JudgeParameters> parameters;
    std::uint32_t fold_version = 0;
  };
  struct IndexChange {
    bool inserted;
    IndexEntry entry;
  };
  struct Representative {
    DocId id;
    state::Document document;
  };
  /// A page in the scope that it is judged in.
  struct ScopedPage {
    const log::Page& page;
    PageTraits traits;
    std::uint64_t scope;
  };
  struct Finding {
    Reason reason;
    std::optional<Representative> match;
    Comparison comparison;
  };

  Detector(Store& store, IndexFactory make_index, std::string scheme, RestartOptions restart);

  [[nodiscard]] Status Load();
  [[nodiscard]] Status RebuildIndex(int max_distance);
  [[nodiscard]] Status InsertDocumentsAfter(std::uint64_t sequence);
  [[nodiscard]] Result<Folded> FoldParameters(const log::Parameters& parameters);
  [[nodiscard]] Result<Folded> FoldPage(const log::Page& page);
  [[nodiscard]] Result<Verdict> Judge(const log::Page& page);
  [[nodiscard]] Result<Finding> Find(const ScopedPage& scoped,
                                     const std::optional<Representative>& own);
  [[nodiscard]] Result<std::optional<Finding>> FindNear(const ScopedPage& scoped,
                                                        const std::optional<Representative>& own);
  /// Lets a page's URL compete for the preferred one of the cluster it belongs to; returns who is.
  [[nodiscard]] Result<std::string> Prefer(DocId cluster, std::string_view url, Score score);
  /// A URL has left the cluster: where it was the preferred one, the representative's own is.
  [[nodiscard]] Status LeaveCluster(DocId cluster, std::string_view url);
  [[nodiscard]] Result<std::optional<Representative>> ReadRepresentative(DocId id) const;
  /// Puts the documents nearest to a fingerprint into matches_, nearest first.
  void FindNeighbours(Fingerprint query);
  void Insert(const ScopedPage& scoped, DocId id);
  void Retire(const Representative& representative);
  void NoteIndexChange(const IndexChange& change);

  void ReadRowsOf(const log::Page& page, ReadAhead::Reader& reader) const;
  void ReadDocumentsFor(const log::Page& page, ReadAhead::Reader& reader) const;
  [[nodiscard]] ReadAhead::Reach reach() const;

  /// Reads a record through the overlay. Errors: kIo, kCorruption.
  template <typename Record>
  [[nodiscard]] Result<std::optional<Record>> Read(Table table, std::string_view key) const;
  template <typename Record>
  void Write(Table table, std::string_view key, const Record& record);

  Store& store_;
  const IndexFactory make_index_;
  const std::string scheme_;

  std::unique_ptr<HammingIndex> index_;
  LogPosition position_;
  Progress committed_;
  Progress current_;
  Changes overlay_;
  std::vector<IndexChange> index_changes_;   ///< since the last Commit, for Discard to undo
  FingerprintList changed_fingerprints_;     ///< of each of them
  std::vector<std::size_t> changed_nearby_;  ///< reused by lookups
  ReadAhead ahead_;
  std::size_t changes_before_ahead_ = 0;  ///< how many of index_changes_ its answers know of
  std::vector<Match> matches_;            ///< reused by lookups
  LookupWork lookup_work_;
  ConfirmWork confirm_work_;
  RestartSnapshots snapshots_;  ///< after the index, which they may be reading
};

/// What of a page is compared with others. The checksum is that of `page`, which must outlive it.
[[nodiscard]] PageTraits TraitsOf(const log::Page& page);

/// The entry that puts `parameters` into the log.
[[nodiscard]] log::Entry ParametersEntry(const JudgeParameters& parameters,
                                         std::string_view scheme);

}  // namespace crawlsieve
