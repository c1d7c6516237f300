#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace crawlsieve::html_check {

/// Pages made so that a parser needs more than linear time, memory or stack: one shape, any size.
struct HostileFamily {
  std::string_view name;
  /// A page of `bytes`, or a few more; the same one each time.
  std::string (*make)(std::size_t bytes);
};

[[nodiscard]] std::span<const HostileFamily> HostileFamilies();

}  // namespace crawlsieve::html_check
