#pragma once

#include "plugin/state/changes.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace crawlsieve {

/// What rows of some Changes were before they were replaced, by the first replacement of each.
/// Thread-compatible.
class NotedRows {
 public:
  /// What a row was: not among the changes, deleted there, or a value. Valid until the next Note.
  struct Before {
    bool is_among_changes = false;
    RowMap::Value value;
  };

  explicit NotedRows(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// `coming` is about to be changed by `later`.
  void Note(const Changes& coming, const Changes& later);

  /// nullopt: the row wasn't replaced.
  [[nodiscard]] std::optional<Before> Find(Table table, std::string_view key) const;

  /// There were more bytes than may be noted: all of them are forgotten.
  [[nodiscard]] bool is_lost() const { return is_lost_; }

 private:
  const std::size_t most_bytes_;
  Changes among_;   // those that were among the changes
  Changes absent_;  // those that weren't
  bool is_lost_ = false;
};

}  // namespace crawlsieve
