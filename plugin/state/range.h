#pragma once

#include "plugin/base/result.h"
#include "plugin/state/changes.h"
#include "plugin/state/row_map.h"
#include "plugin/state/store.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// Gives the next rows of a range, from `from` on: `count` of them, or all that there are.
using RowSource =
    std::function<Result<std::vector<Store::Row>>(std::string_view from, std::size_t count)>;

/// The first `limit` rows of a table whose keys begin with `prefix` and are `from` or more, in
/// order: those of `source`, with `changes` made to them. Looks at all of the changes. `source` is
/// asked for rows in ascending order. Errors: those of `source`.
[[nodiscard]] Result<std::vector<Store::Row>> ChangedRange(const Changes& changes, Table table,
                                                           std::string_view prefix,
                                                           std::string_view from, std::size_t limit,
                                                           const RowSource& source);

/// The same of changes that `changes_within` gives: those to keys from `from` to `last`, both ends
/// included, in order, each key once. nullptr: to the end of the range. They are valid until the
/// next call.
using ChangeSource =
    std::function<std::vector<RowMap::Row>(std::string_view from, const std::string* last)>;
[[nodiscard]] Result<std::vector<Store::Row>> ChangedRange(const ChangeSource& changes_within,
                                                           std::string_view from, std::size_t limit,
                                                           const RowSource& source);

/// Which keys of a part of a table have changes in memory, for who asks for one range behind the
/// other, as a purge does. Changes are hundreds of thousands in no order, and looking through all
/// of them takes 2 ms. They are looked through once for so many ranges, and then only those that
/// came since.
///
/// Thread-compatible.
class ChangedKeys {
 public:
  /// Where the changes are, the later ones last. `generation` is another one whenever they aren't
  /// the same ones with others added.
  struct Sources {
    std::vector<const Changes*> changes;
    std::uint64_t generation = 0;
  };

  /// The key that a part of the table which begins with `from` may end with; nullopt: the part goes
  /// on to the end of the range.
  using PartEnd = std::function<std::optional<std::string>(std::string_view from)>;

  /// As ChangeSource, of keys of a table that begin with `prefix`.
  [[nodiscard]] std::vector<RowMap::Row> Within(Table table, const Sources& sources,
                                                std::string_view prefix, std::string_view from,
                                                const std::string* last,
                                                const PartEnd& end_of_part);

 private:
  [[nodiscard]] bool Has(std::string_view from, const std::string* last) const;
  void Add(const Sources& sources);
  void Add(std::string_view key);

  // The part that is known.
  bool is_known_ = false;
  Table table_ = Table::kUrls;
  std::uint64_t generation_ = 0;
  std::string prefix_;
  std::string first_;
  std::optional<std::string> last_;
  struct LookedAt {
    std::size_t rows = 0;
    std::size_t groups = 0;
  };
  std::vector<LookedAt> looked_at_;  ///< of each of the changes
  std::set<std::string, std::less<>> keys_;
};

}  // namespace crawlsieve
