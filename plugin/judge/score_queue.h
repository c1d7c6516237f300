#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/known_sites.h"
#include "plugin/judge/overlay.h"
#include "plugin/judge/page_site.h"
#include "plugin/judge/row_history.h"
#include "plugin/log/entry.pb.h"
#include "plugin/score/url_score.h"
#include "plugin/site/pattern_counts.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/verdict.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// Pages whose scores are made together, on several threads, after later pages were folded: of each
/// by the state as it was behind it. A fold is one page after the other, while most of the work
/// with 60 links a page is to score them, and changes nothing.
///
/// Operation: BeginEntry before each entry; Add behind a page; Make, then Take. As long as pages
/// wait, the history of rows is kept. Thread-compatible. Borrows the overlay, and the entries that
/// were folded since the first page that waits.
class ScoreQueue {
 public:
  explicit ScoreQueue(Overlay& overlay) : overlay_(overlay) {}
  ScoreQueue(const ScoreQueue&) = delete;
  ScoreQueue& operator=(const ScoreQueue&) = delete;
  ~ScoreQueue() { KeepNoHistory(); }

  void BeginEntry();

  /// The page of the entry. `average`: of a fetch of the crawl, behind it.
  void Add(const log::Page& page, const Verdict& verdict, const site::Expected& average);

  /// What the entry changed of sites.
  void NoteSites(const SiteStep& step);
  void ForgetSite(std::string_view name);

  /// Makes the scores of the pages that wait, on `threads` threads at most. Parameters, rules and
  /// purges have been the same since the first of them. Errors: those of ScoresOf, the first
  /// page's; then nothing is made.
  [[nodiscard]] Status Make(const JudgeParameters& parameters, std::uint32_t fold_version,
                            const PurgedRows& purged, std::size_t threads);

  /// What was made since the last call: of each page, in their order.
  [[nodiscard]] std::vector<std::vector<UrlScore>> Take();

  [[nodiscard]] bool any_waits() const { return !waiting_.empty(); }

  /// Forgets everything but what was made.
  void Clear();

  /// Sites as they are behind the last entry. Only where no page waits.
  [[nodiscard]] KnownSites& sites() { return sites_.front(); }

 private:
  struct Waiting {
    std::uint64_t entry;
    const log::Page* page;
    Verdict verdict;
    site::Expected average;
  };
  struct Step {
    std::uint64_t entry;
    SiteStep step;
  };

  void KeepNoHistory();

  Overlay& overlay_;
  RowHistory history_;
  std::uint64_t entry_ = 0;
  std::vector<Waiting> waiting_;
  std::vector<Step> steps_;          // since the first page that waits
  std::deque<KnownSites> sites_{1};  // of each thread
  std::vector<std::vector<UrlScore>> made_;
};

}  // namespace crawlsieve
