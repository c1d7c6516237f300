#include "plugin/judge/score_queue.h"

#include "plugin/base/on_threads.h"
#include "plugin/judge/page_scores.h"
#include "plugin/judge/removal.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace crawlsieve {
namespace {

/// Fewer are not worth a thread, whose start takes some 20 microseconds.
constexpr std::size_t kLeastPerThread = 4;

}  // namespace

void ScoreQueue::BeginEntry() { history_.BeginEntry(++entry_); }

void ScoreQueue::Add(const log::Page& page, const Verdict& verdict, const site::Expected& average) {
  overlay_.rows().SetListener(&history_);
  waiting_.push_back({entry_, &page, verdict, average});
}

void ScoreQueue::NoteSites(const SiteStep& step) {
  if (!step.taken.has_value() && !step.forgotten.has_value()) return;
  if (any_waits()) {
    steps_.push_back({entry_, step});
  } else {
    for (KnownSites& sites : sites_) sites.Take(step);
  }
}

void ScoreQueue::ForgetSite(std::string_view name) {
  SiteStep step;
  step.forgotten = name;
  NoteSites(step);
}

Status ScoreQueue::Make(const JudgeParameters& parameters, std::uint32_t fold_version,
                        const PurgedRows& purged, std::size_t threads) {
  if (!any_waits()) return {};
  KeepNoHistory();
  threads = std::clamp<std::size_t>(waiting_.size() / kLeastPerThread, 1,
                                    std::max<std::size_t>(threads, 1));
  // Those without work would have to take the steps all the same.
  sites_.resize(threads);
  std::vector<Result<std::vector<UrlScore>>> made(waiting_.size());
  OnThreads(threads, [&](std::size_t t) {
    auto step = steps_.begin();
    const auto take_until = [&](std::uint64_t entry) {
      for (; step != steps_.end() && step->entry <= entry; ++step) sites_[t].Take(step->step);
    };
    const std::size_t end = waiting_.size() * (t + 1) / threads;
    for (std::size_t i = waiting_.size() * t / threads; i < end; ++i) {
      const Waiting& page = waiting_[i];
      take_until(page.entry);
      RowsAsOf as_of(overlay_, history_, page.entry);
      LivingRows rows(purged, as_of);
      made[i] = ScoresOf(*page.page, page.verdict,
                         {parameters, fold_version, page.average, sites_[t], rows});
    }
    take_until(entry_);
  });
  waiting_.clear();
  steps_.clear();
  history_.Clear();
  for (auto& scores : made) {
    if (!scores) {
      made_.clear();
      return tl::unexpected(std::move(scores.error()));
    }
    made_.push_back(std::move(*scores));
  }
  return {};
}

std::vector<std::vector<UrlScore>> ScoreQueue::Take() { return std::exchange(made_, {}); }

void ScoreQueue::Clear() {
  KeepNoHistory();
  history_.Clear();
  waiting_.clear();
  steps_.clear();
  for (KnownSites& sites : sites_) sites.Clear();
}

void ScoreQueue::KeepNoHistory() { overlay_.rows().SetListener(nullptr); }

}  // namespace crawlsieve
