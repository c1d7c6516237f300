#pragma once

#include "consumer/observability/tls.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <httplib.h>

namespace crawlsieve::consumer {

/// Address and port of who is at the other end. Leaves both as they are where it has gone.
void FindPeer(int socket, std::string& address, int& port);

/// A connection that ends: five seconds after it began, after 16 KiB of a request (32 KiB of an
/// encrypted one), or when the server stops.
///
/// httplib's own streams start their timeout anew with every byte and take header lines without
/// end, so that a few slow or talkative clients would hold all threads or all memory.
///
/// Thread-compatible, but for `stopping`, which any thread may set.
class BoundedStream final : public httplib::Stream {
 public:
  /// `tls`: null for a connection that isn't encrypted. Doesn't own the socket.
  BoundedStream(int socket, std::unique_ptr<TlsSession> tls, const std::atomic<bool>& stopping);

  [[nodiscard]] bool is_readable() const override;
  [[nodiscard]] bool is_writable() const override;
  ssize_t read(char* data, std::size_t size) override;
  ssize_t write(const char* data, std::size_t size) override;

  /// Lets a body of so many bytes come besides.
  void AllowBody(std::size_t bytes);

  /// Sends what is left to be sent, before the socket is closed.
  void Finish();

  /// For the log. Leaves both as they are where the peer has gone.
  void get_remote_ip_and_port(std::string& address, int& port) const override;
  // For handlers that ask; ours don't.
  void get_local_ip_and_port(std::string&, int&) const override {}

  [[nodiscard]] socket_t socket() const override { return socket_; }

 private:
  bool Wait(short events) const;
  /// Bytes off the socket; 0: the peer has closed, -1: the connection has to end.
  ssize_t Receive(char* data, std::size_t size);
  /// Bytes of the request; as Receive.
  ssize_t ReceivePlain(char* data, std::size_t size);
  /// false: the connection has to end.
  bool SendAll(std::string_view data);
  bool SendOutput();

  const int socket_;
  const std::unique_ptr<TlsSession> tls_;
  const std::atomic<bool>& stopping_;
  const std::chrono::steady_clock::time_point deadline_;
  std::size_t read_left_;
  std::array<char, 4096> buffer_;
  std::size_t buffer_begin_ = 0;
  std::size_t buffer_end_ = 0;
};

}  // namespace crawlsieve::consumer
