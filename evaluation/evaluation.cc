#include "evaluation/evaluation.h"

#include "plugin/judge/finding.h"
#include "plugin/judge/page.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/view.h"
#include "plugin/state/changes.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using Verdict = PairOutcome::Verdict;

/// The state behind one page that was kept, on an empty state before it.
class KeptPage final : public JudgeView {
 public:
  explicit KeptPage(const log::Page& page) : document_(DocumentRow::Of(page, DocId{1}, 0)) {
    document_.Write(rows_);
    ContentRow::Of(document_).Write(rows_);
  }

  /// Never fails.
  [[nodiscard]] Result<RowMap::Value> Row(Table table, std::string_view key) override {
    return rows_.Find(table, key).value_or(std::nullopt);
  }

  [[nodiscard]] Result<FoundCandidates> Candidates(Fingerprint query, const Reach& reach) override {
    matches_.clear();
    if (const auto entry = document_.InIndex()) {
      const int distance = HammingDistance(query, entry->fingerprint);
      if (distance <= reach.max_distance) {
        matches_.push_back({entry->document, entry->fingerprint, distance});
      }
    }
    return FoundCandidates{matches_, true};
  }

 private:
  const DocumentRow document_;
  Changes rows_;
  std::vector<Match> matches_;
};

/// What the judge finds for a page that comes after the other was kept. The URL of the page has no
/// history.
Verdict VerdictAfter(const log::Page& kept, const log::Page& page,
                     const JudgeParameters& parameters) {
  KeptPage view(kept);
  ConfirmWork work;
  const auto found = FindMatch(page, std::nullopt, parameters, view, work);
  if (!found) return Verdict::kNotEvaluated;
  switch (found->reason) {
    case Reason::kTooShort:
      return Verdict::kTooShort;
    case Reason::kExactDuplicate:
      return Verdict::kExact;
    case Reason::kNearDuplicate:
      return Verdict::kNear;
    default:
      return Verdict::kKept;
  }
}

/// Whether the pair would be a duplicate at other settings. Short, broken and exact ones stay.
bool IsDuplicateAt(const PairOutcome& outcome, std::uint32_t max_distance, Score min_similarity,
                   bool with_sketch) {
  switch (outcome.verdict) {
    case Verdict::kExact:
      return true;
    case Verdict::kTooShort:
    case Verdict::kNotEvaluated:
      return false;
    case Verdict::kKept:
    case Verdict::kNear:
      break;
  }
  return outcome.distance <= static_cast<int>(max_distance) &&
         (!with_sketch || outcome.similarity >= outcome.required.At(min_similarity));
}

void CountPair(const JudgedPair& pair, bool is_duplicate, Counts& counts) {
  if (pair.label == Label::kNear) {
    ++(is_duplicate ? counts.true_duplicates : counts.missed);
  } else {
    ++(is_duplicate ? counts.false_duplicates : counts.true_different);
  }
}

using ScoredPairs = std::vector<const JudgedPair*>;

Counts CountAt(const ScoredPairs& pairs, std::uint32_t max_distance, Score min_similarity,
               bool with_sketch = true) {
  Counts counts;
  for (const JudgedPair* pair : pairs) {
    CountPair(*pair, IsDuplicateAt(pair->outcome, max_distance, min_similarity, with_sketch),
              counts);
  }
  return counts;
}

std::string PrimaryLanguage(const log::Page& page) {
  return page.language().substr(0, page.language().find('-'));
}

std::string LanguageClass(const log::Page& a, const log::Page& b) {
  const std::string language = PrimaryLanguage(a);
  if (language != PrimaryLanguage(b)) return "two languages";
  return language.empty() ? "unknown" : language;
}

constexpr std::uint32_t kMaxDistance = 12;
constexpr std::uint32_t kSimilarityStep = 500;  // ten-thousandths
constexpr std::size_t kFolds = 10;

/// The grid that cross-validation chooses from: what can be configured, in steps.
constexpr std::uint32_t kGridDistances = 8;
constexpr std::uint32_t kGridStep = 250;

struct Setting {
  std::uint32_t max_distance = 0;
  Score min_similarity;
};

/// The best F1 on `pairs`; where several are as good to within half a pair in a hundred, the middle
/// of the widest run of thresholds at the least distance that has it.
Setting Choose(const ScoredPairs& pairs) {
  std::vector<std::vector<double>> f1(kGridDistances);
  double best = 0;
  for (std::uint32_t k = 0; k < kGridDistances; ++k) {
    for (std::uint32_t t = 0; t <= Score::kOne; t += kGridStep) {
      f1[k].push_back(CountAt(pairs, k, Score{t}).f1());
      best = std::max(best, f1[k].back());
    }
  }
  constexpr double kAsGood = 0.005;
  Setting chosen;
  std::size_t widest = 0;
  for (std::uint32_t k = 0; k < kGridDistances; ++k) {
    std::size_t run = 0;
    for (std::size_t t = 0; t < f1[k].size(); ++t) {
      run = f1[k][t] >= best - kAsGood ? run + 1 : 0;
      if (run <= widest) continue;
      widest = run;
      const std::size_t middle = t - run / 2;
      chosen = {k, Score{static_cast<std::uint32_t>(middle) * kGridStep}};
    }
  }
  return chosen;
}

/// Sites go round the folds in their order, so that each fold has different ones.
CrossValidation CrossValidate(const std::map<std::string, ScoredPairs>& by_site) {
  CrossValidation validation;
  const std::size_t folds = std::min(kFolds, by_site.size());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    ScoredPairs chosen_on;
    ScoredPairs held_out;
    std::size_t number = 0;
    for (const auto& [site, pairs] : by_site) {
      ScoredPairs& side = number++ % folds == fold ? held_out : chosen_on;
      side.insert(side.end(), pairs.begin(), pairs.end());
    }
    const Setting setting = Choose(chosen_on);
    const Counts counts = CountAt(held_out, setting.max_distance, setting.min_similarity);
    validation.folds.push_back({setting.max_distance, setting.min_similarity, counts});
    validation.counts += counts;
  }
  return validation;
}

void AddToDistributions(const JudgedPair& pair, Distributions& distributions) {
  const bool is_near = pair.label == Label::kNear;
  const auto distance = static_cast<std::size_t>(pair.outcome.distance);
  const std::size_t step = pair.outcome.similarity.ten_thousandths / kSimilarityStep;
  ++(is_near ? distributions.near_distance : distributions.different_distance)[distance];
  ++(is_near ? distributions.near_similarity : distributions.different_similarity)[step];
}

}  // namespace

PairOutcome JudgePair(const log::Page& kept, const log::Page& page,
                      const JudgeParameters& parameters) {
  if (!HasContent(kept) || !HasContent(page)) return {Verdict::kNotEvaluated, 64, {}, {}};
  JudgeParameters one_scope = parameters;
  one_scope.scope = Scope::kGlobal;
  const PageTraits kept_traits = TraitsOf(kept);
  const PageTraits traits = TraitsOf(page);
  const Comparison comparison = Compare(kept_traits, traits, one_scope);
  // A page that is too short is never kept for others to match.
  const Verdict verdict =
      IsTooShort(kept_traits, one_scope) ? Verdict::kTooShort : VerdictAfter(kept, page, one_scope);
  return {verdict, comparison.distance, comparison.similarity,
          RequirementOf(kept_traits, traits, one_scope)};
}

std::size_t CountWords(std::string_view text) {
  return text.empty() ? 0 : static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1;
}

std::string LengthClass(std::size_t words) {
  if (words < 20) return "    0 to 19 words";
  if (words < 100) return "   20 to 99 words";
  if (words < 500) return "  100 to 499 words";
  if (words < 2000) return "  500 to 1999 words";
  return " 2000 words or more";
}

Result<Evaluation> Evaluate(const PageSet& pages, std::span<const LabelledPair> pairs,
                            const JudgeParameters& parameters) {
  Evaluation evaluation;
  evaluation.parameters = parameters;
  for (const LabelledPair& pair : pairs) {
    const auto a = pages.Find(pair.a);
    const auto b = pages.Find(pair.b);
    if (!a.has_value()) evaluation.not_found.push_back(pair.a);
    if (!b.has_value()) evaluation.not_found.push_back(pair.b);
    if (!a.has_value() || !b.has_value()) continue;
    evaluation.pairs.push_back(
        {*a, *b, pair.label, pair.kind,
         JudgePair(pages.pages()[*a].entry, pages.pages()[*b].entry, parameters)});
  }

  ScoredPairs scored;
  std::map<std::string, ScoredPairs> by_site;
  std::map<std::string, Counts> site_counts;
  for (const JudgedPair& pair : evaluation.pairs) {
    if (pair.label == Label::kOther) {
      ++evaluation.other;
      continue;
    }
    if (!pair.is_scored()) {
      ++evaluation.same_text.whole;
      if (pair.outcome.is_duplicate()) ++evaluation.same_text.part;
      continue;
    }
    scored.push_back(&pair);
    const EvaluatedPage& a = pages.pages()[pair.a];
    const EvaluatedPage& b = pages.pages()[pair.b];
    const bool is_duplicate = pair.outcome.is_duplicate();
    const std::string site = SiteOf(a.entry);
    by_site[site].push_back(&pair);
    CountPair(pair, is_duplicate, evaluation.total);
    CountPair(pair, is_duplicate, site_counts[site]);
    CountPair(pair, is_duplicate, evaluation.by_kind[pair.kind]);
    const std::size_t words = std::min(CountWords(a.text), CountWords(b.text));
    CountPair(pair, is_duplicate, evaluation.by_length[LengthClass(words)]);
    CountPair(pair, is_duplicate, evaluation.by_language[LanguageClass(a.entry, b.entry)]);
    AddToDistributions(pair, evaluation.distributions);
  }
  if (scored.empty()) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("none of {} pairs is labelled near or different and has both its "
                                 "pages among the {} that were read",
                                 pairs.size(), pages.pages().size()));
  }

  for (std::uint32_t k = 0; k <= kMaxDistance; ++k) {
    evaluation.over_distance_alone.push_back(
        {static_cast<double>(k), CountAt(scored, k, Score{}, /*with_sketch=*/false)});
    evaluation.over_distance.push_back(
        {static_cast<double>(k), CountAt(scored, k, parameters.min_similarity)});
  }
  for (std::uint32_t t = 0; t <= Score::kOne; t += kSimilarityStep) {
    evaluation.over_similarity.push_back(
        {Score{t}.value(), CountAt(scored, parameters.max_distance, Score{t})});
  }
  std::vector<Counts> clusters;
  clusters.reserve(site_counts.size());
  for (const auto& [site, counts] : site_counts) clusters.push_back(counts);
  evaluation.sites = clusters.size();
  evaluation.precision_by_site =
      ClusterBootstrap(clusters, [](const Counts& counts) { return counts.precision().value(); });
  evaluation.recall_by_site =
      ClusterBootstrap(clusters, [](const Counts& counts) { return counts.recall().value(); });
  if (by_site.size() > 1) evaluation.cross_validation = CrossValidate(by_site);
  return evaluation;
}

}  // namespace crawlsieve::consumer
