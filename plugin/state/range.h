#pragma once

#include "plugin/base/result.h"
#include "plugin/state/row_map.h"
#include "plugin/state/store.h"

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// Gives the next rows of a range, from `from` on: `count` of them, or all that there are.
using RowSource =
    std::function<Result<std::vector<Store::Row>>(std::string_view from, std::size_t count)>;

/// The first `limit` rows whose keys begin with `prefix` and are `from` or more, in order: those of
/// `source`, with `changes` made to them, the later ones last. Looks at all of the changes.
/// `source` is asked for rows in ascending order. Errors: those of `source`.
[[nodiscard]] Result<std::vector<Store::Row>> ChangedRange(
    const std::vector<const RowMap*>& changes, std::string_view prefix, std::string_view from,
    std::size_t limit, const RowSource& source);

}  // namespace crawlsieve
