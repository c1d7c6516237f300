#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace crawlsieve::consumer {

/// Where bodies lie that records only refer to. Off by default: no store is configured.
struct ClaimOptions {
  std::string directory;  ///< root of the files; empty: none are read
  /// `http://` or `https://`, host and path: what lies below it is read by range requests; empty:
  /// nothing is.
  std::string url;
  std::chrono::milliseconds timeout{30'000};  ///< of one request
  bool allow_private_addresses = false;       ///< of the server
  std::string s3_region = "us-east-1";
  std::string s3_access_key;  ///< empty: requests aren't signed
  std::string s3_secret_key;

  std::uint32_t parallel = 8;  ///< fetches at a time
  std::uint32_t attempts = 3;  ///< at one body, before its store counts as down
  /// A file that was changed within this time may still grow.
  std::chrono::milliseconds growing{600'000};

  [[nodiscard]] bool enabled() const { return !directory.empty() || !url.empty(); }
};

}  // namespace crawlsieve::consumer
