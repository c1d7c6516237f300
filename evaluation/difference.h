#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// A run of words of two texts. The views are into the texts.
struct DifferencePart {
  enum class Kind { kBoth, kOnlyA, kOnlyB };
  Kind kind = Kind::kBoth;
  std::vector<std::string_view> words;
};

/// What words two normalised texts differ in, in order: a shortest edit script (Myers, "An O(ND)
/// difference algorithm and its variations", Algorithmica 1986) while that has at most
/// `max_edits` words; what lies between a longer one's common beginning and end counts as replaced
/// as a whole. Time O((words) * edits), memory O(edits^2), whatever the texts.
[[nodiscard]] std::vector<DifferencePart> DiffWords(std::string_view a, std::string_view b,
                                                    std::size_t max_edits = 1000);

}  // namespace crawlsieve::consumer
