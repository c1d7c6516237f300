#pragma once

#include "bench/harvest/crawl_set.h"
#include "plugin/fingerprint/sketch.h"
#include "plugin/judge/detector.h"
#include "plugin/site/site.h"
#include "tests/support/temporary_directory.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace crawlsieve::bench {

/// The judge over the pages of a set, in the order in which they are fetched: the fold of the
/// product with a state and an index of its own. Thread-compatible.
class PageJudge {
 public:
  /// `set` must outlive it. Errors: kIo.
  [[nodiscard]] static Result<std::unique_ptr<PageJudge>> Create(const CrawlSet& set);

  /// Judges the page as the next entry of the log. The views are into the set. An error of the fold
  /// ends the program: entries of our own making can't be refused.
  [[nodiscard]] site::PageObservation Judge(std::size_t page);

 private:
  explicit PageJudge(const CrawlSet& set) : set_(set) {}

  const CrawlSet& set_;
  testing::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  std::int64_t offset_ = 0;
  /// Of pages that the judge compares with none: too short, or no HTML.
  std::unordered_set<std::uint64_t> seen_;
  /// A page and the content that it was found to have.
  struct Seen {
    site::ContentMark mark;
    std::uint64_t content = 0;
    Sketch sketch;
    bool has_sketch = false;
  };
  /// Compares a page that the judge found new with the earlier ones of its site that are near: what
  /// the index finds for the judge.
  void CompareWithSite(const log::Page& page, site::PageObservation& observation);
  std::map<std::string, std::vector<Seen>> seen_pages_;  // by site
};

}  // namespace crawlsieve::bench
