#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/detector.h"
#include "plugin/log/entry.pb.h"
#include "plugin/score/url_score.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/verdict.h"

#include <cstdint>
#include <span>
#include <string>

namespace crawlsieve::consumer {

/// What a fold without a broker tells while it runs; all calls come on the folding thread.
class VerdictListener {
 public:
  virtual ~VerdictListener() = default;
  /// A page was judged. Verdicts come in the order of the input.
  virtual Status OnVerdict(const log::Page& page, const Verdict& verdict) = 0;
  /// Whether it takes scores. They are made only if it does.
  [[nodiscard]] virtual bool takes_scores() const { return false; }
  /// The scores that came with the verdict before.
  virtual Status OnScores(std::span<const UrlScore> /*scores*/) { return {}; }
  /// What was reported is about to be committed to the state: make it durable first.
  virtual Status OnCommit() = 0;
};

/// The admission log of pages that are judged without a broker: entries are folded as they are
/// appended. Thread-compatible. Borrows what it is given.
class EntryFold {
 public:
  EntryFold(Detector& detector, VerdictListener& listener)
      : detector_(detector), listener_(listener), offset_(detector.position().offset) {}

  /// Judges by these parameters from here on. Errors: those of the detector and the listener.
  [[nodiscard]] Status SetParameters(const JudgeParameters& parameters, const std::string& scheme);

  /// Appends the entry of the next record of the input, and says in it that the record has this
  /// place: source offsets count on from what the detector folded before. Commits now and then.
  /// Errors: those of the detector and the listener; what was committed before stays.
  [[nodiscard]] Status Append(log::Entry& entry);

  [[nodiscard]] Status Commit();

 private:
  [[nodiscard]] Status Fold(const log::Entry& entry);

  Detector& detector_;
  VerdictListener& listener_;
  std::int64_t offset_;                ///< of the entry appended last
  std::int64_t previous_source_ = -1;  ///< offset of the record before
  int uncommitted_ = 0;
};

}  // namespace crawlsieve::consumer
