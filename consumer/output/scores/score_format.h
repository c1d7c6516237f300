#pragma once

#include "consumer/output/scores/rendering.h"

#include <span>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// How values follow each other in a file.
enum class Framing : std::uint8_t {
  kLines,      ///< a line end after each
  kAppended,   ///< as they are: a value says itself where it ends
  kDelimited,  ///< the number of bytes before each, as Protocol Buffers' varint
};

/// A frontier's format for scores.
struct ScoreFormat {
  std::string_view name;  ///< in lower case, as users write it
  /// A pure function of the record.
  RenderedScores (*render)(const UrlScore& record);
  Framing framing = Framing::kLines;
  /// Whether a file must have the highest score first: the order is all that the format says of it.
  bool sorted = false;
};

/// All formats, by name.
[[nodiscard]] std::span<const ScoreFormat> ScoreFormats();

/// Null: there is no such format.
[[nodiscard]] const ScoreFormat* FindScoreFormat(std::string_view name);

/// Appends a value to what a file holds.
void AppendFramed(Framing framing, std::string_view value, std::string& file);

}  // namespace crawlsieve::consumer
