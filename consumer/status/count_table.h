#pragma once

#include "consumer/status/heavy_hitters.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// A table of names that were counted, the most frequent first, each with a bar and its share of
/// `total`. `name` and `count` head the columns. Says what a range of counts means if there is one.
[[nodiscard]] std::string CountTable(std::string_view id, std::string_view name,
                                     std::string_view count,
                                     std::span<const HeavyHitters::Item> items,
                                     std::uint64_t total);

}  // namespace crawlsieve::consumer
