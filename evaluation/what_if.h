#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/detector.h"
#include "plugin/verdict/parameters.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "evaluation/page_set.h"

namespace crawlsieve::consumer {

/// What the judge would drop of some pages at one setting.
struct DropRate {
  double setting = 0;
  std::uint64_t dropped = 0;
};

/// A page and the earlier one nearest to it.
struct SampledPair {
  std::size_t earlier = 0;  ///< index of a page
  std::size_t later = 0;
  int distance = 0;
  Score similarity;
  bool dropped = false;  ///< whether the settings call the later a duplicate of the earlier
};

/// What settings would drop of pages without labels.
struct WhatIf {
  JudgeParameters parameters;
  std::uint64_t pages = 0;
  std::uint64_t dropped = 0;  ///< at `parameters`
  std::vector<DropRate> over_distance;
  std::vector<DropRate> over_similarity;
  std::vector<SampledPair> samples;  ///< by distance, 0 to 7 bits
};

struct WhatIfOptions {
  std::size_t samples_per_distance = 3;
  std::filesystem::path directory;  ///< for the judge's state; must be there; is left empty
};

/// Judges all pages once for each setting, with the fold of the service, and samples pairs of pages
/// at each distance (seeded: the same pages give the same samples). Exact duplicates are not
/// sampled. Errors: those of the store and the index.
[[nodiscard]] Result<WhatIf> AskWhatIf(const PageSet& pages, const JudgeParameters& parameters,
                                       const IndexFactory& make_index,
                                       const WhatIfOptions& options);

[[nodiscard]] std::string WhatIfText(const WhatIf& what_if, const PageSet& pages);
[[nodiscard]] std::string WhatIfJson(const WhatIf& what_if, const PageSet& pages);

/// One HTML page with charts and the samples side by side, to be labelled.
[[nodiscard]] std::string WhatIfReport(const WhatIf& what_if, const PageSet& pages);

}  // namespace crawlsieve::consumer
