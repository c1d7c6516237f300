#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evaluation/evaluation.h"
#include "evaluation/page_set.h"
#include "evaluation/statistics.h"

namespace crawlsieve::consumer {

/// What one scheme made of the labelled pairs.
struct ContestRow {
  std::string scheme;
  double threshold = 0;
  Counts counts;
  double bytes_per_page = 0;
  double microseconds_per_page = 0;  ///< processor time, from words to fingerprint
};

/// Runs the comparison scheme `name`, or all of them for `all`, on the pairs that `evaluation`
/// scored: same pages, same words. One row for each threshold of a scheme; with `all`, the service
/// comes first. Errors: kInvalidInput (no such scheme; names all).
[[nodiscard]] Result<std::vector<ContestRow>> RunContest(const Evaluation& evaluation,
                                                         const PageSet& pages,
                                                         std::string_view name);

/// A table for people.
[[nodiscard]] std::string ContestText(const std::vector<ContestRow>& rows);
/// One object.
[[nodiscard]] std::string ContestJson(const std::vector<ContestRow>& rows);

}  // namespace crawlsieve::consumer
