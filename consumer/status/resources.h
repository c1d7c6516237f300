#pragma once

#include "consumer/observability/metrics.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace crawlsieve::consumer {

/// Memory of this process, and how much it may have. Bytes.
struct MemoryReport {
  std::uint64_t resident = 0;
  /// The least of what its control groups allow (versions 1 and 2) and what the machine has.
  std::optional<std::uint64_t> limit;
};

/// Asks the kernel, whose files are below `root`. nullopt if it doesn't say. Linux only.
/// Thread-safe.
[[nodiscard]] std::optional<MemoryReport> ReadMemory(const std::filesystem::path& root = "/");

/// Adds up the files in and below `directory`. nullopt if it can't be read. Files that come or go
/// meanwhile are counted or not. Thread-safe.
[[nodiscard]] std::optional<StorageReport> ReadStorage(const std::filesystem::path& directory);

}  // namespace crawlsieve::consumer
