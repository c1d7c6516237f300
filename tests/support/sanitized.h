#pragma once

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

}  // namespace crawlsieve::testing
