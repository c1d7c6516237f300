#include "consumer/service/judge/removal_news.h"

#include "consumer/observability/logging.h"

namespace crawlsieve::consumer {

void RemovalNews::Add(const log::Entry& entry, const Folded& folded) {
  if (entry.has_purge()) {
    purges_.push_back({entry.purge().id(), folded.outcome == FoldOutcome::kPurge});
  }
  done_ += folded.removed.purges_done;
  passes_ += folded.removed.is_pass_done ? 1 : 0;
}

void RemovalNews::Report() const {
  for (const Purge& purge : purges_) {
    if (purge.is_taken) {
      Log(LogLevel::kInfo, "judge.purge",
          {{"id", purge.id},
           {"meaning", "what it names counts as gone; its rows go as entries are folded"}});
    } else {
      Log(LogLevel::kWarn, "judge.purge_ignored",
          {{"id", purge.id},
           {"meaning",
            "a purge changed nothing: one with this id was there before, or it names nothing. "
            "docs/operations.md, \"Having pages forgotten\""}});
    }
  }
  if (done_ > 0) Log(LogLevel::kInfo, "judge.purge_done", {{"purges", done_}});
  if (passes_ > 0) Log(LogLevel::kInfo, "judge.expiry_done", {{"passes", passes_}});
}

}  // namespace crawlsieve::consumer
