#include "evaluation/report.h"

#include "consumer/observability/html_escape.h"

#include <vector>

#include "evaluation/html.h"
#include "evaluation/summary.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kMaxPairs = 200;

ChartLine Line(std::string name, const std::vector<CurvePoint>& curve,
               Rate (Counts::*figure)() const) {
  ChartLine line{std::move(name), {}};
  for (const CurvePoint& point : curve) {
    line.points.emplace_back(point.setting, (point.counts.*figure)().value());
  }
  return line;
}

}  // namespace

std::string EvaluationReport(const Evaluation& evaluation, const PageSet& pages) {
  // The tables are those of the terminal; what a page adds is plots and texts.
  std::string body = fmt::format("<pre>{}</pre>\n", EscapeHtml(EvaluationText(evaluation, pages)));
  const std::vector<ChartLine> over_distance{
      Line("precision", evaluation.over_distance, &Counts::precision),
      Line("recall", evaluation.over_distance, &Counts::recall),
      Line("precision, simhash alone", evaluation.over_distance_alone, &Counts::precision)};
  body += LineChart("Precision and recall over the radius", "max_distance", 0.5, over_distance);
  const std::vector<ChartLine> over_similarity{
      Line("precision", evaluation.over_similarity, &Counts::precision),
      Line("recall", evaluation.over_similarity, &Counts::recall)};
  body +=
      LineChart("Precision and recall over the threshold", "min_similarity", 0.5, over_similarity);
  const Distributions& distributions = evaluation.distributions;
  body += TwoBarChart("Distances of simhashes", "bits", 1, "near", distributions.near_distance,
                      "different", distributions.different_distance);
  body +=
      TwoBarChart("Estimated similarities", "similarity", 0.05, "near",
                  distributions.near_similarity, "different", distributions.different_similarity);
  body += "<h2>Judged wrongly</h2>\n";
  std::size_t shown = 0;
  for (const JudgedPair& pair : evaluation.pairs) {
    if (!pair.is_wrong()) continue;
    if (++shown > kMaxPairs) break;
    const EvaluatedPage& a = pages.pages()[pair.a];
    const EvaluatedPage& b = pages.pages()[pair.b];
    body +=
        fmt::format("<h3>labelled {}, judged {}: distance {}, similarity {:.3f} ({})</h3>\n",
                    pair.label == Label::kNear ? "near" : "different", NameOf(pair.outcome.verdict),
                    pair.outcome.distance, pair.outcome.similarity.value(), EscapeHtml(pair.kind));
    body += DifferenceTable(NameOf(a.entry), a.text, NameOf(b.entry), b.text);
  }
  if (shown == 0) body += "<p>None.</p>\n";
  return HtmlPage("Verdicts against labels", body);
}

}  // namespace crawlsieve::consumer
