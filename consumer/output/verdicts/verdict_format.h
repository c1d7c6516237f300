#pragma once

#include "consumer/output/verdicts/verdict_facts.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// A verdict as another program takes it.
struct RenderedVerdict {
  std::string bytes;         ///< empty: nothing to say of it
  std::string_view missing;  ///< set: something would be said if the verdict had this
};

/// What becomes of several verdicts in one file.
enum class FileOrder : std::uint8_t {
  kAsTheyCome,
  kSorted,     ///< by their bytes
  kLastOfUrl,  ///< only the last verdict of each URL counts, whatever is rendered of it
};

/// A format of verdicts for other programs.
struct VerdictFormat {
  std::string_view name;     ///< in lower case, as users write it
  std::string_view summary;  ///< what the file is, for a person
  FileOrder order = FileOrder::kAsTheyCome;
  /// A pure function of the record.
  RenderedVerdict (*render)(const VerdictFacts& verdict) = nullptr;
  std::string (*head)() = nullptr;  ///< what a file begins with; null: nothing
};

/// All formats, by name.
[[nodiscard]] std::span<const VerdictFormat> VerdictFormats();

/// Null: there is no such format.
[[nodiscard]] const VerdictFormat* FindVerdictFormat(std::string_view name);

}  // namespace crawlsieve::consumer
