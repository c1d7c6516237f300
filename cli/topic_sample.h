#pragma once

#include "config/config.h"
#include "consumer/input/file_reader.h"
#include "plugin/base/result.h"

#include <functional>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// Whether `name` is one that Kafka gives topics: up to 249 letters, digits, dots, `_` and `-`.
[[nodiscard]] bool IsTopicName(const std::string& name);

/// Calls `each` with the newest records of each partition of `topic`, up to ten, in the order of
/// their offsets. Joins no group and commits nothing. Partitions whose records don't come are named
/// in `warnings`. Errors: kIo (no such topic, no permission, no broker), kInvalidConfig.
[[nodiscard]] Status ForEachNewest(const config::Config& config, const std::string& topic,
                                   FormatKind format,
                                   const std::function<void(const FileRecord&)>& each,
                                   std::vector<std::string>& warnings);

}  // namespace crawlsieve::consumer
