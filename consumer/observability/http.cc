#include "consumer/observability/http.h"

#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <deque>
#include <exception>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kThreads = 4;
constexpr std::size_t kMaxWaiting = 16;
constexpr int kBacklog = 64;
constexpr std::size_t kMaxRequestBytes = 16 << 10;
constexpr std::chrono::seconds kExchangeTime{5};
constexpr std::chrono::milliseconds kStopCheck{100};

constexpr std::string_view kTextType = "text/plain; charset=utf-8";

/// A connection that ends: after kExchangeTime, after kMaxRequestBytes, or when the server stops.
///
/// httplib's own streams start their timeout anew with every byte and take header lines without
/// end, so that a few slow or talkative clients would hold all threads or all memory.
class BoundedStream final : public httplib::Stream {
 public:
  BoundedStream(int socket, const std::atomic<bool>& stopping)
      : socket_(socket), stopping_(stopping), deadline_(Clock::now() + kExchangeTime) {}

  [[nodiscard]] bool is_readable() const override {
    return buffer_begin_ < buffer_end_ || Wait(POLLIN);
  }
  [[nodiscard]] bool is_writable() const override { return Wait(POLLOUT); }

  // httplib reads lines byte by byte, so bytes are fetched by the buffer.
  ssize_t read(char* data, std::size_t size) override {
    if (buffer_begin_ == buffer_end_) {
      const std::size_t wanted = std::min(buffer_.size(), read_left_);
      if (wanted == 0 || !Wait(POLLIN)) return -1;
      const ssize_t count = recv(socket_, buffer_.data(), wanted, MSG_DONTWAIT);
      if (count <= 0) return count;
      read_left_ -= static_cast<std::size_t>(count);
      buffer_begin_ = 0;
      buffer_end_ = static_cast<std::size_t>(count);
    }
    size = std::min(size, buffer_end_ - buffer_begin_);
    std::copy_n(buffer_.data() + buffer_begin_, size, data);
    buffer_begin_ += size;
    return static_cast<ssize_t>(size);
  }

  ssize_t write(const char* data, std::size_t size) override {
    if (!Wait(POLLOUT)) return -1;
    return send(socket_, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  // For logs and for handlers that ask; ours don't.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}

  [[nodiscard]] socket_t socket() const override { return socket_; }

 private:
  bool Wait(short events) const {
    while (!stopping_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
      if (left.count() <= 0) return false;
      pollfd waited{socket_, events, 0};
      const int ready = poll(&waited, 1, static_cast<int>(std::min(left, kStopCheck).count()));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
    }
    return false;
  }

  const int socket_;
  const std::atomic<bool>& stopping_;
  const Clock::time_point deadline_;
  std::size_t read_left_ = kMaxRequestBytes;
  std::array<char, 4096> buffer_;
  std::size_t buffer_begin_ = 0;
  std::size_t buffer_end_ = 0;
};

/// A few threads and a short queue. When it is full the accepting thread waits, and clients wait in
/// the kernel's backlog. Thread-safe.
class BoundedQueue final : public httplib::TaskQueue {
 public:
  BoundedQueue() {
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads_.emplace_back([this] { Work(); });
    }
  }

  void enqueue(std::function<void()> task) override {
    const MutexLock lock(mutex_);
    while (tasks_.size() >= kMaxWaiting) has_room_.Wait(mutex_);
    tasks_.push_back(std::move(task));
    has_task_.NotifyOne();
  }

  /// Works off what is queued: each task owns a connection that it has to close.
  void shutdown() override {
    {
      const MutexLock lock(mutex_);
      shut_down_ = true;
    }
    has_task_.NotifyAll();
    threads_.clear();
  }

 private:
  void Work() {
    for (;;) {
      std::function<void()> task;
      {
        const MutexLock lock(mutex_);
        while (tasks_.empty() && !shut_down_) has_task_.Wait(mutex_);
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
        has_room_.NotifyOne();
      }
      task();
    }
  }

  Mutex mutex_;
  CondVar has_task_;
  CondVar has_room_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  bool shut_down_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  // last: they use the others
};

/// httplib's server over bounded streams, one request per connection.
class BoundedServer final : public httplib::Server {
 public:
  /// Lets more clients wait in the kernel than httplib's five, past which a burst of them is told
  /// to try again after a second.
  void DeepenBacklog() { ::listen(svr_sock_, kBacklog); }

  /// Cuts off all connections; to be called before stop().
  void StopStreams() { stopping_ = true; }

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
    BoundedStream stream(socket, stopping_);
    bool closed = false;
    const bool done = process_request(stream, /*close_connection=*/true, closed, Simplify);
    shutdown(socket, SHUT_RDWR);
    close(socket);
    return done;
  }

  std::atomic<bool> stopping_{false};
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
    server_.new_task_queue = [] { return new BoundedQueue; };
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
    server_.set_pre_routing_handler(
        [](const httplib::Request& request, httplib::Response& response) {
          if (request.method == "GET" || request.method == "HEAD") {
            return httplib::Server::HandlerResponse::Unhandled;
          }
          response.set_header("Allow", "GET, HEAD");
          Answer(response, 405, "only GET and HEAD\n");
          return httplib::Server::HandlerResponse::Handled;
        });
    server_.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) {
        Answer(response, response.status, fmt::format("HTTP {}\n", response.status));
      }
    });
    server_.set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
          Answer(response, 500, "internal error\n");
        });
    AddPages();
  }

  Status Start() {
    const int port = options_.port == 0 ? server_.bind_to_any_port(options_.address)
                     : server_.bind_to_port(options_.address, options_.port) ? options_.port
                                                                             : -1;
    if (port <= 0) {
      return MakeError(ErrorCode::kIo,
                       fmt::format("can't listen on address {} (http.address), port {} "
                                   "(http.port): in use, not of this machine, or not permitted",
                                   options_.address, options_.port));
    }
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
    return fmt::format("http://{}:{}", is_ipv6 ? '[' + options_.address + ']' : options_.address,
                       port_);
  }

 private:
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
  }

  const HttpOptions options_;
  const HttpContent content_;
  BoundedServer server_;
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
