#pragma once

#include "plugin/base/result.h"

#include <filesystem>
#include <string>

namespace crawlsieve::consumer {

/// All of a file as it lies there; `-` is standard input.
/// Errors: kIo, with the path and why: there is none, it is a folder, a read failed.
[[nodiscard]] Result<std::string> ReadWholeFile(const std::filesystem::path& path);

}  // namespace crawlsieve::consumer
