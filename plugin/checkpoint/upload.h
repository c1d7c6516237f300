#pragma once

#include "plugin/base/result.h"

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>

namespace crawlsieve {

/// Runs `command PATH KEY`, without a shell, and waits for it. Its standard input is empty, and its
/// standard output goes to standard error. Errors: kIo if it can't be started, ends with another
/// code than 0 or by a signal, or isn't done within `time_limit` or before a stop, when it and
/// what it started are killed. Thread-safe.
[[nodiscard]] Status Upload(const std::string& command, const std::filesystem::path& path,
                            const std::string& key, std::chrono::seconds time_limit,
                            const std::stop_token& stop = {});

}  // namespace crawlsieve
