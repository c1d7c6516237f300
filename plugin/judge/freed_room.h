#pragma once

#include "plugin/judge/removal.h"

#include <cstdint>

namespace crawlsieve {

/// When the files of a state are worth being merged for the room that removed pages take there: all
/// of a table is written anew for that. Not part of the state: a judge that starts anew counts
/// anew. Value type.
class FreedRoom {
 public:
  void Add(const Removed& removed) {
    pages_ += removed.pages();
    has_ended_ |= removed.purges_done > 0 || removed.is_pass_done;
  }

  /// Whether IsWorthIt may have changed, so that the documents are worth being counted.
  [[nodiscard]] bool IsTimeToLook() const {
    return (has_ended_ && pages_ > 0) || pages_ >= next_look_;
  }

  /// One in sixteen pages has gone when a purge or a pass of expiry ends, or one in four.
  /// `documents`: of those that are there still. Once it says true it counts anew.
  [[nodiscard]] bool IsWorthIt(std::uint64_t documents) {
    const bool is_worth_it = pages_ * (has_ended_ ? 16 : 4) >= pages_ + documents;
    if (is_worth_it) pages_ = 0;
    next_look_ = pages_ + kStep;
    has_ended_ = false;
    return is_worth_it;
  }

 private:
  static constexpr std::uint64_t kStep = 1 << 16;

  std::uint64_t pages_ = 0;
  std::uint64_t next_look_ = kStep;
  bool has_ended_ = false;
};

}  // namespace crawlsieve
