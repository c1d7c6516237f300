#pragma once

#include "plugin/base/result.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/index/hamming_index.h"
#include "plugin/index/snapshot/directory.h"
#include "plugin/judge/state_reader.h"
#include "plugin/state/store.h"

#include <cstdint>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve {

struct RestartOptions {
  /// Where snapshots go: the folder of the store they belong to.
  std::filesystem::path directory;
  /// Folded entries from one snapshot to the next; 0: none are written, nor read.
  std::uint64_t every_entries = 0;
};

/// What became of the snapshots so far.
struct RestartReport {
  std::optional<std::int64_t> loaded;  ///< log offset of the one that the index was filled from
  std::vector<Error> refused;          ///< why others were not, at the last attempt
  std::uint64_t written = 0;
  std::uint64_t given_up = 0;        ///< failed, or overtaken by Discard
  std::optional<Error> last_error;   ///< of those that failed
  std::optional<SnapshotInfo> last;  ///< written last
};

/// Checksums of the restart snapshots that the state says count: of whole files. Errors: kIo,
/// kCorruption.
[[nodiscard]] Result<std::vector<Checksum>> RegisteredSnapshots(const StateReader& state);

/// Snapshots of the judge's index for a quick restart, written while the judge goes on.
///
/// What a snapshot lacks comes from the store: documents with numbers above the one the log stood
/// at are read from their table, and every document that was retired since is named in the table
/// `restart`. Names of retired documents never come back, so these can be taken out of the index
/// whether the snapshot still had them or not; that is why a snapshot may be taken of an index that
/// changes. Only one kind of change would do harm: a removal that is undone after the snapshot
/// missed the document. Then it is given up.
///
/// A snapshot counts only once the store says so: its checksum is written there together with a
/// commit, after the file is complete and was read back. So a file from elsewhere, of another time
/// or damaged is never taken for it, and whatever was missing from the index while it was written
/// is named in the store.
///
/// Operation: Load into an empty index; then for each commit Record, apply the changes, and
/// Committed or Discarded. Thread-compatible; writes on a thread of its own. The index must outlive
/// this, or Abandon must have been called.
class RestartSnapshots {
 public:
  RestartSnapshots(RestartOptions options, std::string scheme);

  /// Fills `index`, which must be empty, from the newest snapshot that `store` knows of; returns
  /// the number up to which it holds every live document. `log_offset` is the one that the store
  /// covers. Errors: kMismatch if there is no such snapshot, kIo, kCorruption; `index` is of no use
  /// then. The report says which snapshots were refused.
  [[nodiscard]] Result<std::uint64_t> Load(const Store& store, std::int64_t log_offset,
                                           HammingIndex& index);

  /// Adds to the changes of a commit, up to entry `sequence`, what they take out of the index and
  /// the snapshot that was finished meanwhile. Errors: kIo, kCorruption of the store.
  [[nodiscard]] Status Record(const Store& store, std::uint64_t sequence,
                              const std::vector<IndexEntry>& retired, Changes& changes);

  /// The changes were applied: begins with the next snapshot, when it is due. Whether one counts
  /// from now on.
  bool Committed(std::int64_t log_offset, std::uint64_t sequence, const HammingIndex& index);

  /// Changes were undone; `with_removals`: documents were put back into the index.
  void Discarded(bool with_removals);

  /// Waits for the one that is being written, or writes one if there is none and entries were
  /// committed since the last. The next Record makes it count.
  void Finish(std::int64_t log_offset, std::uint64_t sequence, const HammingIndex& index);

  /// Waits for the one that is being written and forgets it.
  void Abandon();

  [[nodiscard]] const RestartReport& report() const { return report_; }

 private:
  struct Written {
    SnapshotInfo info;
    Checksum checksum;
  };
  struct Attempt {
    std::uint64_t sequence = 0;
    std::future<Result<Written>> result;
    bool is_void = false;
  };

  void Begin(std::int64_t log_offset, std::uint64_t sequence, const HammingIndex& index);
  [[nodiscard]] Status Register(const Store& store, Changes& changes);

  const RestartOptions options_;
  const std::string scheme_;
  RestartReport report_;
  std::uint64_t begun_at_ = 0;  ///< sequence at the last attempt, or of the one that was loaded
  std::optional<Attempt> attempt_;
  std::optional<SnapshotInfo> registering_;  ///< counts with the next Committed
  bool is_forgotten_ = false;                ///< where none are wanted: those of before
};

}  // namespace crawlsieve
