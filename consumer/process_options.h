#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

// What a process is, and options of what it shows of itself: metrics, status pages, log.

/// Which stages a process runs.
enum class Role {
  kExtract,
  kJudge,
  kIndex,  ///< holds slots of the index
};

/// As configuration, metrics and log lines have it.
[[nodiscard]] constexpr std::string_view NameOf(Role role) {
  switch (role) {
    case Role::kExtract:
      return "extract";
    case Role::kJudge:
      return "judge";
    case Role::kIndex:
      break;
  }
  return "index";
}

struct MetricsOptions {
  std::string topic = "crawl.metrics";  ///< empty: none
  std::chrono::milliseconds interval{10'000};
};

/// PEM files; both or none. They are read again when they change.
struct TlsFiles {
  std::string certificate_file;  ///< the server's certificate, then those that signed it
  std::string key_file;          ///< its private key, without a password
};

struct HttpOptions {
  bool enabled = true;
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any free one, named in the log
  TlsFiles tls;               ///< none: nothing is encrypted
  std::string token_file;     ///< empty: no token is needed
};

enum class LogFormat { kText, kJson };

struct LogOptions {
  std::string level = "info";  ///< trace, debug, info, warn, error
  LogFormat format = LogFormat::kText;
};

}  // namespace crawlsieve::consumer
