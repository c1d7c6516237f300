#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/decision.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/overlay.h"
#include "plugin/judge/removal.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/score_queue.h"
#include "plugin/log/entry.pb.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// Takes pages out of the state, a bounded number of rows after an entry: what purges name, what
/// expired, and what is more than the bound allows. A function of the state and the number of the
/// entry, so that a fold that was interrupted goes on as the other one did. docs/state.md, "What
/// goes", has the rules.
///
/// For one entry; thread-compatible. Borrows all.
class Remover {
 public:
  /// Adds what goes to `removed`, and to `forgotten` the sites that had a slot.
  Remover(FoldProgress& progress, Overlay& overlay, ScoreQueue& scores, Removed& removed,
          std::vector<std::string>& forgotten)
      : progress_(progress),
        overlay_(overlay),
        scores_(scores),
        removed_(removed),
        forgotten_(forgotten) {}

  /// Takes up a purge, the entry of the progress' sequence, and looks for the first of its rows.
  /// False: it names nothing, or has the id of one of the latest. Errors: kIo, kCorruption.
  [[nodiscard]] Result<bool> Begin(const log::Purge& purge, std::string_view scheme);

  /// Rows of the page's URL and of its redirect's target that are purged and still there. Changes
  /// nothing. Errors: kIo, kCorruption.
  [[nodiscard]] Result<std::vector<UrlRow>> StaleUrlsOf(const log::Page& page);
  /// Takes them out, before they are written anew. Errors: kIo, kCorruption.
  [[nodiscard]] Status RemoveStale(const std::vector<UrlRow>& stale);

  /// The work that is due behind the entry of the progress' sequence. Errors: kIo, kCorruption.
  [[nodiscard]] Status Sweep();

 private:
  [[nodiscard]] const RetentionParameters& retention() const {
    return progress_.parameters->retention;
  }
  /// Looks through the rows of the first purge that is given, as many as are looked at at a time.
  /// Whether it is done.
  [[nodiscard]] Result<bool> Look(ActivePurge& purge);
  /// Path patterns may be the paths of what is named.
  void ForgetPatterns(const Selection& selection);
  [[nodiscard]] Status Expire();
  [[nodiscard]] Status ExpireDocuments(std::span<const Store::Row> rows);
  [[nodiscard]] Status ExpireUrls(std::span<const Store::Row> rows);
  [[nodiscard]] Status KeepBound();
  /// When a row counts as seen, in hours of the log's clock.
  [[nodiscard]] std::uint32_t SeenOf(std::uint32_t hour) const;

  /// A URL, and its kept version: `urls` and `pages` count what was there.
  [[nodiscard]] Status RemoveUrl(const UrlRow& row, std::uint64_t& urls, std::uint64_t& pages);
  /// Reads together what their removal will look at one by one.
  [[nodiscard]] Status ReadAheadFor(std::span<const UrlRow> urls);
  void ReadAheadFor(std::span<const DocumentRow> documents);
  [[nodiscard]] Status RemoveDocument(const DocumentRow& document, std::uint64_t& pages);
  [[nodiscard]] Status Forget(std::string_view site);

  FoldProgress& progress_;
  Overlay& overlay_;
  ScoreQueue& scores_;  ///< which keeps sites in memory
  Removed& removed_;
  std::vector<std::string>& forgotten_;
  std::string last_site_;  // that was forgotten
};

/// Adds to a decision about the page of entry `id` what the rows need for their removal: whose they
/// are, when they were seen, and that they are newer than the purges under way. Errors: kIo,
/// kCorruption.
[[nodiscard]] Status NoteForRemoval(const log::Page& page, DocId id,
                                    const RetentionParameters& retention,
                                    const RemovalProgress& removal, JudgeView& view,
                                    PageDecision& decision);

/// How much later than it was seen a document may say so, in hours: a row isn't written for each
/// page that repeats it.
[[nodiscard]] constexpr std::uint32_t SeenStep(const RetentionParameters& retention) {
  const auto step = static_cast<std::uint32_t>(retention.expire_seconds / 3600 / 16);
  return step > 0 ? step : 1;
}

}  // namespace crawlsieve
