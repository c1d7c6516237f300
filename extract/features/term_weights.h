#pragma once

#include "plugin/base/result.h"
#include "plugin/fingerprint/checksum.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace crawlsieve::extract {

/// How much terms weigh by how many documents have them, from a table that was made once
/// (TermCounter) and never changes: with a table that grew, the same page would get another
/// fingerprint each day. Immutable.
///
/// The weight is the number of binary digits of documents / documents with the term: 1 for what
/// more than half of them have, log2 and rounded for all others. A term that isn't in the table
/// weighs what the rarest in it does. Whole numbers, so that no rounding differs between machines.
class TermWeights {
 public:
  /// Reads a table: see docs/extraction.md. Errors: kCorruption, with the line where one is wrong.
  [[nodiscard]] static Result<TermWeights> Parse(std::string_view table);

  [[nodiscard]] std::uint32_t WeightOf(std::string_view term) const;

  /// Of the whole table, for the scheme.
  [[nodiscard]] const Checksum& checksum() const { return checksum_; }

 private:
  TermWeights() = default;

  std::unordered_map<std::string, std::uint32_t> weights_;
  std::uint32_t unknown_ = 1;
  Checksum checksum_;
};

/// Counts in how many documents terms are, and writes the table. Thread-compatible.
class TermCounter {
 public:
  /// `terms` of one document, in any order, repeats included.
  void Add(std::vector<std::string> terms);

  [[nodiscard]] std::uint64_t documents() const { return documents_; }

  /// The table, without terms that fewer than `min_documents` have: these are mostly names and
  /// mistakes, and most of the terms there are.
  [[nodiscard]] std::string Table(std::uint64_t min_documents) const;

 private:
  std::uint64_t documents_ = 0;
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace crawlsieve::extract
