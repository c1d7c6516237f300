#include "evaluation/schemes/contest.h"

#include "extract/features/features.h"
#include "extract/features/shingles.h"
#include "extract/features/terms.h"
#include "plugin/fingerprint/simhash.h"
#include "plugin/fingerprint/sketch.h"

#include <cstdint>
#include <set>
#include <unordered_map>

#include "evaluation/schemes/scheme.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <time.h>

namespace crawlsieve::consumer {
namespace {

using Fingerprints = std::unordered_map<std::size_t, std::vector<std::uint64_t>>;

/// Processor time of this thread, which other programs on the machine don't lengthen.
double CpuMicroseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

std::set<std::size_t> ScoredPages(const Evaluation& evaluation) {
  std::set<std::size_t> wanted;
  for (const JudgedPair& pair : evaluation.pairs) {
    if (pair.is_scored()) wanted.insert({pair.a, pair.b});
  }
  return wanted;
}

/// What the service does, for the table: its verdicts, and its time from words to fingerprints.
ContestRow OwnRow(const Evaluation& evaluation, const PageSet& pages) {
  const extract::FeatureOptions options;
  FeatureHasher hasher("");
  extract::TermFinder finder(options.terms, hasher);
  extract::FeatureCounter counter(options, hasher);
  std::vector<Feature> terms;
  const std::set<std::size_t> wanted = ScoredPages(evaluation);
  std::uint64_t used = 0;  // so that nothing is optimised away
  double spent = 0;
  for (const std::size_t index : wanted) {
    extract::TokenList tokens;
    tokens.text = pages.pages()[index].text;
    for (const std::string_view word : SplitText(tokens.text).words) {
      tokens.ends.push_back(
          static_cast<std::uint32_t>(word.data() + word.size() - tokens.text.data()));
    }
    const double start = CpuMicroseconds();
    finder.Find("", tokens, {{tokens.size(), 1}}, terms);
    used ^= ComputeSimhash(counter.Count(terms)).bits;
    used ^=
        ComputeSketch(extract::ShingleSet(tokens, options.sketch_shingle_size, hasher)).words[0];
    spent += CpuMicroseconds() - start;
  }
  ContestRow row;
  row.scheme = "crawlsieve";
  row.threshold = evaluation.parameters.min_similarity.value();
  row.counts = evaluation.total;
  row.bytes_per_page = sizeof(Fingerprint) + sizeof(Sketch);
  row.microseconds_per_page = used == 0 ? 0 : spent / static_cast<double>(wanted.size());
  return row;
}

std::vector<ContestRow> RunScheme(Scheme& scheme, const Evaluation& evaluation,
                                  const PageSet& pages) {
  const std::set<std::size_t> wanted = ScoredPages(evaluation);
  for (const std::size_t index : wanted) scheme.Learn(SplitText(pages.pages()[index].text));

  Fingerprints fingerprints;
  std::size_t words = 0;
  double spent = 0;
  for (const std::size_t index : wanted) {
    const SchemeText text = SplitText(pages.pages()[index].text);
    const double start = CpuMicroseconds();
    auto fingerprint = scheme.Fingerprint(text);
    spent += CpuMicroseconds() - start;
    words += fingerprint.size();
    fingerprints.emplace(index, std::move(fingerprint));
  }

  std::vector<ContestRow> rows;
  const auto count = static_cast<double>(wanted.size());
  for (const double threshold : scheme.thresholds()) {
    ContestRow row{std::string(scheme.name()),
                   threshold,
                   {},
                   static_cast<double>(words * sizeof(std::uint64_t)) / count,
                   spent / count};
    for (const JudgedPair& pair : evaluation.pairs) {
      if (!pair.is_scored()) continue;
      // Thresholds are sums of fractions: an agreement of 2 of 6 must reach 2/6.
      constexpr double kRounding = 1e-9;
      const bool is_duplicate =
          scheme.Similarity(fingerprints[pair.a], fingerprints[pair.b]) >= threshold - kRounding;
      if (pair.label == Label::kNear) {
        ++(is_duplicate ? row.counts.true_duplicates : row.counts.missed);
      } else {
        ++(is_duplicate ? row.counts.false_duplicates : row.counts.true_different);
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Result<std::vector<ContestRow>> RunContest(const Evaluation& evaluation, const PageSet& pages,
                                           std::string_view name) {
  std::vector<ContestRow> rows;
  if (name == "all") rows.push_back(OwnRow(evaluation, pages));
  std::string names;
  for (const auto& scheme : MakeSchemes()) {
    names += fmt::format(", {}", scheme->name());
    if (name != "all" && name != scheme->name()) continue;
    const auto of_scheme = RunScheme(*scheme, evaluation, pages);
    rows.insert(rows.end(), of_scheme.begin(), of_scheme.end());
  }
  if (rows.empty()) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("there is no scheme {}; there are all{}", name, names));
  }
  return rows;
}

std::string ContestText(const std::vector<ContestRow>& rows) {
  std::string text =
      fmt::format("{:<20}{:>10}{:>8}{:>9}{:>11}{:>11}{:>8}{:>12}{:>10}\n", "scheme", "threshold",
                  "pairs", "correct", "incorrect", "precision", "recall", "bytes/page", "us/page");
  for (const ContestRow& row : rows) {
    const Counts& counts = row.counts;
    text += fmt::format("{:<20}{:>10.3f}{:>8}{:>9}{:>11}{:>11.3f}{:>8.3f}{:>12.0f}{:>10.1f}\n",
                        row.scheme, row.threshold, counts.true_duplicates + counts.false_duplicates,
                        counts.true_duplicates, counts.false_duplicates, counts.precision().value(),
                        counts.recall().value(), row.bytes_per_page, row.microseconds_per_page);
  }
  return text;
}

std::string ContestJson(const std::vector<ContestRow>& rows) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ContestRow& row : rows) {
    json.push_back({{"scheme", row.scheme},
                    {"threshold", row.threshold},
                    {"correct", row.counts.true_duplicates},
                    {"incorrect", row.counts.false_duplicates},
                    {"precision", row.counts.precision().value()},
                    {"recall", row.counts.recall().value()},
                    {"bytes_per_page", row.bytes_per_page},
                    {"microseconds_per_page", row.microseconds_per_page}});
  }
  return nlohmann::ordered_json{{"schema_version", 1}, {"schemes", std::move(json)}}.dump(2);
}

}  // namespace crawlsieve::consumer
