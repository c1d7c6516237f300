#pragma once

#include <string>

#include "evaluation/evaluation.h"
#include "evaluation/page_set.h"

namespace crawlsieve::consumer {

/// The evaluation as tables for people; several lines.
[[nodiscard]] std::string EvaluationText(const Evaluation& evaluation, const PageSet& pages);

/// The evaluation as one JSON object with all figures and every pair that was judged wrongly.
[[nodiscard]] std::string EvaluationJson(const Evaluation& evaluation, const PageSet& pages);

/// What a person calls a page: its id, else its URL.
[[nodiscard]] const std::string& NameOf(const log::Page& page);

/// `kept`, `too_short`, `not_evaluated`, `near`, `exact`.
[[nodiscard]] std::string_view NameOf(PairOutcome::Verdict verdict);

}  // namespace crawlsieve::consumer
