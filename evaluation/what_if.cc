#include "evaluation/what_if.h"

#include "consumer/html/charts.h"
#include "consumer/html/report_page.h"
#include "consumer/observability/printable.h"
#include "plugin/base/result.h"
#include "plugin/state/store.h"

#include <array>
#include <random>
#include <system_error>
#include <utility>

#include "evaluation/evaluation.h"
#include "evaluation/pair_list.h"
#include "evaluation/summary.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMaxDistance = 7;  // the index's largest radius

/// How many pages the judge drops, on an empty state.
Result<std::uint64_t> CountDropped(const PageSet& pages, const JudgeParameters& parameters,
                                   const IndexFactory& make_index,
                                   const std::filesystem::path& directory) {
  if (pages.pages().empty()) return std::uint64_t{0};
  const std::filesystem::path state = directory / "state";
  std::uint64_t dropped = 0;
  {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto store, Store::Open({.directory = state}));
    const std::string& scheme = pages.pages().front().entry.scheme();
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto detector, Detector::Open(*store, make_index, scheme));
    CRAWLSIEVE_RETURN_IF_ERROR(detector->Fold(ParametersEntry(parameters, scheme)));
    constexpr std::int64_t kEntriesPerCommit = 1000;
    std::int64_t offset = 0;
    for (const EvaluatedPage& page : pages.pages()) {
      log::Entry entry;
      *entry.mutable_page() = page.entry;
      log::Source& source = *entry.mutable_page()->mutable_source();
      source.set_previous_offset(offset - 1);
      source.set_offset(offset++);
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto folded, detector->Fold(entry));
      if (folded.verdict.has_value() &&
          RuleFor(folded.verdict->reason).decision == Decision::kDrop) {
        ++dropped;
      }
      if (offset % kEntriesPerCommit != 0) continue;
      CRAWLSIEVE_RETURN_IF_ERROR(detector->Commit({offset, ""}));
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(state, ignored);
  return dropped;
}

/// The nearest earlier page of each page, a random choice of them at each distance.
Result<std::vector<SampledPair>> Sample(const PageSet& pages, const JudgeParameters& parameters,
                                        const IndexFactory& make_index, std::size_t per_distance) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto index, make_index(kMaxDistance));
  constexpr std::uint64_t kSeed = 2007;
  std::mt19937_64 random(kSeed);
  std::array<std::vector<SampledPair>, kMaxDistance + 1> chosen;
  std::array<std::uint64_t, kMaxDistance + 1> met{};
  std::vector<Match> matches;
  for (std::size_t i = 0; i < pages.pages().size(); ++i) {
    const log::Page& page = pages.pages()[i].entry;
    const PageTraits traits = TraitsOf(page);
    if (!traits.is_text || IsTooShort(traits, parameters)) continue;
    index->Find(traits.simhash, kMaxDistance, 1, matches);
    // Document numbers begin with 1, page numbers with 0.
    index->Insert(traits.simhash, DocId{i + 1});
    if (matches.empty()) continue;
    const std::size_t earlier = matches.front().document.sequence - 1;
    const PairOutcome outcome = JudgePair(pages.pages()[earlier].entry, page, parameters);
    if (outcome.verdict == PairOutcome::Verdict::kExact) continue;
    const auto distance = static_cast<std::size_t>(outcome.distance);
    auto& same_distance = chosen[distance];
    const SampledPair pair{earlier, i, outcome.distance, outcome.similarity,
                           outcome.is_duplicate()};
    // Reservoir sampling: each pair met is as likely to stay as any other.
    const std::uint64_t place = random() % ++met[distance];
    if (same_distance.size() < per_distance) {
      same_distance.push_back(pair);
    } else if (place < per_distance) {
      same_distance[place] = pair;
    }
  }
  std::vector<SampledPair> samples;
  for (const auto& same_distance : chosen) {
    samples.insert(samples.end(), same_distance.begin(), same_distance.end());
  }
  return samples;
}

double Share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

ChartLine Line(const std::vector<DropRate>& rates, std::uint64_t pages) {
  ChartLine line{"dropped", {}};
  for (const DropRate& rate : rates) {
    line.points.push_back({rate.setting, Share(rate.dropped, pages), {}});
  }
  return line;
}

}  // namespace

Result<WhatIf> AskWhatIf(const PageSet& pages, const JudgeParameters& parameters,
                         const IndexFactory& make_index, const WhatIfOptions& options) {
  WhatIf what_if;
  what_if.parameters = parameters;
  what_if.pages = pages.pages().size();
  const auto count = [&](const JudgeParameters& other) {
    return CountDropped(pages, other, make_index, options.directory);
  };
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto dropped, count(parameters));
  what_if.dropped = dropped;
  for (std::uint32_t k = 0; k <= kMaxDistance; ++k) {
    JudgeParameters other = parameters;
    other.max_distance = k;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto rate, count(other));
    what_if.over_distance.push_back({static_cast<double>(k), rate});
  }
  constexpr std::uint32_t kStep = 1'000;
  for (std::uint32_t t = 0; t <= Score::kOne; t += kStep) {
    JudgeParameters other = parameters;
    other.min_similarity = Score{t};
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto rate, count(other));
    what_if.over_similarity.push_back({Score{t}.value(), rate});
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto samples,
                              Sample(pages, parameters, make_index, options.samples_per_distance));
  what_if.samples = std::move(samples);
  return what_if;
}

std::string WhatIfText(const WhatIf& what_if, const PageSet& pages) {
  std::string text =
      fmt::format("{} pages, {} dropped ({:.1f} %) with max_distance {}, min_similarity {}\n",
                  what_if.pages, what_if.dropped, 100 * Share(what_if.dropped, what_if.pages),
                  what_if.parameters.max_distance, what_if.parameters.min_similarity.value());
  const auto table = [&](std::string_view title, const std::vector<DropRate>& rates) {
    text += fmt::format("\n{:<16}{:>10}{:>9}\n", title, "dropped", "%");
    for (const DropRate& rate : rates) {
      text += fmt::format("{:<16}{:>10}{:>9.1f}\n", rate.setting, rate.dropped,
                          100 * Share(rate.dropped, what_if.pages));
    }
  };
  table("max_distance", what_if.over_distance);
  table("min_similarity", what_if.over_similarity);
  if (!what_if.samples.empty()) text += "\nsamples: each page with the earlier one nearest to it\n";
  for (const SampledPair& pair : what_if.samples) {
    text += fmt::format("  distance {}, similarity {:.3f}, {}\n    {}\n    {}\n", pair.distance,
                        pair.similarity.value(), pair.dropped ? "near" : "kept",
                        Printable(NameOf(pages.pages()[pair.earlier].entry)),
                        Printable(NameOf(pages.pages()[pair.later].entry)));
  }
  return text;
}

std::string WhatIfJson(const WhatIf& what_if, const PageSet& pages) {
  const auto rates = [&](const std::vector<DropRate>& all, const char* setting) {
    Json json = Json::array();
    for (const DropRate& rate : all) {
      json.push_back({{setting, rate.setting},
                      {"dropped", rate.dropped},
                      {"drop_rate", Share(rate.dropped, what_if.pages)}});
    }
    return json;
  };
  Json json;
  json["schema_version"] = 1;
  json["pages"] = what_if.pages;
  json["dropped"] = what_if.dropped;
  json["drop_rate"] = Share(what_if.dropped, what_if.pages);
  json["max_distance"] = what_if.parameters.max_distance;
  json["min_similarity"] = what_if.parameters.min_similarity.value();
  json["over_distance"] = rates(what_if.over_distance, "max_distance");
  json["over_similarity"] = rates(what_if.over_similarity, "min_similarity");
  json["samples"] = Json::array();
  for (const SampledPair& pair : what_if.samples) {
    json["samples"].push_back({{"a", NameOf(pages.pages()[pair.earlier].entry)},
                               {"b", NameOf(pages.pages()[pair.later].entry)},
                               {"distance", pair.distance},
                               {"similarity", pair.similarity.value()},
                               {"near", pair.dropped}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string WhatIfReport(const WhatIf& what_if, const PageSet& pages) {
  const std::string answer =
      fmt::format("With {} bits and a similarity of {}, {} of {} pages are dropped ({:.1f} %).",
                  what_if.parameters.max_distance, what_if.parameters.min_similarity.value(),
                  what_if.dropped, what_if.pages, 100 * Share(what_if.dropped, what_if.pages));
  std::string body = "<h2>What other settings would drop</h2>\n<div class=\"two\">\n";
  const auto chart = [&](std::string_view title, std::string_view x_name, double x_high,
                         const std::vector<DropRate>& rates) {
    const std::array lines{Line(rates, what_if.pages)};
    body += LineChart(title, {x_name, 0, x_high}, {"share of pages", 0, 1}, lines);
  };
  chart("Share of pages dropped over the radius", "max_distance", kMaxDistance,
        what_if.over_distance);
  chart("Share of pages dropped over the threshold", "min_similarity", 1, what_if.over_similarity);
  body += "</div>\n";
  const auto table = [&](std::string_view title, const std::vector<DropRate>& rates) {
    body += fmt::format(
        "<details><summary>By {0}</summary><div class=\"wide\"><table><tr><th class=\"n\">{0}</th>"
        "<th class=\"n\">dropped</th><th class=\"n\">%</th></tr>\n",
        title);
    for (const DropRate& rate : rates) {
      body += fmt::format(
          "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.1f}</td></tr>\n",
          rate.setting, rate.dropped, 100 * Share(rate.dropped, what_if.pages));
    }
    body += "</table></div></details>\n";
  };
  table("max_distance", what_if.over_distance);
  table("min_similarity", what_if.over_similarity);
  std::vector<ShownPair> shown;
  for (const SampledPair& pair : what_if.samples) {
    const EvaluatedPage& a = pages.pages()[pair.earlier];
    const EvaluatedPage& b = pages.pages()[pair.later];
    shown.push_back({.a = {NameOf(a.entry), EvalName(a.entry.id(), a.entry.url()), a.text},
                     .b = {NameOf(b.entry), EvalName(b.entry.id(), b.entry.url()), b.text},
                     .heading = pair.dropped ? "called near duplicates" : "both kept",
                     .kind = pair.dropped ? "sampled, dropped" : "sampled, kept",
                     .distance = pair.distance,
                     .similarity = pair.similarity.value(),
                     .length = LengthClass(std::min(CountWords(a.text), CountWords(b.text)))});
  }
  body += "<h2>Each page with the earlier one nearest to it, some at each distance</h2>\n" +
          PairList(shown, /*with_labels=*/true);
  return RenderReport({.title = "What the settings would drop",
                       .answer = answer,
                       .body = body,
                       .script = PairListScript()});
}

}  // namespace crawlsieve::consumer
