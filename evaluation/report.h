#pragma once

#include <string>

#include "evaluation/evaluation.h"
#include "evaluation/page_set.h"

namespace crawlsieve::consumer {

/// The evaluation as one HTML page with plots, and the pairs that were judged wrongly (the first
/// 200) side by side with their differing words marked. Words come from `pages`, loaded with text.
[[nodiscard]] std::string EvaluationReport(const Evaluation& evaluation, const PageSet& pages);

}  // namespace crawlsieve::consumer
