#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace crawlsieve::testing {

/// Whether the build has sanitizers, which make it several times as slow. A test that looks for
/// rare faults of logic by repetition repeats less in such a build: all of it is done in the one
/// without.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kIsSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kIsSanitized = false;
#endif

/// The seeds of a property that is tried on histories of many: all of them, or with sanitizers the
/// first two.
inline std::vector<std::uint64_t> SeedsToTry(std::initializer_list<std::uint64_t> seeds) {
  constexpr std::size_t kSanitizedSeeds = 2;
  std::vector<std::uint64_t> tried(seeds);
  if (kIsSanitized && tried.size() > kSanitizedSeeds) tried.resize(kSanitizedSeeds);
  return tried;
}

}  // namespace crawlsieve::testing
