#pragma once

#include "plugin/fingerprint/simhash.h"
#include "plugin/index/base/line.h"
#include "plugin/index/batch/design.h"
#include "plugin/index/batch/line_window.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace crawlsieve {

/// Queries side by side: of each a word that comparisons look at, its number, and its bits. The
/// words are in lines of 16; unused slots at the end are zero.
class CandidateList {
 public:
  static constexpr std::size_t kPerLine = 16;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<const Line> lines() const {
    return {lines_.data(), (size_ + kPerLine - 1) / kPerLine};
  }
  [[nodiscard]] std::size_t IndexOf(const Line* line, std::size_t slot) const {
    return static_cast<std::size_t>(line - lines_.data()) * kPerLine + slot;
  }
  [[nodiscard]] std::uint64_t bits(std::size_t index) const { return bits_[index]; }
  [[nodiscard]] std::uint32_t number(std::size_t index) const { return numbers_[index]; }

  void Clear() { size_ = 0; }
  /// For `more` queries.
  void MakeRoom(std::size_t more);
  /// There must be room.
  void Add(std::uint32_t word, std::uint64_t bits, std::uint32_t number) {
    lines_[size_ / kPerLine].words[size_ % kPerLine] = word;
    bits_[size_] = bits;
    numbers_[size_] = number;
    ++size_;
  }

 private:
  std::size_t size_ = 0;
  std::vector<Line> lines_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> numbers_;
};

/// The levels at which queries are told apart by more and more leading bits, and all queries as
/// the first level's filter wants them. Immutable; thread-safe.
class PrefixLevels {
 public:
  PrefixLevels(std::span<const Fingerprint> queries, const BatchBlock& leading);

  [[nodiscard]] int radius() const { return radius_; }
  [[nodiscard]] const CandidateList& all() const { return all_; }
  [[nodiscard]] std::size_t count() const { return depths_.size(); }
  /// Leading bits of a level.
  [[nodiscard]] int depth(std::size_t level) const { return depths_[level]; }
  /// The word of a query in the list of `level`: the leading bits that the next one looks at; in
  /// the last one, the low 32 bits.
  [[nodiscard]] std::uint32_t WordOf(std::uint64_t bits, std::size_t level) const;
  /// The leading bits of `level` in a word.
  [[nodiscard]] std::uint32_t PrefixWord(std::uint64_t bits, std::size_t level) const;

 private:
  std::vector<int> depths_;
  int radius_;
  CandidateList all_;
};

/// The queries whose leading bits are within the radius of those of a stored fingerprint. Stored
/// ones in order share most of the way there: each level's list is filtered out of the one before,
/// when its prefix changes. Any order is right; far jumps cost more.
///
/// Thread-compatible.
class PrefixCandidates {
 public:
  /// Keeps a reference to `levels`.
  explicit PrefixCandidates(const PrefixLevels& levels);

  /// Whether list() is that of this fingerprint.
  [[nodiscard]] bool AreOf(Fingerprint stored) const {
    return lists_.back().prefix == stored.bits >> last_shift_;
  }
  void MoveTo(Fingerprint stored);
  /// Its words are the low 32 bits of the queries.
  [[nodiscard]] const CandidateList& list() const { return lists_.back().list; }

 private:
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  struct Level {
    std::uint64_t prefix = kNone;  ///< of which the list is
    CandidateList list = {};
  };

  void Filter(std::size_t level, std::uint64_t bits);

  const PrefixLevels& levels_;
  const int last_shift_;
  std::vector<Level> lists_;
  LineWindow window_;
};

}  // namespace crawlsieve
