#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/selection.h"
#include "plugin/judge/view.h"
#include "plugin/verdict/parameters.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crawlsieve {

/// A purge whose rows may still be there. They count as gone all the same: see PurgedRows.
struct ActivePurge {
  std::uint64_t sequence = 0;  ///< of its entry: rows of before it go
  Selection selection;
  std::uint32_t range = 0;  ///< of the selection's, where rows are being looked for
  std::string next;         ///< key in there to go on from
};

/// What is under way in the table of documents and then in that of URLs.
enum class ExpiryStage : std::uint32_t { kNone, kDocuments, kUrls };

/// What is being taken out of the state, and the log's clock. Part of the state. Value type.
struct RemovalProgress {
  std::vector<ActivePurge> purges;       ///< the first one's rows are being looked for
  std::vector<std::uint64_t> known_ids;  ///< hashes of the latest purges' ids, the oldest first
  // Seconds since 1970, by the log's clock; 0: unknown.
  std::uint64_t now = 0;
  std::uint64_t earliest = 0;  ///< time of a record since the last step
  std::uint64_t since = 0;     ///< rows without a time count as seen then
  std::uint64_t pass_began = 0;
  std::uint64_t horizon = 0;  ///< what was seen before goes
  ExpiryStage stage = ExpiryStage::kNone;
  std::string next;    ///< key to go on from
  std::string oldest;  ///< key of documents below which the bound has left none
  /// Documents that an index of all would have, as of the last commit; nullopt: there is no bound.
  std::optional<std::uint64_t> indexed;
  /// Whether the state has a row of this: from the first use on, for good.
  bool has_row = false;

  [[nodiscard]] RemovalRow ToRow() const;
  [[nodiscard]] static RemovalProgress Of(const RemovalRow& row);

  /// Remembers a purge's id. False: it is among the latest already.
  [[nodiscard]] bool TakeId(std::string_view id);
  static constexpr std::size_t kMaxIds = 1024;

  /// Notes when a page's input record was written.
  void NoteTime(std::int64_t timestamp_ms);
  /// Moves the clock on, at most by a day: to the earliest time that was noted since the last call.
  void MoveClock();
  /// Forgets it: nothing expires any more.
  void StopClock();
};

/// What an entry took out of the state. Value type.
struct Removed {
  std::uint64_t purged_urls = 0;   ///< histories
  std::uint64_t purged_pages = 0;  ///< kept versions
  std::uint64_t expired_urls = 0;
  std::uint64_t expired_pages = 0;
  std::uint64_t evicted_pages = 0;  ///< by the bound
  std::uint64_t purges_done = 0;    ///< purges that came to their end: none of their rows is left
  bool is_pass_done = false;        ///< a pass of expiry came to its end

  void Add(const Removed& other) {
    purged_urls += other.purged_urls;
    purged_pages += other.purged_pages;
    expired_urls += other.expired_urls;
    expired_pages += other.expired_pages;
    evicted_pages += other.evicted_pages;
    purges_done += other.purges_done;
    is_pass_done |= other.is_pass_done;
  }
  [[nodiscard]] std::uint64_t pages() const { return purged_pages + expired_pages + evicted_pages; }

  friend bool operator==(const Removed&, const Removed&) = default;
};

/// The hour of a time by the log's clock, as rows have it.
[[nodiscard]] constexpr std::uint32_t HourOf(std::uint64_t seconds) {
  return static_cast<std::uint32_t>(seconds / 3600);
}

/// Rows that are purged and still there. Borrows the purges, which must stay as they are.
class PurgedRows {
 public:
  explicit PurgedRows(const std::vector<ActivePurge>& purges) : purges_(purges) {}

  [[nodiscard]] bool any() const { return !purges_.empty(); }
  [[nodiscard]] bool Has(const UrlRow& row) const;
  [[nodiscard]] bool Has(const DocumentRow& row) const;
  /// The same of a row's bytes. Rows of other tables aren't purged. Errors: kCorruption.
  [[nodiscard]] Result<bool> Has(Table table, std::string_view key, std::string_view value) const;
  /// Whether a purge covers the row, older than it or not.
  [[nodiscard]] bool MayHave(const UrlRow& row) const;
  /// The sites that are to be forgotten for these rows, which are purged. What was forgotten when
  /// the purge began isn't among them: what is known of that now is newer.
  [[nodiscard]] std::vector<std::string> SitesOf(const std::vector<UrlRow>& rows) const;

 private:
  const std::vector<ActivePurge>& purges_;
};

/// Rows without those that are purged. Borrows all. Thread-compatible.
class LivingRows final : public RowReader {
 public:
  LivingRows(const PurgedRows& purged, RowReader& rows) : purged_(purged), rows_(rows) {}

  [[nodiscard]] Result<RowMap::Value> Row(Table table, std::string_view key) override;

  [[nodiscard]] Result<RowValues> Rows(Table table,
                                       std::span<const std::string_view> keys) override;

 private:
  const PurgedRows& purged_;
  RowReader& rows_;
};

/// A view in which purged rows are gone: documents, URLs, and URLs that clusters would prefer.
/// Borrows all. Thread-compatible.
class LivingView final : public JudgeView {
 public:
  /// `crawl_id`: of the page that is judged. `forgotten`: sites of which nothing is known either.
  LivingView(const PurgedRows& purged, std::string_view crawl_id, const JudgeParameters& parameters,
             std::vector<std::string> forgotten, JudgeView& view)
      : purged_(purged),
        crawl_id_(crawl_id),
        parameters_(parameters),
        forgotten_(std::move(forgotten)),
        view_(view) {}

  [[nodiscard]] Result<RowMap::Value> Row(Table table, std::string_view key) override;

  /// Asks for kMore more where purged documents are among the nearest. Farther ones aren't found:
  /// slots answer so many at most, and the answer must be the same with and without them.
  [[nodiscard]] Result<FoundCandidates> Candidates(Fingerprint query, const Reach& reach) override;
  static constexpr std::size_t kMore = 16;

 private:
  [[nodiscard]] Result<RowMap::Value> Document(std::string_view key);

  const PurgedRows& purged_;
  const std::string_view crawl_id_;
  const JudgeParameters& parameters_;
  const std::vector<std::string> forgotten_;
  JudgeView& view_;
  std::string changed_;
  std::vector<Match> matches_;
};

}  // namespace crawlsieve
