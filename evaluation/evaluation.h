#pragma once

#include "plugin/base/result.h"
#include "plugin/verdict/comparison.h"
#include "plugin/verdict/parameters.h"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/labelled_pairs.h"
#include "evaluation/page_set.h"
#include "evaluation/statistics.h"

namespace crawlsieve::consumer {

/// How the judge would decide the second of two pages if the first was kept. Titles and names in
/// the URLs count. Equal URLs make no difference.
struct PairOutcome {
  enum class Verdict { kKept, kTooShort, kNotEvaluated, kNear, kExact };
  Verdict verdict = Verdict::kKept;
  int distance = 64;
  Score similarity;
  RequiredSimilarity required;

  [[nodiscard]] bool is_duplicate() const {
    return verdict == Verdict::kNear || verdict == Verdict::kExact;
  }
};

/// The fold's own decision (FindMatch) on a pair. Pure.
[[nodiscard]] PairOutcome JudgePair(const log::Page& kept, const log::Page& page,
                                    const JudgeParameters& parameters);

/// Pairs of this kind have the same visible text: any checksum finds them, so they are counted
/// apart, and not in precision and recall.
inline constexpr std::string_view kSameTextKind = "same-text";

/// A labelled pair with what was judged of it.
struct JudgedPair {
  std::size_t a = 0;  ///< index of a page
  std::size_t b = 0;
  Label label = Label::kOther;
  std::string kind;
  PairOutcome outcome;

  [[nodiscard]] bool is_scored() const { return label != Label::kOther && kind != kSameTextKind; }
  [[nodiscard]] bool is_wrong() const {
    return is_scored() && outcome.is_duplicate() != (label == Label::kNear);
  }
};

/// Precision and recall at one setting.
struct CurvePoint {
  double setting = 0;
  Counts counts;
};

/// How often pages have one Hamming distance (0..64) or similarity (steps of 0.05).
struct Distributions {
  static constexpr std::size_t kSteps = 21;
  std::array<std::uint64_t, 65> near_distance{};
  std::array<std::uint64_t, 65> different_distance{};
  std::array<std::uint64_t, kSteps> near_similarity{};
  std::array<std::uint64_t, kSteps> different_similarity{};
};

/// Cross-validation: settings chosen on some sites and measured on the others.
struct CrossValidation {
  struct Fold {
    std::uint32_t max_distance = 0;
    Score min_similarity;
    Counts held_out;
  };
  std::vector<Fold> folds;
  Counts counts;  ///< of all pairs held out
};

/// The results of `crawlsieve eval` on labelled pairs.
struct Evaluation {
  JudgeParameters parameters;
  std::vector<JudgedPair> pairs;
  std::vector<std::string> not_found;  ///< ids in the pairs that no page has

  Counts total;
  Interval precision_by_site;  ///< cluster bootstrap over sites
  Interval recall_by_site;
  std::size_t sites = 0;
  Rate same_text;           ///< pairs of kSameTextKind that were found
  std::uint64_t other = 0;  ///< pairs with labels that aren't scored
  std::map<std::string, Counts> by_kind;
  std::map<std::string, Counts> by_length;  ///< of the shorter text, in words
  std::map<std::string, Counts> by_language;
  std::vector<CurvePoint> over_distance_alone;  ///< the simhash alone: figure 1 of the paper
  std::vector<CurvePoint> over_distance;        ///< with the sketch
  std::vector<CurvePoint> over_similarity;
  Distributions distributions;
  std::optional<CrossValidation> cross_validation;  ///< unless there are less than two sites
};

/// Judges every pair. Errors: kInvalidInput when no scored pair has both its pages.
[[nodiscard]] Result<Evaluation> Evaluate(const PageSet& pages, std::span<const LabelledPair> pairs,
                                          const JudgeParameters& parameters);

/// Words in a normalised text.
[[nodiscard]] std::size_t CountWords(std::string_view text);

/// A class of lengths, for people. Padded in front, so that the classes sort by length.
[[nodiscard]] std::string LengthClass(std::size_t words);

}  // namespace crawlsieve::consumer
