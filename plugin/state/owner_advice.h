#pragma once

#include <filesystem>
#include <string>

namespace crawlsieve {

/// What to do about a directory in which this process was denied something, to be put behind the
/// error: whose it is, whose this process is, and the command. Thread-safe.
[[nodiscard]] std::string OwnerAdvice(const std::filesystem::path& directory);

}  // namespace crawlsieve
