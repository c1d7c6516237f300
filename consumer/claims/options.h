#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace crawlsieve::consumer {

/// Where bodies lie that records only refer to. Off by default: no store is configured.
struct ClaimOptions {
  std::string directory;  ///< root of the files; empty: none are read

  std::uint32_t parallel = 8;  ///< fetches at a time
  std::uint32_t attempts = 3;  ///< at one body, before its store counts as down
  /// A file that was changed within this time may still grow.
  std::chrono::milliseconds growing{600'000};

  [[nodiscard]] bool enabled() const { return !directory.empty(); }
};

}  // namespace crawlsieve::consumer
