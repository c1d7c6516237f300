#pragma once

#include "plugin/base/result.h"
#include "plugin/index/hamming_index.h"
#include "plugin/state/store.h"
#include "plugin/verdict/parameters.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// Rows that were read together, in the order of their keys as asked for.
struct RowValues {
  /// nullopt: there is no such row. Valid as long as this is there and the state doesn't change.
  std::vector<RowMap::Value> values;
  /// Where those are that are nowhere else in memory.
  RowMap copies;
};

/// Reads rows of the judge's state. Thread-compatible.
class RowReader {
 public:
  virtual ~RowReader() = default;

  /// The bytes of a row; nullopt: there is no such row. Valid until the next call.
  /// Errors: kIo, kCorruption.
  [[nodiscard]] virtual Result<RowMap::Value> Row(Table table, std::string_view key) = 0;

  /// The same of several rows, for whoever needs them all. May read them together.
  [[nodiscard]] virtual Result<RowValues> Rows(Table table, std::span<const std::string_view> keys);
};

/// The rows of a store, which must outlive it. Thread-compatible.
class StoredRows final : public RowReader {
 public:
  explicit StoredRows(const Store& store) : store_(store) {}

  [[nodiscard]] Result<RowMap::Value> Row(Table table, std::string_view key) override {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto read, store_.Get(table, key));
    last_ = std::move(read);
    return RowMap::Value(last_);
  }

 private:
  const Store& store_;
  std::optional<std::string> last_;
};

/// How the index is asked for candidates: the arguments of HammingIndex::Find.
struct Reach {
  int max_distance = 0;
  std::size_t limit = 0;

  friend bool operator==(const Reach&, const Reach&) = default;
};

/// The reach of a decision: two more candidates than are compared, for the page's own earlier
/// version and for one that shows that the bound cut something off.
[[nodiscard]] inline Reach ReachOf(const JudgeParameters& parameters) {
  return {static_cast<int>(parameters.max_distance), std::size_t{parameters.max_candidates} + 2};
}

/// What is made of an entry: a verdict, and perhaps the scores of what it leads to.
enum class Purpose { kVerdicts, kVerdictsAndScores };

/// What the rows that are read for a page depend on besides the page.
struct ReadRules {
  const JudgeParameters& parameters;
  std::uint32_t fold_version;
  Purpose purpose = Purpose::kVerdicts;
};

/// Documents near a query, in order. Borrowed from whoever gave it.
struct FoundCandidates {
  std::span<const Match> matches;
  /// These are all within reach, or as many as were asked for. Otherwise nobody knows yet which
  /// follow.
  bool is_whole = true;
};

/// All that a decision about a page may read: rows of the state and candidates of the index, as
/// they are before the page. Thread-compatible.
class JudgeView : public RowReader {
 public:
  /// The documents nearest to `query`, as HammingIndex::Find gives them. Valid until the next call
  /// of this function. Errors: as Row.
  [[nodiscard]] virtual Result<FoundCandidates> Candidates(Fingerprint query,
                                                           const Reach& reach) = 0;
};

}  // namespace crawlsieve
