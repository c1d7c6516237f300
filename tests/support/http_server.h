#pragma once

#include "plugin/base/mutex.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace crawlsieve::testing {

/// A request as it came, with the names of its fields in lower case.
struct HttpRequest {
  std::string target;
  std::map<std::string, std::string> fields;

  /// Value of a field; empty: there is none.
  [[nodiscard]] std::string Field(const std::string& name) const;
};

/// A connection to whoever asked.
class HttpPeer {
 public:
  explicit HttpPeer(int socket) : socket_(socket) {}

  /// False: nobody reads there any more.
  bool Send(std::string_view bytes);

  /// Sends `bytes` again and again until nobody reads any more, at most `times` times.
  void SendForever(std::string_view bytes, int times);

  /// Waits until the other side closes.
  void WaitForClose();

  [[nodiscard]] std::size_t sent() const { return sent_; }

 private:
  const int socket_;
  std::size_t sent_ = 0;
};

/// An HTTP server on this machine that sends whatever a test says, byte by byte, with a thread for
/// each connection. Thread-safe.
class HttpServer {
 public:
  /// Answers a request; false: the connection is to be closed. Called on many threads.
  using Answer = std::function<bool(const HttpRequest&, HttpPeer&)>;

  explicit HttpServer(Answer answer);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  void SetAnswer(Answer answer) EXCLUDES(mutex_);
  /// `http://127.0.0.1:PORT/`
  [[nodiscard]] std::string url() const;
  [[nodiscard]] int requests() const { return requests_; }
  [[nodiscard]] int connections() const { return connections_; }
  /// Bytes sent in all, by connections that are closed.
  [[nodiscard]] std::size_t sent() const { return sent_; }

 private:
  void Accept();
  void Serve(int socket);

  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> requests_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<std::size_t> sent_ = 0;
  Mutex mutex_;
  Answer answer_ GUARDED_BY(mutex_);
  std::vector<int> sockets_ GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  std::thread accepting_;
};

/// The whole answer of a server of files to `request` for `file`: 206 for a range, 416 behind the
/// end, 200 without a range. `fields` are more header lines.
[[nodiscard]] std::string RangeAnswer(const HttpRequest& request, std::string_view file,
                                      std::string_view fields = "");

}  // namespace crawlsieve::testing
