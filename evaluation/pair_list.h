#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Two texts as markup, words that only one of them has marked and long common runs cut down. At
/// most kMaxSideBytes each, whatever the texts.
struct MarkedTexts {
  static constexpr std::size_t kMaxSideBytes = 8 << 10;

  std::string a;
  std::string b;
};

[[nodiscard]] MarkedTexts MarkDifferences(std::string_view a, std::string_view b);

/// Two pages as a report shows them side by side. All strings are text.
struct ShownPair {
  struct Page {
    std::string name;  ///< URL or id, for the reader
    std::string
        eval_name;  ///< as `eval` finds the page; empty: it has no name that a line can hold
    std::string_view text;  ///< normalised words
  };

  Page a{};
  Page b{};
  std::string heading{};  ///< what was judged
  std::string kind{};     ///< how the pair came about: one of few values
  int distance = 0;       ///< bits
  double similarity = 0;
  std::string length{};  ///< as LengthClass
  /// Why texts aren't shown; empty: they are.
  std::string without_text{};
};

/// The name by which `eval` finds a page with this id, which may be empty, and URL, and that a line
/// of pairs can hold: neither empty nor beginning with #, at most 500 bytes, and nothing in it
/// that Printable would have to escape. Empty: it has none.
[[nodiscard]] std::string EvalName(std::string_view id, std::string_view url);

/// Pairs as markup, with filters by distance, kind and length, and for `with_labels` with buttons
/// to label them. Filters and buttons are there where PairListScript runs. One list a page.
[[nodiscard]] std::string PairList(std::span<const ShownPair> pairs, bool with_labels);

/// Runs the filters, and saves labels as a file of lines that ParsePairs reads. Asks for nothing.
[[nodiscard]] std::string_view PairListScript();

}  // namespace crawlsieve::consumer
