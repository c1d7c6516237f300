#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/state/state.pb.h"
#include "plugin/state/store.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace crawlsieve {

/// The marks of the partitions that were met since the start or the last Discard, as they are
/// behind the last folded entry. Every entry advances a mark, so each is parsed once and goes to
/// the rows with the commit, not with each entry. Thread-compatible.
class OpenMarks {
 public:
  /// The mark of the source's partition; nullptr: it has none yet. Valid until Set or
  /// Discard. Errors: those of the rows.
  [[nodiscard]] Result<const state::Mark*> Find(RowReader& rows, const log::Source& source);

  /// Replaces the mark of the source's partition, which Find was called for.
  void Set(const log::Source& source, state::Mark mark);

  /// Puts the marks that were changed since the last call among the changes.
  void Write(Changes& changes);

  void Discard();

 private:
  struct Open {
    std::optional<MarkRow> row;  ///< nullopt: the partition has no mark
    bool is_changed = false;
  };
  using Partitions = std::map<std::int32_t, Open>;

  /// By topic, so that looking one up copies no name.
  std::map<std::string, Partitions, std::less<>> topics_;
};

}  // namespace crawlsieve
