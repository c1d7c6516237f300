#include "plugin/index/nearest.h"

#include <algorithm>
#include <tuple>

namespace crawlsieve {

void KeepNearest(std::vector<Match>& matches, std::size_t limit) {
  const auto nearer = [](const Match& a, const Match& b) {
    return std::tie(a.distance, a.document, a.fingerprint) <
           std::tie(b.distance, b.document, b.fingerprint);
  };
  if (matches.size() > limit) {
    const auto end = matches.begin() + static_cast<std::ptrdiff_t>(limit);
    std::nth_element(matches.begin(), end, matches.end(), nearer);
    matches.erase(end, matches.end());
  }
  std::sort(matches.begin(), matches.end(), nearer);
}

}  // namespace crawlsieve
