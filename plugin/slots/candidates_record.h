#pragma once

#include "plugin/base/result.h"
#include "plugin/index/hamming_index.h"
#include "plugin/slots/layout.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// A document near a query, as a slot names it.
struct SlotCandidate {
  DocId document;
  std::uint8_t distance = 0;

  friend bool operator==(const SlotCandidate&, const SlotCandidate&) = default;
};

/// What a slot found for one entry: the first of its documents by distance and number.
struct SlotAnswer {
  std::int64_t offset = 0;  ///< of the entry
  Fingerprint query;
  std::vector<SlotCandidate> candidates;
  bool is_cut = false;  ///< there are more, behind these

  friend bool operator==(const SlotAnswer&, const SlotAnswer&) = default;
};

/// A record of the topic of candidates. Value type.
struct CandidatesRecord {
  static constexpr int kMostDistance = 7;

  SlotLayout layout;
  std::uint32_t slot = 0;
  SlotPlace place;  ///< answers are of the slot's documents that were live here
  std::int64_t first = 0;
  int max_distance = 0;
  std::vector<SlotAnswer> answers;  ///< ascending by offset

  [[nodiscard]] std::string Encode() const;

  /// Errors: kCorruption: not such a record, or one that contradicts itself: candidates out of
  /// order, of another slot, or later than its place. Takes memory in proportion to the bytes.
  [[nodiscard]] static Result<CandidatesRecord> Parse(std::string_view bytes);
};

}  // namespace crawlsieve
