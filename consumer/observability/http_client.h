#pragma once

#include "plugin/base/result.h"

#include <chrono>
#include <string>

namespace crawlsieve::consumer {

/// What a server may ask for, and how a client knows it.
struct HttpAccess {
  std::string token;    ///< sent as `Authorization: Bearer`; empty: none
  std::string ca_file;  ///< PEM file with who signs servers' certificates; empty: the system's
};

/// The body of the answer to a GET, for `url` of the form "http://host:port/path" or "https://...".
/// Redirects are not followed. The certificate of an https server has to be signed by one of those
/// of `access`, and to name the host. Waits for up to `timeout` for each step: connecting, sending,
/// every read.
/// Errors: kInvalidInput (no such URL), kIo (nobody answers, the certificate isn't trusted, a
/// status other than 200, or more than 4 MiB).
[[nodiscard]] Result<std::string> HttpGet(const std::string& url, std::chrono::milliseconds timeout,
                                          const HttpAccess& access = {});

/// The answer to a question that is posted as JSON to `url`, of the same form. An error's message
/// is what the server says. Errors: as HttpGet, and kInvalidInput for status 400, kBusy for 503.
[[nodiscard]] Result<std::string> HttpPostJson(const std::string& url, const std::string& json,
                                               std::chrono::milliseconds timeout,
                                               const HttpAccess& access = {});

}  // namespace crawlsieve::consumer
