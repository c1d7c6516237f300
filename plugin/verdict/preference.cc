#include "plugin/verdict/preference.h"

#include <compare>

namespace crawlsieve {
namespace {

std::strong_ordering Compare(const ClusterUrl& a, const ClusterUrl& b, UrlPreference preference) {
  switch (preference) {
    case UrlPreference::kScore:
      return a.score <=> b.score;
    case UrlPreference::kHttps:
      return a.url.starts_with("https:") <=> b.url.starts_with("https:");
    case UrlPreference::kShorter:
      return b.url.size() <=> a.url.size();
  }
  return std::strong_ordering::equal;
}

}  // namespace

bool GoesBefore(const ClusterUrl& later, const ClusterUrl& earlier,
                std::span<const UrlPreference> preferences) {
  for (const UrlPreference preference : preferences) {
    const auto order = Compare(later, earlier, preference);
    if (order != std::strong_ordering::equal) return order == std::strong_ordering::greater;
  }
  return false;
}

}  // namespace crawlsieve
