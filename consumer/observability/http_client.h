#pragma once

#include "plugin/base/result.h"

#include <chrono>
#include <string>

namespace crawlsieve::consumer {

/// The body of the answer to a GET, for `url` of the form "http://host:port/path". Redirects are
/// not followed. Waits for up to `timeout` for each step: connecting, sending, every read.
/// Errors: kInvalidInput (no such URL), kIo (nobody answers, a status other than 200, or more than
/// 4 MiB).
[[nodiscard]] Result<std::string> HttpGet(const std::string& url,
                                          std::chrono::milliseconds timeout);

}  // namespace crawlsieve::consumer
