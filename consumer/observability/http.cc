#include "consumer/observability/http.h"

#include "consumer/observability/access_token.h"
#include "consumer/observability/connection_queue.h"
#include "consumer/observability/http_stream.h"
#include "consumer/observability/logging.h"
#include "consumer/observability/tls.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <random>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

constexpr int kBacklog = 1024;
constexpr std::size_t kMaxBodyBytes = 1 << 20;
constexpr int kMostQuestions = 2;  // at a time, of the threads of ConnectionQueue

constexpr std::string_view kTextType = "text/plain; charset=utf-8";

/// httplib's server over bounded streams, one request per connection.
class BoundedServer final : public httplib::Server {
 public:
  /// Encrypts all connections; null: none. Before the server listens.
  void SetTls(std::unique_ptr<TlsContext> tls) { tls_ = std::move(tls); }

  /// Makes the threads that answer. Before the server listens.
  Status MakeQueue() {
    CRAWLSIEVE_ASSIGN_OR_RETURN(queue_,
                                ConnectionQueue::Make([this](socket_t socket) { Serve(socket); }));
    new_task_queue = [this] { return queue_.release(); };
    connections_ = queue_.get();
    return {};
  }

  /// Lets more clients wait in the kernel than httplib's five, past which a burst of them is told
  /// to try again after a second.
  void DeepenBacklog() { ::listen(svr_sock_, kBacklog); }

  /// Cuts off all connections; to be called before stop().
  void StopStreams() { stopping_ = true; }

  /// Paths that take a body.
  void SetPosted(std::vector<std::string> paths) {
    posted_ = std::move(paths);
    set_payload_max_length(kMaxBodyBytes);
  }

  /// Whether it is a POST of JSON as it is, to one of them: what is packed may become a thousand
  /// times as large.
  [[nodiscard]] bool IsPosted(const httplib::Request& request) const {
    const std::string type = request.get_header_value("Content-Type");
    return request.method == "POST" && std::ranges::find(posted_, request.path) != posted_.end() &&
           type.substr(0, type.find(';')) == "application/json" &&
           !request.has_header("Content-Encoding");
  }

 private:
  static void Simplify(httplib::Request& request) {
    // A few bytes of `Range` may ask for the page a thousand times over; nothing here needs ranges.
    request.ranges.clear();
    // httplib prefers Brotli, at its highest level: 70 ms of processor time for a status page,
    // where gzip takes 2 ms. Test: HttpServerTest.CompressesWithGzipOnly
    const bool takes_gzip =
        request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
    request.headers.erase("Accept-Encoding");
    if (takes_gzip) request.headers.emplace("Accept-Encoding", "gzip");
  }

  bool process_and_close_socket(socket_t socket) override {
    connections_->Add(socket);
    return true;
  }

  void Serve(socket_t socket) {
    std::unique_ptr<TlsSession> session = tls_ != nullptr ? tls_->Accept() : nullptr;
    if (tls_ == nullptr || session != nullptr) {  // never in the clear for want of memory
      BoundedStream stream(socket, std::move(session), stopping_);
      bool closed = false;
      process_request(stream, /*close_connection=*/true, closed,
                      [this, &stream](httplib::Request& request) {
                        Simplify(request);
                        if (IsPosted(request)) stream.AllowBody(kMaxBodyBytes);
                      });
      stream.Finish();
    }
    shutdown(socket, SHUT_RDWR);
    close(socket);
  }

  std::unique_ptr<TlsContext> tls_;
  std::atomic<bool> stopping_{false};
  std::vector<std::string> posted_;
  ConnectionQueue* connections_ = nullptr;
  std::unique_ptr<ConnectionQueue> queue_;  // until httplib takes it, when it listens
};

constexpr const char* kRequestId = "X-Request-Id";
constexpr std::size_t kMaxLoggedPath = 200;

/// Whether a client's name of its request can stand in our log and in our answer.
bool IsRequestId(std::string_view id) {
  constexpr std::size_t kMost = 64;
  return !id.empty() && id.size() <= kMost && std::ranges::all_of(id, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.' || c == ':';
  });
}

/// Names requests that have no name of their own: differently in each process. Thread-safe.
class RequestIds {
 public:
  std::string Next() { return fmt::format("{:08x}-{}", process_, ++count_); }

 private:
  const std::uint32_t process_ = std::random_device{}();
  std::atomic<std::uint64_t> count_{0};
};

void Answer(httplib::Response& response, int status, std::string_view body,
            std::string_view type = kTextType) {
  response.status = status;
  response.set_content(body.data(), body.size(), std::string(type));
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpOptions options, HttpContent content)
      : options_(std::move(options)), content_(std::move(content)) {
    // Not httplib's SO_REUSEPORT: with it two processes would share a port and each answer for the
    // other.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    server_.set_default_headers(
        {{"Cache-Control", "no-store"},
         {"X-Content-Type-Options", "nosniff"},
         {"Content-Security-Policy",
          "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
          "form-action 'none'; frame-ancestors 'none'"},
         {"Referrer-Policy", "no-referrer"}});
    server_.set_pre_routing_handler([this](const httplib::Request& request,
                                           httplib::Response& response) {
      using enum httplib::Server::HandlerResponse;
      const std::string given = request.get_header_value(kRequestId);
      response.set_header(kRequestId, IsRequestId(given) ? given : request_ids_.Next());
      if (!Admits(request)) {
        // Browsers ask for a password then. They send it as `Basic`.
        response.set_header("WWW-Authenticate", "Basic realm=\"crawlsieve\"");
        Answer(response, 401, "a token is needed: Authorization: Bearer TOKEN\n");
        return Handled;
      }
      if (request.method == "GET" || request.method == "HEAD" || server_.IsPosted(request)) {
        return Unhandled;
      }
      if (request.method == "POST" && std::ranges::find(content_.question_paths, request.path) !=
                                          content_.question_paths.end()) {
        Answer(response, 415, "only application/json, without a Content-Encoding\n");
        return Handled;
      }
      response.set_header("Allow", "GET, HEAD");
      Answer(response, 405, "only GET and HEAD\n");
      return Handled;
    });
    server_.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) {
        Answer(response, response.status, fmt::format("HTTP {}\n", response.status));
      }
    });
    server_.set_exception_handler([](const httplib::Request& request, httplib::Response& response,
                                     const std::exception_ptr& failure) {
      LogFailure(request, response, failure);
      Answer(response, 500, "internal error\n");
    });
    server_.set_logger(LogRequest);
    AddPages();
  }

  Status Start() {
    CRAWLSIEVE_RETURN_IF_ERROR(LoadSecrets());
    const int port = options_.port == 0 ? server_.bind_to_any_port(options_.address)
                     : server_.bind_to_port(options_.address, options_.port) ? options_.port
                                                                             : -1;
    if (port <= 0) {
      return MakeError(ErrorCode::kIo,
                       fmt::format("can't listen on address {} (http.address), port {} "
                                   "(http.port): in use, not of this machine, or not permitted",
                                   options_.address, options_.port));
    }
    CRAWLSIEVE_RETURN_IF_ERROR(server_.MakeQueue());
    server_.DeepenBacklog();
    port_ = static_cast<std::uint16_t>(port);
    thread_ = std::jthread([this] {
      server_.listen_after_bind();
      listening_done_ = true;
    });
    // stop() does nothing to a server that doesn't run yet.
    while (!server_.is_running() && !listening_done_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return {};
  }

  void Stop() {
    const MutexLock lock(stop_mutex_);
    if (!thread_.joinable()) return;
    server_.StopStreams();
    server_.stop();
    thread_.join();
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }

  [[nodiscard]] std::string url() const {
    const bool is_ipv6 = options_.address.find(':') != std::string::npos;
    return fmt::format("{}://{}:{}", options_.tls.certificate_file.empty() ? "http" : "https",
                       is_ipv6 ? '[' + options_.address + ']' : options_.address, port_);
  }

 private:
  /// Probes and scrapers come all the time, so a request is news only where it goes wrong.
  static void LogRequest(const httplib::Request& request, const httplib::Response& response) {
    constexpr int kUnauthorized = 401;
    const std::string id = response.get_header_value(kRequestId);
    const std::string path = request.path.substr(0, kMaxLoggedPath);
    const std::initializer_list<LogField> fields{{"request_id", id},
                                                 {"method", request.method},
                                                 {"path", path},
                                                 {"client", request.remote_addr},
                                                 {"status", response.status},
                                                 {"bytes", response.body.size()}};
    if (response.status == kUnauthorized) {
      // Of all clients together: whoever tries addresses doesn't get a line for each.
      LogRepeating(LogLevel::kWarn, "http.unauthorized", "http", "no token, or a wrong one",
                   fields);
    } else {
      Log(LogLevel::kDebug, "http.request", fields);
    }
  }

  static void LogFailure(const httplib::Request& request, const httplib::Response& response,
                         const std::exception_ptr& failure) {
    const std::string id = response.get_header_value(kRequestId);
    const std::string path = request.path.substr(0, kMaxLoggedPath);
    std::string error = "unknown";
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& thrown) {
      error = thrown.what();
    } catch (...) {
      // There is no more to say.
    }
    Log(LogLevel::kError, "http.failed", {{"request_id", id}, {"path", path}, {"error", error}});
  }

  Status LoadSecrets() {
    if (!options_.tls.certificate_file.empty()) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(auto tls, TlsContext::Load(options_.tls));
      server_.SetTls(std::move(tls));
    }
    if (!options_.token_file.empty()) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(token_, AccessToken::Load(options_.token_file));
    }
    return {};
  }

  /// Orchestrators' probes bring no token.
  bool Admits(const httplib::Request& request) {
    return token_ == nullptr || request.path == "/livez" || request.path == "/readyz" ||
           token_->Admits(request.get_header_value("Authorization"));
  }

  void AddPages() {
    server_.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
      Answer(response, 200, content_.metrics(), "text/plain; version=0.0.4; charset=utf-8");
    });
    server_.Get("/livez", [this](const httplib::Request&, httplib::Response& response) {
      const Health health = content_.health();
      Answer(response, health.live ? 200 : 503, health.live ? "live\n" : health.reason + "\n");
    });
    server_.Get("/readyz", [this](const httplib::Request&, httplib::Response& response) {
      const Health health = content_.health();
      const bool ready = health.live && health.ready;
      Answer(response, ready ? 200 : 503, (health.reason.empty() ? "ready" : health.reason) + "\n");
    });
    server_.Get("/version", [this](const httplib::Request&, httplib::Response& response) {
      const nlohmann::ordered_json version = {
          {"name", "crawlsieve"}, {"version", content_.version}, {"commit", content_.commit}};
      Answer(response, 200, version.dump() + "\n", "application/json");
    });
    server_.Get("/", [this](const httplib::Request&, httplib::Response& response) {
      Answer(response, 200, content_.status_page(), "text/html; charset=utf-8");
    });
    server_.Get("/status.json", [this](const httplib::Request&, httplib::Response& response) {
      Answer(response, 200, content_.status_json() + "\n", "application/json");
    });
    server_.SetPosted(content_.question_paths);
    for (const std::string& path : content_.question_paths) {
      const auto ask = [this](const httplib::Request& request, httplib::Response& response) {
        Ask(request, response);
      };
      server_.Get(path, ask);
      server_.Post(path, ask);
    }
  }

  void Ask(const httplib::Request& request, httplib::Response& response) {
    // Given back also when the answer throws.
    const std::unique_ptr<std::atomic<int>, void (*)(std::atomic<int>*)> place(
        &questions_, [](std::atomic<int>* questions) { --*questions; });
    if (++questions_ > kMostQuestions) {
      response.set_header("Retry-After", "1");
      return Answer(response, 503, "too many questions at a time: ask again\n");
    }
    const HttpAnswer answer = content_.answer({request.path,
                                               {request.params.begin(), request.params.end()},
                                               request.method == "POST",
                                               request.body});
    if (answer.status == 503) response.set_header("Retry-After", "1");
    Answer(response, answer.status, answer.body, answer.type);
  }

  const HttpOptions options_;
  const HttpContent content_;
  std::unique_ptr<AccessToken> token_;  // null: everybody is admitted
  RequestIds request_ids_;
  BoundedServer server_;
  std::atomic<int> questions_{0};  // that are being answered, or turned away
  std::uint16_t port_ = 0;
  std::atomic<bool> listening_done_{false};
  Mutex stop_mutex_;
  std::jthread thread_;  // last: it uses the others
};

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpOptions& options,
                                                      HttpContent content) {
  auto impl = std::make_unique<Impl>(options, std::move(content));
  CRAWLSIEVE_RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() { Stop(); }

std::uint16_t HttpServer::port() const { return impl_->port(); }

std::string HttpServer::url() const { return impl_->url(); }

void HttpServer::Stop() { impl_->Stop(); }

}  // namespace crawlsieve::consumer
