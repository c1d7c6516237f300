#pragma once

#include "plugin/state/changes.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// What rows were before entries changed them, so that somebody can read the state as it was behind
/// an entry before the last.
///
/// Thread-compatible.
class RowHistory final : public ChangeListener {
 public:
  /// What a row was among the changes that are not committed: nullopt: unchanged; inner nullopt:
  /// deleted.
  using Before = std::optional<RowMap::Value>;

  /// Changes from now on are the entry's. Numbers ascend.
  void BeginEntry(std::uint64_t number) { entry_ = number; }

  void BeforeChange(Table table, std::string_view key, const Before& before) override;

  /// What a row was behind that entry; nullopt: no later entry changed it, so it is what it is now.
  /// Valid until the next change.
  [[nodiscard]] std::optional<Before> Find(Table table, std::string_view key,
                                           std::uint64_t entry) const;

  void Clear();

 private:
  struct Version {
    std::uint64_t until;  ///< the entry that changed it
    std::optional<std::optional<std::string>> row;
  };
  using Versions = std::vector<Version>;  // the oldest first

  std::uint64_t entry_ = 0;
  // In the order of keys: whoever chooses URLs can't make them fall together.
  std::array<std::map<std::string, Versions, std::less<>>, kTableCount> tables_;
};

}  // namespace crawlsieve
