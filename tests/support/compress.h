#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::testing {

// Packers for what the production code unpacks.
[[nodiscard]] std::string Gzip(std::string_view bytes);
[[nodiscard]] std::string Zlib(std::string_view bytes);
[[nodiscard]] std::string RawDeflate(std::string_view bytes);
[[nodiscard]] std::string Brotli(std::string_view bytes);
/// One frame with checksum and a window of 2^window_log bytes, with `dictionary` if there is one.
[[nodiscard]] std::string Zstd(std::string_view bytes, int window_log = 20,
                               std::string_view dictionary = {});
/// A dictionary for texts like these.
[[nodiscard]] std::string ZstdDictionary(const std::vector<std::string>& samples);
/// The frame in which a .warc.zst file brings its dictionary.
[[nodiscard]] std::string ZstdDictionaryFrame(std::string_view content);

[[nodiscard]] std::string Base64(std::string_view bytes);

/// `count` bytes that do not compress, the same for the same seed.
[[nodiscard]] std::string Noise(std::size_t count, std::uint64_t seed = 1);

}  // namespace crawlsieve::testing
