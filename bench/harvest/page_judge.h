#pragma once

#include "bench/harvest/crawl_set.h"
#include "plugin/judge/detector.h"
#include "plugin/site/site.h"
#include "tests/support/temporary_directory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace crawlsieve::bench {

/// The judge over the pages of a set, in the order in which they are fetched: the fold of the
/// product with a state and an index of its own. Thread-compatible.
class PageJudge {
 public:
  /// `set` must outlive it. Errors: kIo.
  [[nodiscard]] static Result<std::unique_ptr<PageJudge>> Create(const CrawlSet& set);

  /// Judges the page as the next entry of the log. An error of the fold ends the program: entries
  /// of our own making can't be refused.
  /// Returns the reason of its verdict.
  std::string Judge(std::size_t page);

  /// What is known of a site by now. Errors end the program.
  [[nodiscard]] site::Site SiteAt(std::string_view name);
  /// What a fetch of the crawl brings.
  [[nodiscard]] site::Expected Average() const;

 private:
  explicit PageJudge(const CrawlSet& set) : set_(set) {}

  const CrawlSet& set_;
  testing::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  std::int64_t offset_ = 0;
};

}  // namespace crawlsieve::bench
