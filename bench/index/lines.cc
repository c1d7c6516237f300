#include "bench/index/workload.h"
#include "plugin/index/base/line_array.h"

#include <algorithm>

namespace crawlsieve::bench {

double RandomLineNanos(std::uint64_t bytes, std::size_t ahead) {
  LineArray lines;
  lines.Grow(std::max<std::uint64_t>(bytes / kLineBytes, 1));
  const std::uint64_t count = lines.size();
  for (std::uint64_t i = 0; i < count; ++i) {
    lines.data()[i].words[0] = static_cast<std::uint32_t>(Mix(i));
  }
  constexpr std::uint64_t kReads = 20'000'000;
  // Where each read goes, spread over all lines without a division.
  const auto place = [count](std::uint64_t i) {
    return static_cast<std::uint64_t>((__uint128_t{Mix(i)} * count) >> 64);
  };
  std::uint64_t sum = 0;
  const double start = CpuMicros();
  if (ahead == 1) {
    // Each is known from the one before.
    constexpr std::uint64_t kFewer = kReads / 10;
    for (std::uint64_t i = 0; i < kFewer; ++i) sum += lines.data()[place(sum + i)].words[0];
    const double micros = CpuMicros() - start;
    return sum == 1 ? 0 : micros * 1000 / static_cast<double>(kFewer);
  }
  for (std::uint64_t i = 0; i < kReads; ++i) {
    __builtin_prefetch(lines.data() + place(i + ahead), 0, 2);
    sum += lines.data()[place(i)].words[0];
  }
  const double micros = CpuMicros() - start;
  return sum == 1 ? 0 : micros * 1000 / static_cast<double>(kReads);
}

}  // namespace crawlsieve::bench
