#include "consumer/observability/http_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxRequestBytes = 16 << 10;
/// Records and the handshake take bytes of their own.
constexpr std::size_t kMaxTlsBytes = 16 << 10;
constexpr std::chrono::seconds kExchangeTime{5};
constexpr milliseconds kStopCheck{100};

}  // namespace

void FindPeer(int socket, std::string& address, int& port) {
  sockaddr_storage peer{};
  socklen_t length = sizeof(peer);
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &length) != 0 ||
      ::getnameinfo(reinterpret_cast<sockaddr*>(&peer), length, host.data(), host.size(),
                    service.data(), service.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return;
  }
  address = host.data();
  const std::string_view digits(service.data());
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), port);
}

BoundedStream::BoundedStream(int socket, std::unique_ptr<TlsSession> tls,
                             const std::atomic<bool>& stopping)
    : socket_(socket),
      tls_(std::move(tls)),
      stopping_(stopping),
      deadline_(Clock::now() + kExchangeTime),
      read_left_(kMaxRequestBytes + (tls_ != nullptr ? kMaxTlsBytes : 0)) {}

bool BoundedStream::is_readable() const { return buffer_begin_ < buffer_end_ || Wait(POLLIN); }

bool BoundedStream::is_writable() const { return Wait(POLLOUT); }

// httplib reads lines byte by byte, so bytes are fetched by the buffer.
ssize_t BoundedStream::read(char* data, std::size_t size) {
  if (buffer_begin_ == buffer_end_) {
    const ssize_t count = ReceivePlain(buffer_.data(), buffer_.size());
    if (count <= 0) return count;
    buffer_begin_ = 0;
    buffer_end_ = static_cast<std::size_t>(count);
  }
  size = std::min(size, buffer_end_ - buffer_begin_);
  std::copy_n(buffer_.data() + buffer_begin_, size, data);
  buffer_begin_ += size;
  return static_cast<ssize_t>(size);
}

ssize_t BoundedStream::write(const char* data, std::size_t size) {
  if (tls_ == nullptr) {
    if (!Wait(POLLOUT)) return -1;
    return send(socket_, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  const TlsSession::Step step = tls_->Write({data, size});
  if (step.outcome != TlsSession::Outcome::kDone || !SendOutput()) return -1;
  return static_cast<ssize_t>(step.bytes);
}

void BoundedStream::get_remote_ip_and_port(std::string& address, int& port) const {
  FindPeer(socket_, address, port);
}

void BoundedStream::AllowBody(std::size_t bytes) {
  read_left_ += bytes + (tls_ != nullptr ? bytes / 8 : 0);
}

void BoundedStream::Finish() {
  if (tls_ == nullptr) return;
  tls_->Close();
  SendOutput();
}

bool BoundedStream::Wait(short events) const {
  while (!stopping_) {
    const auto left = std::chrono::ceil<milliseconds>(deadline_ - Clock::now());
    if (left.count() <= 0) return false;
    pollfd waited{socket_, events, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::min(left, kStopCheck).count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

ssize_t BoundedStream::Receive(char* data, std::size_t size) {
  const std::size_t wanted = std::min(size, read_left_);
  if (wanted == 0 || !Wait(POLLIN)) return -1;
  const ssize_t count = recv(socket_, data, wanted, MSG_DONTWAIT);
  if (count > 0) read_left_ -= static_cast<std::size_t>(count);
  return count;
}

ssize_t BoundedStream::ReceivePlain(char* data, std::size_t size) {
  if (tls_ == nullptr) return Receive(data, size);
  // Bounded by the bytes that Receive gives at most.
  while (true) {
    const TlsSession::Step step = tls_->Read(data, size);
    if (!SendOutput()) return -1;
    switch (step.outcome) {
      case TlsSession::Outcome::kDone:
        return static_cast<ssize_t>(step.bytes);
      case TlsSession::Outcome::kEnded:
        return 0;
      case TlsSession::Outcome::kNeedsInput:
        break;
    }
    std::array<char, 4096> encrypted;
    const ssize_t count = Receive(encrypted.data(), encrypted.size());
    if (count <= 0) return count;
    tls_->Input({encrypted.data(), static_cast<std::size_t>(count)});
  }
}

bool BoundedStream::SendAll(std::string_view data) {
  while (!data.empty()) {
    if (!Wait(POLLOUT)) return false;
    const ssize_t count = send(socket_, data.data(), data.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (count > 0) data.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool BoundedStream::SendOutput() {
  std::array<char, 16384> encrypted;
  while (const std::size_t count = tls_->Output(encrypted.data(), encrypted.size())) {
    if (!SendAll({encrypted.data(), count})) return false;
  }
  return true;
}

}  // namespace crawlsieve::consumer
