#include "evaluation/report.h"

#include "consumer/html/charts.h"
#include "consumer/html/page_text.h"
#include "consumer/html/report_page.h"
#include "consumer/html/tile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluation/pair_list.h"
#include "evaluation/summary.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kMaxWrong = 110;
constexpr std::size_t kMaxRight = 40;

std::string Percent(double rate) { return fmt::format("{:.1f} %", 100 * rate); }

std::string Bounds(const Interval& interval) {
  return fmt::format("{} to {}", Percent(interval.low), Percent(interval.high));
}

std::string Answer(const Evaluation& evaluation) {
  const Counts& total = evaluation.total;
  return fmt::format(
      "With {} bits and a similarity of {}, {} of the {} near pairs are found (recall {}), and {} "
      "of the {} different pairs {} taken for duplicates (precision {}).",
      evaluation.parameters.max_distance, evaluation.parameters.min_similarity.value(),
      total.true_duplicates, total.near(), Percent(total.recall().value()), total.false_duplicates,
      total.different(), total.false_duplicates == 1 ? "is" : "are",
      Percent(total.precision().value()));
}

std::string Tiles(const Evaluation& evaluation, const PageSet& pages) {
  const Counts& total = evaluation.total;
  std::string tiles = "<ul class=\"tiles\">\n";
  const auto rate = [&](std::string_view name, const Rate& value, const Interval& by_site) {
    tiles +=
        Tile(name, Percent(value.value()),
             fmt::format("95 %: {}, by site {}", Bounds(WilsonInterval(value)), Bounds(by_site)));
  };
  rate("Precision", total.precision(), evaluation.precision_by_site);
  rate("Recall", total.recall(), evaluation.recall_by_site);
  tiles += Tile("Wrong duplicates", std::to_string(total.false_duplicates),
                fmt::format("of {} different pairs", total.different()));
  tiles +=
      Tile("Missed", std::to_string(total.missed), fmt::format("of {} near pairs", total.near()));
  tiles += Tile("Pages", std::to_string(pages.pages().size()),
                fmt::format("of {} sites", evaluation.sites));
  if (evaluation.same_text.whole > 0) {
    tiles += Tile("Same text, found",
                  fmt::format("{} of {}", evaluation.same_text.part, evaluation.same_text.whole),
                  "counted apart");
  }
  tiles += "</ul>\n";
  if (evaluation.other > 0)
    tiles += fmt::format("<p>{} pairs aren't scored.</p>\n", evaluation.other);
  if (!evaluation.not_found.empty()) {
    tiles += fmt::format("<p>{} pages of the pairs are missing, the first: <code>{}</code></p>\n",
                         evaluation.not_found.size(), PageText(evaluation.not_found.front()));
  }
  return tiles;
}

/// Precision over recall, the setting beside each point where the curve has room for it.
ChartLine Curve(std::string name, const std::vector<CurvePoint>& points) {
  ChartLine line{std::move(name), {}};
  for (const CurvePoint& point : points) {
    ChartPoint place{point.counts.recall().value(), point.counts.precision().value(), {}};
    const bool has_room = std::ranges::none_of(line.points, [&](const ChartPoint& other) {
      return !other.label.empty() && std::hypot(other.x - place.x, other.y - place.y) < 0.02;
    });
    if (has_room) place.label = fmt::format("{:.3g}", point.setting);
    line.points.push_back(std::move(place));
  }
  return line;
}

/// An axis up to 1 that begins a little below the lowest point.
double LowEnd(const std::vector<ChartLine>& lines, double ChartPoint::*value) {
  double low = 1;
  for (const ChartLine& line : lines) {
    for (const ChartPoint& point : line.points) low = std::min(low, point.*value);
  }
  return std::clamp(std::floor(low * 20) / 20, 0.0, 0.95);
}

std::string PrecisionOverRecall(std::string_view title, const std::vector<ChartLine>& lines) {
  return LineChart(title, {"recall", LowEnd(lines, &ChartPoint::x), 1},
                   {"precision", LowEnd(lines, &ChartPoint::y), 1}, lines);
}

std::string Charts(const Evaluation& evaluation, const PageSet& pages) {
  std::string html = "<h2>Settings</h2>\n<div class=\"two\">\n";
  html += PrecisionOverRecall("Precision over recall; at the points: max_distance",
                              {Curve("with the sketch", evaluation.over_distance),
                               Curve("simhash alone", evaluation.over_distance_alone)});
  html += PrecisionOverRecall("Precision over recall; at the points: min_similarity",
                              {Curve("with the sketch", evaluation.over_similarity)});
  const Distributions& distributions = evaluation.distributions;
  const std::array distances{BarSeries{"near", Shares(distributions.near_distance)},
                             BarSeries{"different", Shares(distributions.different_distance)}};
  html += BarChart("Share of pairs at each distance of simhashes", "bits", 1, 0, distances);
  const std::array similarities{BarSeries{"near", Shares(distributions.near_similarity)},
                                BarSeries{"different", Shares(distributions.different_similarity)}};
  html +=
      BarChart("Share of pairs at each estimated similarity", "similarity", 0.05, 0, similarities);
  BarSeries bits{"pages", std::vector<double>(64, 0.0)};
  std::uint64_t texts = 0;
  for (const EvaluatedPage& page : pages.pages()) {
    if (page.entry.features() == 0) continue;
    ++texts;
    for (std::size_t bit = 0; bit < 64; ++bit) {
      bits.values[bit] += static_cast<double>(page.entry.simhash() >> bit & 1U);
    }
  }
  for (double& value : bits.values) value /= static_cast<double>(std::max<std::uint64_t>(texts, 1));
  html += BarChart("Share of pages in whose simhash each bit is set", "bit", 1, 1, {&bits, 1});
  return html + "</div>\n";
}

std::string CountsRow(std::string_view name, const Counts& counts) {
  return fmt::format(
      "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.3f}</td>"
      "<td class=\"n\">{:.3f}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
      PageText(name), counts.near(), counts.different(), counts.precision().value(),
      counts.recall().value(), counts.false_duplicates, counts.missed);
}

std::string Table(std::string_view title, const std::string& rows, bool is_open = false) {
  return fmt::format(
      "<details{}><summary>{}</summary><div class=\"wide\"><table><tr><th></th>"
      "<th class=\"n\">near</th><th class=\"n\">different</th><th class=\"n\">precision</th>"
      "<th class=\"n\">recall</th><th class=\"n\">false</th><th class=\"n\">missed</th></tr>\n{}"
      "</table></div></details>\n",
      is_open ? " open" : "", title, rows);
}

std::string GroupRows(const std::map<std::string, Counts>& groups) {
  std::string rows;
  for (const auto& [name, counts] : groups) {
    rows += CountsRow(name.substr(std::min(name.find_first_not_of(' '), name.size())), counts);
  }
  return rows;
}

std::string CurveRows(const std::vector<CurvePoint>& points) {
  std::string rows;
  for (const CurvePoint& point : points) {
    rows += CountsRow(fmt::format("{}", point.setting), point.counts);
  }
  return rows;
}

std::string Tables(const Evaluation& evaluation) {
  std::string html = "<h2>Figures</h2>\n";
  html += Table("By kind", GroupRows(evaluation.by_kind), /*is_open=*/true);
  html += Table("By length of the shorter text", GroupRows(evaluation.by_length));
  html += Table("By language", GroupRows(evaluation.by_language));
  html += Table("By max_distance, with the sketch", CurveRows(evaluation.over_distance));
  html += Table("By max_distance, simhash alone", CurveRows(evaluation.over_distance_alone));
  html += Table("By min_similarity", CurveRows(evaluation.over_similarity));
  if (evaluation.cross_validation.has_value()) {
    std::string rows;
    for (const CrossValidation::Fold& fold : evaluation.cross_validation->folds) {
      rows +=
          CountsRow(fmt::format("{} bits, {:.3f}", fold.max_distance, fold.min_similarity.value()),
                    fold.held_out);
    }
    rows += CountsRow("all", evaluation.cross_validation->counts);
    html += Table("Settings chosen on other sites than those they are measured on", rows);
  }
  return html;
}

/// How far a pair is from being judged the other way, in similarity: small is close.
std::uint32_t Margin(const JudgedPair& pair, const JudgeParameters& parameters) {
  const auto required = static_cast<std::int64_t>(
      pair.outcome.required.At(parameters.min_similarity).ten_thousandths);
  return static_cast<std::uint32_t>(
      std::abs(static_cast<std::int64_t>(pair.outcome.similarity.ten_thousandths) - required));
}

std::string Pairs(const Evaluation& evaluation, const PageSet& pages) {
  std::vector<const JudgedPair*> wrong;
  std::vector<const JudgedPair*> right;
  for (const JudgedPair& pair : evaluation.pairs) {
    if (pair.is_scored()) (pair.is_wrong() ? wrong : right).push_back(&pair);
  }
  const std::size_t all_wrong = wrong.size();
  const std::size_t all_right = right.size();
  std::ranges::stable_sort(
      right, {}, [&](const JudgedPair* pair) { return Margin(*pair, evaluation.parameters); });
  wrong.resize(std::min(wrong.size(), kMaxWrong));
  right.resize(std::min(right.size(), kMaxRight));
  std::vector<ShownPair> shown;
  for (const auto* list : {&wrong, &right}) {
    for (const JudgedPair* pair : *list) {
      const EvaluatedPage& a = pages.pages()[pair->a];
      const EvaluatedPage& b = pages.pages()[pair->b];
      shown.push_back(
          {.a = {NameOf(a.entry), "", a.text},
           .b = {NameOf(b.entry), "", b.text},
           .heading = fmt::format(
               "{}: labelled {}, judged {}", pair->is_wrong() ? "wrong" : "right",
               pair->label == Label::kNear ? "near" : "different", NameOf(pair->outcome.verdict)),
           .kind = fmt::format("{}, {}", pair->is_wrong() ? "wrong" : "right", pair->kind),
           .distance = pair->outcome.distance,
           .similarity = pair->outcome.similarity.value(),
           .length = LengthClass(std::min(CountWords(a.text), CountWords(b.text)))});
    }
  }
  return fmt::format(
             "<h2>Pairs</h2>\n<p class=\"soft\">{} of {} that were judged wrongly, then {} of {} "
             "that were judged rightly, those closest to the limit of similarity. Words that only "
             "one page has are marked; long runs that both have are cut.</p>\n",
             wrong.size(), all_wrong, right.size(), all_right) +
         PairList(shown, /*with_labels=*/false);
}

}  // namespace

std::string EvaluationReport(const Evaluation& evaluation, const PageSet& pages) {
  const std::string answer = Answer(evaluation);
  const std::string body = Tiles(evaluation, pages) + Charts(evaluation, pages) +
                           Tables(evaluation) + Pairs(evaluation, pages);
  return RenderReport({.title = "Verdicts against labels",
                       .answer = answer,
                       .body = body,
                       .script = PairListScript()});
}

}  // namespace crawlsieve::consumer
