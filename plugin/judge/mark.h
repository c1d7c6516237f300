#pragma once

#include "plugin/judge/fold_version.h"
#include "plugin/log/entry.pb.h"
#include "plugin/state/state.pb.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace crawlsieve {

/// What one entry of the admission log came to.
enum class FoldOutcome {
  kVerdict,          ///< judged: `Folded::verdict` is set
  kParameters,       ///< judging parameters for the entries that follow
  kDeadLetter,       ///< a record without a URL: no verdict
  kRedelivered,      ///< this input record was folded before; nothing changed
  kRanAhead,         ///< fold versions up to 4: ahead of its partition's mark, ignored
  kStaleGeneration,  ///< of an earlier generation of the input topic; nothing changed
  kOtherTopic,       ///< at an offset that was folded, and not the record that was folded there
  kPosition,         ///< says how far the group was done; no record
  kQuestion,         ///< asks for a URL's score: no verdict, and nothing but the mark changes
};

/// Offsets of one source partition, both ends included.
struct OffsetRange {
  std::int64_t from = 0;
  std::int64_t to = 0;

  friend bool operator==(const OffsetRange&, const OffsetRange&) = default;
};

/// What a mark says of an entry.
struct MarkStep {
  std::optional<FoldOutcome> refused;  ///< why the entry isn't judged; nullopt: it is
  /// As it is behind the entry, where that is judged or opens a gap.
  state::Mark mark;
  std::optional<OffsetRange> opened;    ///< the log holds no entry for these, and goes on behind
  std::optional<OffsetRange> given_up;  ///< the oldest gap, which no longer had room in the mark
  bool fills_gap = false;               ///< the entry belongs to a gap that was opened before
};

/// Gaps that a mark remembers for one partition.
inline constexpr std::size_t kMaxGaps = 64;

/// The rule by which each input record is judged once, whatever is repeated, late or missing
/// (docs/verdicts.md, "Marks"). `before` is the partition's mark, null for its first entry.
/// Deterministic. Never fails.
[[nodiscard]] MarkStep AdvanceMark(const state::Mark* before, const log::Source& source,
                                   std::uint32_t fold_version);

}  // namespace crawlsieve
