#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/candidate_source.h"
#include "plugin/slots/candidates_record.h"
#include "plugin/slots/changes_record.h"
#include "plugin/slots/layout.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace crawlsieve {

/// What the slots answered, put together with what the fold's own index has.
///
/// An answer is used if it is of a place that the fold itself committed, and its own index has
/// every document since. It says which of the slot's documents within reach were live there, the
/// first ones. So a live document is in it, or behind its cut, or in the fold's own index; and one
/// that was retired since has no row. That holds for answers that are late, repeated, out of order
/// or of a process that was believed dead; which of them are there decides when a page can be
/// judged, not how.
///
/// Candidates that were recorded with the changes go before answers: the fold follows what was
/// published by them.
///
/// Thread-compatible, see CandidateSource.
class SlotReplies final : public CandidateSource {
 public:
  /// `window`: entries past the last commit that answers are kept for.
  SlotReplies(SlotLayout layout, std::int64_t window);

  enum class Taken {
    kNew,    ///< has something that wasn't known
    kStale,  ///< of a place that can't be used (any more), or of entries that are judged
  };

  /// Takes a record of the topic of candidates. Errors: kCorruption, kMismatch (of another layout);
  /// nothing of it is taken then.
  [[nodiscard]] Result<Taken> Take(std::string_view record);

  /// Takes the candidates that were recorded with changes, of whatever layout; records in the order
  /// of the log. Errors: kMismatch (of another scheme, or it doesn't follow what was committed or
  /// recalled before it); nothing of it is taken then.
  [[nodiscard]] Status Recall(const ChangesRecord& changes);

  /// Whether a record that was recalled ends with this entry, which the fold has taken. Errors:
  /// kMismatch, where the record names another entry: then it is of another log, and so is what was
  /// folded by it.
  [[nodiscard]] Result<bool> Confirm(const LogPosition& position);

  Result<bool> Complete(DocId page, Fingerprint query, const Reach& reach, RowReader& rows,
                        std::vector<Match>& matches) override;
  void NameDocuments(Fingerprint query, const Reach& reach,
                     const std::function<void(DocId)>& name) const override;
  void OnCommitted(const LogPosition& position, std::uint64_t sequence,
                   std::uint64_t own_after) override;

  /// Whether every slot has answered for the last query that couldn't be completed: then it is for
  /// cut lists that it couldn't be.
  [[nodiscard]] bool lacks_depth() const { return silent_.empty(); }
  /// The slots without an answer to it that can be used.
  [[nodiscard]] const std::vector<std::uint32_t>& silent() const { return silent_; }
  /// The slots that it waits for: the silent ones, or else those whose candidates are cut.
  [[nodiscard]] const std::vector<std::uint32_t>& waited_for() const {
    return lacks_depth() ? cut_ : silent_;
  }

  [[nodiscard]] const SlotLayout& layout() const { return layout_; }
  /// Queries with answers.
  [[nodiscard]] std::size_t size() const { return queries_.size(); }
  /// Answers to them that take memory.
  [[nodiscard]] std::size_t reply_count() const { return reply_count_; }

 private:
  /// An answer is for this alone: one that went further might be cut sooner.
  struct Key {
    Fingerprint query;
    int max_distance = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::uint64_t>()(key.query.bits +
                                        static_cast<std::uint64_t>(key.max_distance));
    }
  };
  struct Reply {
    std::uint32_t slot = 0;
    std::uint64_t sequence = 0;  ///< of its place
    bool is_cut = false;
    std::vector<SlotCandidate> candidates;
  };
  struct Query {
    std::int64_t last = 0;       ///< offset of the last entry that asks this
    std::vector<Reply> replies;  ///< those that came, by slot
  };
  struct Candidate {
    int distance;
    DocId document;
    Fingerprint fingerprint;
    bool is_live;  ///< known to be
  };

  [[nodiscard]] bool IsKnown(const SlotPlace& place) const;
  [[nodiscard]] bool Follows(const ChangesRecord& changes) const;
  [[nodiscard]] bool Keep(SlotAnswer& answer, const CandidatesRecord& record);
  [[nodiscard]] Status Recalled(const std::vector<DocId>& documents, Fingerprint query,
                                RowReader& rows, std::vector<Match>& matches) const;
  [[nodiscard]] bool IsUsable(const Reply& reply) const { return reply.sequence >= own_after_; }
  /// Sets silent_.
  void FindSilent(const Query* known);
  /// Sets cut_: the slots of old answers that are cut, or else the one that is cut first.
  void FindCut(const Query& known, const std::pair<int, DocId>& horizon);

  const SlotLayout layout_;
  const std::int64_t window_;
  SlotPlace committed_;
  std::uint64_t own_after_ = 0;
  std::size_t reply_count_ = 0;
  std::map<std::int64_t, SlotPlace> places_;  ///< committed, by offset
  std::unordered_map<Key, Query, HashKey> queries_;
  std::multimap<std::int64_t, Key> by_offset_;            ///< by Query::last
  std::map<std::uint64_t, std::vector<DocId>> recalled_;  ///< by page
  std::map<std::int64_t, SlotPlace> recalled_ends_;       ///< of records, by offset
  std::vector<std::uint32_t> silent_;
  std::vector<std::uint32_t> cut_;
  std::vector<Candidate> merged_;  ///< of Complete
};

}  // namespace crawlsieve
