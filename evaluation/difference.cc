#include "evaluation/difference.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace crawlsieve::consumer {
namespace {

using Kind = DifferencePart::Kind;
using Words = std::span<const std::string_view>;

std::vector<std::string_view> SplitWords(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    words.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

class PartList {
 public:
  void Add(Kind kind, Words words) {
    if (words.empty()) return;
    if (parts_.empty() || parts_.back().kind != kind) parts_.push_back({kind, {}});
    auto& last = parts_.back().words;
    last.insert(last.end(), words.begin(), words.end());
  }
  [[nodiscard]] std::vector<DifferencePart> Take() { return std::move(parts_); }

 private:
  std::vector<DifferencePart> parts_;
};

enum class Step : std::uint8_t { kBoth, kOnlyA, kOnlyB };

/// The edit script as single steps in order; false when it needs more than `max_edits`.
bool ShortestScript(Words a, Words b, std::size_t max_edits, std::vector<Step>& steps) {
  const auto n = static_cast<std::ptrdiff_t>(a.size());
  const auto m = static_cast<std::ptrdiff_t>(b.size());
  const auto limit = std::min(static_cast<std::ptrdiff_t>(max_edits), n + m);
  // Row d holds, for diagonals -d..d, how far into `a` d edits get. Rows are kept for the way back.
  std::vector<std::vector<std::ptrdiff_t>> rows;
  const auto reach = [&rows](std::ptrdiff_t d, std::ptrdiff_t diagonal) -> std::ptrdiff_t& {
    return rows[static_cast<std::size_t>(d)][static_cast<std::size_t>(diagonal + d)];
  };
  // Whether the way to `diagonal` with d edits comes from the diagonal above: a word of b.
  const auto goes_down = [&](std::ptrdiff_t d, std::ptrdiff_t diagonal) {
    return diagonal == -d ||
           (diagonal != d && reach(d - 1, diagonal - 1) < reach(d - 1, diagonal + 1));
  };
  for (std::ptrdiff_t d = 0; d <= limit; ++d) {
    rows.emplace_back(static_cast<std::size_t>(2 * d + 1), 0);
    for (std::ptrdiff_t diagonal = -d; diagonal <= d; diagonal += 2) {
      std::ptrdiff_t x = 0;
      if (d > 0) {
        x = goes_down(d, diagonal) ? reach(d - 1, diagonal + 1) : reach(d - 1, diagonal - 1) + 1;
      }
      std::ptrdiff_t y = x - diagonal;
      while (x < n && y < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)]) {
        ++x;
        ++y;
      }
      reach(d, diagonal) = x;
      if (x < n || y < m) continue;
      for (std::ptrdiff_t edits = d; edits >= 0; --edits) {
        const std::ptrdiff_t here = x - y;
        const bool down = edits > 0 && goes_down(edits, here);
        std::ptrdiff_t from = 0;
        if (edits > 0) {
          from = down ? reach(edits - 1, here + 1) : reach(edits - 1, here - 1) + 1;
        }
        for (; x > from; --x, --y) steps.push_back(Step::kBoth);
        if (edits == 0) break;
        steps.push_back(down ? Step::kOnlyB : Step::kOnlyA);
        down ? --y : --x;
      }
      std::reverse(steps.begin(), steps.end());
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<DifferencePart> DiffWords(std::string_view a_text, std::string_view b_text,
                                      std::size_t max_edits) {
  const auto a_words = SplitWords(a_text);
  const auto b_words = SplitWords(b_text);
  Words a(a_words);
  Words b(b_words);
  PartList parts;
  const auto prefix = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  parts.Add(Kind::kBoth, a.first(prefix));
  a = a.subspan(prefix);
  b = b.subspan(prefix);
  const auto suffix = static_cast<std::size_t>(
      std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
  const Words end = a.last(suffix);
  a = a.first(a.size() - suffix);
  b = b.first(b.size() - suffix);

  std::vector<Step> steps;
  if (ShortestScript(a, b, max_edits, steps)) {
    std::size_t x = 0;
    std::size_t y = 0;
    for (const Step step : steps) {
      switch (step) {
        case Step::kBoth:
          parts.Add(Kind::kBoth, a.subspan(x++, 1));
          ++y;
          break;
        case Step::kOnlyA:
          parts.Add(Kind::kOnlyA, a.subspan(x++, 1));
          break;
        case Step::kOnlyB:
          parts.Add(Kind::kOnlyB, b.subspan(y++, 1));
          break;
      }
    }
  } else {
    parts.Add(Kind::kOnlyA, a);
    parts.Add(Kind::kOnlyB, b);
  }
  parts.Add(Kind::kBoth, end);
  return parts.Take();
}

}  // namespace crawlsieve::consumer
