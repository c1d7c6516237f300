#pragma once

#include "plugin/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// A person's label of two pages.
enum class Label {
  kNear,       ///< one of them is enough for a crawl
  kDifferent,  ///< both are needed
  kOther,      ///< anything else ("updated", "undecided"): not scored
};

struct LabelledPair {
  std::string a;  ///< id or URL of a page
  std::string b;
  Label label = Label::kOther;
  std::string kind;  ///< free text: how the pair came about; pairs of one kind are counted together
};

/// Reads lines `a TAB b TAB label TAB kind [TAB anything]`; blank lines and lines that begin with #
/// are ignored. Labels are `near`, `different`, and others that aren't scored.
/// Errors: kInvalidInput with name and line.
[[nodiscard]] Result<std::vector<LabelledPair>> ParsePairs(std::string_view text,
                                                           std::string_view name);

/// Errors: those of ParsePairs; kIo.
[[nodiscard]] Result<std::vector<LabelledPair>> ReadPairs(const std::filesystem::path& path);

}  // namespace crawlsieve::consumer
