#pragma once

#include <string>

#include "evaluation/evaluation.h"
#include "evaluation/page_set.h"

namespace crawlsieve::consumer {

/// The evaluation as one HTML page: the answer in a sentence, charts, tables, and up to 150 pairs
/// side by side with their differing words marked: those that were judged wrongly, then those that
/// came closest to it. Words come from `pages`, loaded with text.
[[nodiscard]] std::string EvaluationReport(const Evaluation& evaluation, const PageSet& pages);

}  // namespace crawlsieve::consumer
