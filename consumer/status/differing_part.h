#pragma once

#include <string_view>

namespace crawlsieve::consumer {

/// A text in three pieces.
struct SplitText {
  std::string_view before;
  std::string_view differing;
  std::string_view after;
};

/// Where two texts differ: what they begin with and end with in common is before and after.
struct SplitPair {
  SplitText left;
  SplitText right;
};

/// Cuts in front of characters of UTF-8 only. The pieces are views of the arguments.
[[nodiscard]] SplitPair SplitWhereDifferent(std::string_view left, std::string_view right);

}  // namespace crawlsieve::consumer
