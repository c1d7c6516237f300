#pragma once

#include "plugin/index/hamming_index.h"
#include "plugin/judge/candidate_source.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/state/store.h"
#include "plugin/verdict/parameters.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace crawlsieve {

/// Rows of a store and answers of an index, read by several threads before somebody needs them one
/// by one. What isn't here was not read; nobody may rely on anything being here.
///
/// It knows nothing of later changes: rows are to be cleared when the store changes, and answers
/// made good for what the index has come to since.
/// Thread-compatible.
class ReadAhead {
 public:
  /// Reads what judging the pages among `entries` needs by NameFirstRows and NameDocuments, and
  /// what their scores need by ScoreRows if `rules` ask for them, on `threads` threads at most, and
  /// keeps it until the next call or Clear. Store and index must stand still meanwhile. `remote`,
  /// where given, names documents beside those of the index. Returns what the lookups took.
  LookupWork Read(const Store& store, const HammingIndex& index, const CandidateSource* remote,
                  std::span<const log::Entry> entries, const ReadRules& rules, std::size_t threads);

  /// Reads rows together, beside what was read before.
  void ReadRows(const Store& store, const HammingIndex& index, Table table,
                std::span<const std::string> keys);

  void Clear() { readers_.clear(); }

  /// The row as it was read, nullopt inside if there was none; nullopt if it wasn't read.
  [[nodiscard]] std::optional<RowMap::Value> Row(Table table, std::string_view key) const;

  /// The same of several rows.
  [[nodiscard]] std::vector<std::optional<RowMap::Value>> Rows(Table table,
                                                               const RowMap::Keys& keys) const;

  /// The index's answer as it was; null if it wasn't asked in this way.
  [[nodiscard]] const std::vector<Match>* Matches(Fingerprint query, const Reach& reach) const;

 private:
  /// One thread's part: shows the rows that were fetched, and asks the index.
  class Reader final : public JudgeView {
   public:
    Reader(const Store& store, const HammingIndex& index, const CandidateSource* others)
        : store_(store), index_(index), others_(others) {}

    /// Asks for a row, which is there after the next Fetch.
    void Want(Table table, std::string_view key);

    /// Reads the rows that are wanted.
    void Fetch();

    /// Of a row that wasn't fetched, or can't be read: there is none. Valid until the next Fetch.
    [[nodiscard]] Result<RowMap::Value> Row(Table table, std::string_view key) override;

    /// The answer is kept.
    [[nodiscard]] Result<FoundCandidates> Candidates(Fingerprint query,
                                                     const Reach& reach) override;

   private:
    friend class ReadAhead;

    struct Answer {
      Reach reach;
      std::vector<Match> matches;
    };

    const Store& store_;
    const HammingIndex& index_;
    const CandidateSource* others_;
    std::array<RowMap, kTableCount> rows_;
    std::array<std::size_t, kTableCount> fetched_{};     // so many of them; those behind are wanted
    std::unordered_map<std::uint64_t, Answer> answers_;  // by the query's bits
    LookupWork work_;
  };

  // What each has read. A row may be there twice: to make one of them takes longer than to look
  // into all.
  std::vector<Reader> readers_;
};

}  // namespace crawlsieve
