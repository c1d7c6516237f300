#include "bench/harvest/content_classes.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

namespace crawlsieve::bench {
namespace {

constexpr std::array<std::string_view, 6> kDroppedElements = {"script", "style",  "head",
                                                              "nav",    "footer", "form"};
constexpr std::size_t kShingleWords = 4;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

/// Whether `text` has at `at` the name of an element, and no longer one.
bool HasName(std::string_view text, std::size_t at, std::string_view name) {
  if (text.compare(at, name.size(), name) != 0) return false;
  return at + name.size() >= text.size() || !IsWordByte(text[at + name.size()]);
}

/// The first place behind the markup that begins at `at`, a "<".
std::size_t EndOfMarkup(std::string_view html, std::size_t at) {
  const auto behind = [&](std::string_view text, std::size_t from) {
    const std::size_t found = html.find(text, from);
    return found == std::string_view::npos ? html.size() : found + text.size();
  };
  if (html.compare(at, 4, "<!--") == 0) return behind("-->", at + 4);
  for (const std::string_view name : kDroppedElements) {
    if (!HasName(html, at + 1, name)) continue;
    std::size_t end = at;
    do {
      end = html.find("</", end + 1);
    } while (end != std::string_view::npos && !HasName(html, end + 2, name));
    if (end != std::string_view::npos) return behind(">", end);
  }
  return behind(">", at);
}

struct Resemblance {
  double threshold;

  /// Whether two sets resemble each other enough.
  bool operator()(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) const {
    const auto small = static_cast<double>(std::min(a.size(), b.size()));
    if (small < threshold * static_cast<double>(std::max(a.size(), b.size()))) return false;
    std::size_t common = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      common += a[i] == b[j];
      const bool step_a = a[i] <= b[j];
      const bool step_b = b[j] <= a[i];
      i += step_a;
      j += step_b;
    }
    const auto all = static_cast<double>(a.size() + b.size() - common);
    return static_cast<double>(common) >= threshold * all;
  }
};

}  // namespace

std::vector<std::string> CrudeWords(std::string_view html) {
  std::string lower(html);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  std::vector<std::string> words;
  bool in_word = false;
  for (std::size_t at = 0; at < lower.size();) {
    if (lower[at] == '<') {
      at = EndOfMarkup(lower, at);
      in_word = false;
      continue;
    }
    const bool is_word = IsWordByte(lower[at]);
    if (is_word && !in_word) words.emplace_back();
    if (is_word) words.back().push_back(lower[at]);
    in_word = is_word;
    ++at;
  }
  return words;
}

std::vector<std::uint64_t> CrudeShingles(const std::vector<std::string>& words) {
  std::vector<std::uint64_t> shingles;
  const std::size_t count = words.size() < kShingleWords ? 1 : words.size() - kShingleWords + 1;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    for (std::size_t j = i; j < std::min(i + kShingleWords, words.size()); ++j) {
      text += words[j];
      text.push_back(' ');
    }
    shingles.push_back(RawChecksum(text).low);
  }
  std::sort(shingles.begin(), shingles.end());
  shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());
  return shingles;
}

// Two sets that resemble each other have one of the first few shingles in common, if both are
// ordered by how rare each shingle is (prefix filter: Bayardo, Ma and Srikant, WWW 2007). So only
// pages that share one of these are compared.
std::vector<std::size_t> ContentClasses(const std::vector<std::vector<std::uint64_t>>& shingles,
                                        double threshold) {
  std::unordered_map<std::uint64_t, std::uint32_t> frequency;
  for (const auto& set : shingles) {
    for (const std::uint64_t shingle : set) ++frequency[shingle];
  }
  const Resemblance resembles{threshold};
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> pages_with;
  std::map<std::vector<std::uint64_t>, std::size_t> first_with;
  std::vector<std::size_t> classes;
  for (std::size_t page = 0; page < shingles.size(); ++page) {
    const auto [same, is_first] = first_with.emplace(shingles[page], page);
    if (!is_first) {
      classes.push_back(classes[same->second]);
      continue;
    }
    std::vector<std::uint64_t> prefix = shingles[page];
    std::sort(prefix.begin(), prefix.end(), [&](std::uint64_t a, std::uint64_t b) {
      return std::pair(frequency[a], a) < std::pair(frequency[b], b);
    });
    const double needed = std::ceil(threshold * static_cast<double>(prefix.size()) - 1e-9);
    prefix.resize(prefix.size() - static_cast<std::size_t>(needed) + 1);
    std::vector<std::size_t> candidates;
    for (const std::uint64_t shingle : prefix) {
      std::vector<std::size_t>& pages = pages_with[shingle];
      candidates.insert(candidates.end(), pages.begin(), pages.end());
      pages.push_back(page);
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    const auto found = std::find_if(
        candidates.begin(), candidates.end(),
        [&](std::size_t candidate) { return resembles(shingles[page], shingles[candidate]); });
    classes.push_back(found == candidates.end() ? page : classes[*found]);
  }
  return classes;
}

}  // namespace crawlsieve::bench
