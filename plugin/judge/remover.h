#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/decision.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/known_sites.h"
#include "plugin/judge/overlay.h"
#include "plugin/judge/removal.h"
#include "plugin/judge/rows.h"
#include "plugin/log/entry.pb.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve {

/// Takes pages out of the state, a bounded number of rows after an entry: what purges name, what
/// expired, and what is more than the bound allows. A function of the state and the number of the
/// entry, so that a fold that was interrupted goes on as the other one did. docs/state.md, "What
/// goes", has the rules.
///
/// For one entry; thread-compatible. Borrows all.
class Remover {
 public:
  Remover(FoldProgress& progress, Overlay& overlay, KnownSites& sites)
      : progress_(progress), overlay_(overlay), sites_(sites) {}

  /// Takes up a purge, the entry of the progress' sequence, and looks for the first of its rows.
  /// False: it names nothing, or has the id of one of the latest. Errors: kIo, kCorruption.
  [[nodiscard]] Result<bool> Begin(const log::Purge& purge, std::string_view scheme);

  /// Takes out what is left of a URL that is purged, so that it can be judged anew. `key`: of its
  /// row. Errors: kIo, kCorruption.
  [[nodiscard]] Status CompleteFor(std::string_view key);

  /// The work that is due behind the entry of the progress' sequence. Errors: kIo, kCorruption.
  [[nodiscard]] Status Sweep();

  /// Whether a purge or a pass of expiry has come to its end: time to give room on disk back.
  [[nodiscard]] bool has_finished() const { return has_finished_; }

 private:
  [[nodiscard]] const RetentionParameters& retention() const {
    return progress_.parameters->retention;
  }
  /// Looks through the rows of the first purge that is given, as many as are looked at at a time.
  /// Whether it is done.
  [[nodiscard]] Result<bool> Look(ActivePurge& purge);
  [[nodiscard]] Status Expire();
  [[nodiscard]] Status ExpireDocument(const Store::Row& row);
  [[nodiscard]] Status ExpireUrl(const Store::Row& row);
  [[nodiscard]] Status KeepBound();
  /// When a row counts as seen, in hours of the log's clock.
  [[nodiscard]] std::uint32_t SeenOf(std::uint32_t hour) const;

  [[nodiscard]] Status RemoveUrl(const UrlRow& row);
  [[nodiscard]] Status RemoveDocument(const DocumentRow& document);
  [[nodiscard]] Status ForgetSiteOf(std::string_view url);

  FoldProgress& progress_;
  Overlay& overlay_;
  KnownSites& sites_;
  std::string forgotten_;  // the latest site that was
  bool has_finished_ = false;
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
