#pragma once

#include "consumer/kafka/record.h"
#include "consumer/migration/seen_verdict.h"

#include <cstdint>
#include <optional>

namespace crawlsieve::consumer {

/// The topics in which a judge tells readers of a page, in the order of their records.
enum class OutputKind : std::uint8_t { kVerdict, kKept, kScores };
inline constexpr std::size_t kOutputKinds = 3;

/// What page a record of these topics is about.
struct OutputFacts {
  std::uint64_t sequence = 0;           ///< of the page's entry
  std::optional<InputRecordAt> source;  ///< the page record; of verdicts only
};

/// Reads what a record is about. nullopt: it isn't one of ours, or it answers an asked URL, so it
/// is about no page. Never throws, whatever the bytes.
[[nodiscard]] std::optional<OutputFacts> FactsOf(OutputKind kind, const RecordView& record);

}  // namespace crawlsieve::consumer
