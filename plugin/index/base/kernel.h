#pragma once

#include "plugin/index/base/line.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace crawlsieve {

/// Compares lines with queries: bit s of masks[i] is set when words[s] of *lines[i] and queries[i]
/// differ in at most max_distances[i] bits. All 16 words take part; the caller masks out those
/// that aren't keys.
using LineKernel = void (*)(const Line* const* lines, const std::uint32_t* queries,
                            const std::uint32_t* max_distances, std::size_t count,
                            std::uint16_t* masks);

struct NamedKernel {
  const char* name;
  bool supported;  ///< by the processor this runs on
  LineKernel run;
};

/// Every kernel this build has, fastest first; the last one, `portable`, runs everywhere.
[[nodiscard]] std::span<const NamedKernel> AllKernels();

/// The fastest kernel the processor supports.
[[nodiscard]] const NamedKernel& BestKernel();

}  // namespace crawlsieve
