#pragma once

#include "config/config.h"
#include "plugin/base/result.h"

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// Takes one verdict, as JSON.
using VerdictTaker = std::function<Status(std::string_view record)>;

/// Gives the lines of these files to `take`, packed by gzip or zstd or not; `-` is standard input.
/// Errors: kIo; kInvalidInput: a damaged file, a line over 2 MiB, or what `take` says, with file
/// and line.
[[nodiscard]] Status ForEachVerdictLine(const std::vector<std::filesystem::path>& files,
                                        const VerdictTaker& take);

/// Gives the verdicts of the topic `kafka.verdicts.topic` to `take`, up to the newest one that was
/// there at the beginning, each partition in its order. Joins no group and commits nothing. Errors:
/// kIo (no broker, no such topic, no permission); kInvalidInput: as above, with the offset.
[[nodiscard]] Status ForEachVerdictRecord(const config::Config& config, const VerdictTaker& take);

}  // namespace crawlsieve::consumer
