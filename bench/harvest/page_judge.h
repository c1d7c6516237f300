#pragma once

#include "plugin/judge/detector.h"
#include "plugin/log/entry.pb.h"
#include "plugin/score/url_score.h"
#include "plugin/site/site.h"
#include "plugin/verdict/verdict.h"
#include "tests/support/temporary_directory.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::bench {

/// The judge over pages, in the order in which they are fetched: the fold of the product with a
/// state and an index of its own. Thread-compatible.
class PageJudge {
 public:
  /// `scheme`: of the entries. Errors: kIo.
  [[nodiscard]] static Result<std::unique_ptr<PageJudge>> Create(const std::string& scheme);

  /// Judges the page as the next entry of the log. An error of the fold ends the program: entries
  /// of our own making can't be refused.
  /// Returns the reason of its verdict.
  std::string Judge(log::Entry entry);
  /// The reason in the score record of the latest page's own URL. Errors end the program.
  [[nodiscard]] std::string ReasonOfScore();

  /// The score records of the latest page: its own URL and its links. Errors end the program.
  [[nodiscard]] std::vector<UrlScore> Scores();

  /// What is known of a site by now. Errors end the program.
  [[nodiscard]] site::Site SiteAt(std::string_view name);
  /// What is told of a site by now. Errors end the program.
  [[nodiscard]] std::optional<SiteReport> ReportOn(std::string_view name);
  /// What a fetch of the crawl brings.
  [[nodiscard]] site::Expected Average() const;

 private:
  PageJudge() = default;

  testing::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  std::int64_t offset_ = 0;
  log::Page page_;  // the latest
  std::optional<Verdict> verdict_;
};

}  // namespace crawlsieve::bench
