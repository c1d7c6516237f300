#include "evaluation/summary.h"

#include "consumer/observability/printable.h"

#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json IntervalJson(const Interval& interval) { return {interval.low, interval.high}; }

Json CountsJson(const Counts& counts) {
  Json json;
  json["near"] = counts.near();
  json["different"] = counts.different();
  json["precision"] = counts.precision().value();
  json["recall"] = counts.recall().value();
  json["f1"] = counts.f1();
  json["false_duplicates"] = counts.false_duplicates;
  json["missed"] = counts.missed;
  json["precision_interval"] = IntervalJson(WilsonInterval(counts.precision()));
  json["recall_interval"] = IntervalJson(WilsonInterval(counts.recall()));
  return json;
}

Json GroupsJson(const std::map<std::string, Counts>& groups) {
  Json json = Json::object();
  for (const auto& [name, counts] : groups) {
    json[name.substr(name.find_first_not_of(' '))] = CountsJson(counts);
  }
  return json;
}

Json CurveJson(const std::vector<CurvePoint>& curve, const char* setting) {
  Json json = Json::array();
  for (const CurvePoint& point : curve) {
    Json entry;
    entry[setting] = point.setting;
    entry.update(CountsJson(point.counts));
    json.push_back(std::move(entry));
  }
  return json;
}

Json PairJson(const JudgedPair& pair, const PageSet& pages) {
  Json json;
  json["a"] = NameOf(pages.pages()[pair.a].entry);
  json["b"] = NameOf(pages.pages()[pair.b].entry);
  json["label"] = pair.label == Label::kNear ? "near" : "different";
  json["kind"] = pair.kind;
  json["judged"] = NameOf(pair.outcome.verdict);
  json["distance"] = pair.outcome.distance;
  json["similarity"] = pair.outcome.similarity.value();
  return json;
}

Json CrossValidationJson(const CrossValidation& validation) {
  Json json = CountsJson(validation.counts);
  for (const CrossValidation::Fold& fold : validation.folds) {
    Json entry;
    entry["max_distance"] = fold.max_distance;
    entry["min_similarity"] = fold.min_similarity.value();
    entry["false_duplicates"] = fold.held_out.false_duplicates;
    entry["missed"] = fold.held_out.missed;
    json["folds"].push_back(std::move(entry));
  }
  return json;
}

std::string Bounds(const Interval& interval) {
  return fmt::format("{:.3f} to {:.3f}", interval.low, interval.high);
}

std::string CountsRow(std::string_view name, const Counts& counts) {
  return fmt::format("  {:<28}{:>6}{:>11}{:>11.3f}{:>8.3f}{:>7}{:>8}\n", name, counts.near(),
                     counts.different(), counts.precision().value(), counts.recall().value(),
                     counts.false_duplicates, counts.missed);
}

std::string HeaderRow(std::string_view title) {
  return fmt::format("\n{:<30}{:>6}{:>11}{:>11}{:>8}{:>7}{:>8}\n", title, "near", "different",
                     "precision", "recall", "false", "missed");
}

std::string Groups(std::string_view title, const std::map<std::string, Counts>& groups) {
  std::string text = HeaderRow(title);
  for (const auto& [name, counts] : groups) {
    text += CountsRow(Printable(name.substr(name.find_first_not_of(' '))), counts);
  }
  return text;
}

}  // namespace

const std::string& NameOf(const log::Page& page) {
  return page.id().empty() ? page.url() : page.id();
}

std::string_view NameOf(PairOutcome::Verdict verdict) {
  switch (verdict) {
    case PairOutcome::Verdict::kKept:
      return "kept";
    case PairOutcome::Verdict::kTooShort:
      return "too_short";
    case PairOutcome::Verdict::kNotEvaluated:
      return "not_evaluated";
    case PairOutcome::Verdict::kNear:
      return "near";
    case PairOutcome::Verdict::kExact:
      return "exact";
  }
  return "kept";
}

std::string EvaluationText(const Evaluation& evaluation, const PageSet& pages) {
  const Counts& total = evaluation.total;
  std::string text = fmt::format(
      "{} pages, {} near and {} different pairs of {} sites; max_distance {}, min_similarity "
      "{}\n\n",
      pages.pages().size(), total.near(), total.different(), evaluation.sites,
      evaluation.parameters.max_distance, evaluation.parameters.min_similarity.value());
  const auto row = [&text](std::string_view name, double value, const Interval& wilson,
                           const Interval& by_site) {
    text += fmt::format("{:<11}{:.3f}   95 %: {}, by site {}\n", name, value, Bounds(wilson),
                        Bounds(by_site));
  };
  row("precision", total.precision().value(), WilsonInterval(total.precision()),
      evaluation.precision_by_site);
  row("recall", total.recall().value(), WilsonInterval(total.recall()), evaluation.recall_by_site);
  text += fmt::format("{:<11}{:.3f}\n", "F1", total.f1());
  text += fmt::format("{} different pairs called duplicates, {} near ones missed\n",
                      total.false_duplicates, total.missed);
  if (evaluation.same_text.whole > 0) {
    text += fmt::format("same text: {} of {} found\n", evaluation.same_text.part,
                        evaluation.same_text.whole);
  }
  if (evaluation.other > 0) text += fmt::format("{} pairs not scored\n", evaluation.other);
  if (!evaluation.not_found.empty()) {
    text += fmt::format("{} pages of the pairs are missing, the first: {}\n",
                        evaluation.not_found.size(), Printable(evaluation.not_found.front()));
  }
  text += Groups("kind", evaluation.by_kind);
  text += Groups("length of the shorter text", evaluation.by_length);
  text += Groups("language", evaluation.by_language);
  const auto curve = [&text](std::string_view title, const std::vector<CurvePoint>& points) {
    text += HeaderRow(title);
    for (const CurvePoint& point : points) {
      text += CountsRow(fmt::format("{}", point.setting), point.counts);
    }
  };
  curve("max_distance, simhash alone", evaluation.over_distance_alone);
  curve("max_distance, with the sketch", evaluation.over_distance);
  curve("min_similarity", evaluation.over_similarity);
  if (evaluation.cross_validation.has_value()) {
    text += HeaderRow("settings chosen on other sites");
    for (const CrossValidation::Fold& fold : evaluation.cross_validation->folds) {
      text +=
          CountsRow(fmt::format("{} bits, {:.3f}", fold.max_distance, fold.min_similarity.value()),
                    fold.held_out);
    }
    text += CountsRow("all", evaluation.cross_validation->counts);
  }
  bool has_title = false;
  for (const JudgedPair& pair : evaluation.pairs) {
    if (!pair.is_wrong()) continue;
    if (!has_title) text += "\njudged wrongly\n";
    has_title = true;
    text +=
        fmt::format("  {} but {}, distance {}, similarity {:.3f}, {}\n    {}\n    {}\n",
                    pair.label == Label::kNear ? "near" : "different", NameOf(pair.outcome.verdict),
                    pair.outcome.distance, pair.outcome.similarity.value(), Printable(pair.kind),
                    Printable(NameOf(pages.pages()[pair.a].entry)),
                    Printable(NameOf(pages.pages()[pair.b].entry)));
  }
  return text;
}

std::string EvaluationJson(const Evaluation& evaluation, const PageSet& pages) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["pages"] = pages.pages().size();
  json["sites"] = evaluation.sites;
  json["max_distance"] = evaluation.parameters.max_distance;
  json["min_similarity"] = evaluation.parameters.min_similarity.value();
  json.update(CountsJson(evaluation.total));
  json["precision_interval_by_site"] = IntervalJson(evaluation.precision_by_site);
  json["recall_interval_by_site"] = IntervalJson(evaluation.recall_by_site);
  json["same_text_recall"] =
      evaluation.same_text.whole == 0 ? Json() : Json(evaluation.same_text.value());
  json["same_text"] = evaluation.same_text.whole;
  json["not_scored"] = evaluation.other;
  json["not_found"] = evaluation.not_found;
  json["by_kind"] = GroupsJson(evaluation.by_kind);
  json["by_length"] = GroupsJson(evaluation.by_length);
  json["by_language"] = GroupsJson(evaluation.by_language);
  json["over_distance_simhash_alone"] = CurveJson(evaluation.over_distance_alone, "max_distance");
  json["over_distance"] = CurveJson(evaluation.over_distance, "max_distance");
  json["over_similarity"] = CurveJson(evaluation.over_similarity, "min_similarity");
  json["distances"] = {{"near", evaluation.distributions.near_distance},
                       {"different", evaluation.distributions.different_distance}};
  json["similarities"] = {{"near", evaluation.distributions.near_similarity},
                          {"different", evaluation.distributions.different_similarity}};
  json["cross_validation"] = evaluation.cross_validation.has_value()
                                 ? CrossValidationJson(*evaluation.cross_validation)
                                 : Json();
  json["wrong"] = Json::array();
  for (const JudgedPair& pair : evaluation.pairs) {
    if (pair.is_wrong()) json["wrong"].push_back(PairJson(pair, pages));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace crawlsieve::consumer
