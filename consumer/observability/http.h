#pragma once

#include "consumer/process_options.h"
#include "plugin/base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// What orchestrators want to know.
struct Health {
  bool live = true;    ///< false: only a restart helps
  bool ready = false;  ///< false while restoring or not connected
  std::string reason;  ///< why not, or in which way, in a few words; empty where all is well
};

/// A question that takes work, at one of HttpContent::question_paths.
struct HttpQuestion {
  std::string path;
  std::multimap<std::string, std::string> parameters = {};  ///< those behind the `?`
  bool is_post = false;
  std::string body = {};  ///< of POST, which is application/json
};

struct HttpAnswer {
  int status = 200;
  std::string type;
  std::string body;
};

/// Where the server gets what it shows. The functions are called on its threads, several at once,
/// until Stop returns; they answer from what is at hand and wait for nothing.
struct HttpContent {
  std::string version;
  std::string commit;  ///< that was built: 12 digits, with "-dirty" after changes; or "unknown"
  std::function<Health()> health;
  std::function<std::string()> metrics;      ///< in Prometheus' text format
  std::function<std::string()> status_page;  ///< HTML
  std::function<std::string()> status_json;
  /// Unlike the others, this one may take some seconds. It is asked two questions at a time at
  /// most, so that there are always threads for the others.
  std::function<HttpAnswer(const HttpQuestion&)> answer = {};
  std::vector<std::string> question_paths = {};
};

/// Serves what a process says about itself:
///
///     /metrics   for Prometheus        /livez   200, or 503 and why not
///     /version   JSON                  /readyz  200, or 503 and why not
///     /          a status page for people, without scripts or anything from elsewhere
///     /status.json   what is on it, for programs
///
/// and HttpContent::answer at its paths. GET and HEAD only, and there POST of JSON, one request per
/// connection. A request may have 16 KiB, one with a body a MiB, and with its answer five seconds;
/// four are worked on at a time, 16 more may wait, another 64 in the kernel.
/// Each answer has the request's X-Request-Id, or a new one where it has none of up to 64 letters,
/// digits and `-_.:`; lines of the log about the request have it too.
/// With HttpOptions::tls all of it is encrypted. With HttpOptions::token_file a request needs the
/// token, but for /livez and /readyz.
///
/// Thread-safe.
class HttpServer {
 public:
  /// Listens, and answers from threads of its own once this returns.
  /// Errors: kIo (the address can't be had), kInvalidConfig (certificate, key or token can't be
  /// used).
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> Start(const HttpOptions& options,
                                                                 HttpContent content);

  /// Stops, if nobody did.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// The port that is listened on, also where port 0 asked for any.
  [[nodiscard]] std::uint16_t port() const;
  /// "http://127.0.0.1:8080"
  [[nodiscard]] std::string url() const;

  /// Lets go of the port and cuts off the requests that are not answered yet: returns within about
  /// 100 ms and the time that HttpContent's functions take.
  void Stop();

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace crawlsieve::consumer
