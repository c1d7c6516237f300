#pragma once

#include "plugin/verdict/parameters.h"
#include "plugin/verdict/score.h"

#include <span>
#include <string_view>

namespace crawlsieve {

/// One of the URLs on which a cluster's content was seen. Borrows the URL.
struct ClusterUrl {
  std::string_view url;  ///< canonical
  Score score;           ///< its priority without the novelty, which favours who came first
};

/// Whether `later` goes before `earlier` by the first of `preferences` that tells them apart. Where
/// none does, the earlier stays. Pure.
[[nodiscard]] bool GoesBefore(const ClusterUrl& later, const ClusterUrl& earlier,
                              std::span<const UrlPreference> preferences);

}  // namespace crawlsieve
