#include "tests/support/http_server.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace crawlsieve::testing {
namespace {

HttpRequest ParseRequest(std::string_view head) {
  HttpRequest request;
  const std::size_t begin = head.find(' ') + 1;
  request.target = head.substr(begin, head.find(' ', begin) - begin);
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    request.fields[name] = line.substr(colon + 2);
  }
  return request;
}

}  // namespace

std::string HttpRequest::Field(const std::string& name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string() : found->second;
}

bool HttpPeer::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    sent_ += static_cast<std::size_t>(sent);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void HttpPeer::SendForever(std::string_view bytes, int times) {
  while (times-- > 0 && Send(bytes)) {
  }
}

void HttpPeer::WaitForClose() {
  std::array<char, 1024> ignored;
  while (::recv(socket_, ignored.data(), ignored.size(), 0) > 0) {
  }
}

HttpServer::HttpServer(Answer answer)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), answer_(std::move(answer)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("no port for a server");
  }
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { Accept(); });
}

HttpServer::~HttpServer() {
  std::vector<std::thread> threads;
  {
    const MutexLock lock(mutex_);
    is_stopping_ = true;
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
    ::shutdown(listener_, SHUT_RDWR);
  }
  accepting_.join();
  {
    const MutexLock lock(mutex_);
    threads = std::move(threads_);
  }
  for (std::thread& thread : threads) thread.join();
  ::close(listener_);
}

void HttpServer::SetAnswer(Answer answer) {
  const MutexLock lock(mutex_);
  answer_ = std::move(answer);
}

std::string HttpServer::url() const { return fmt::format("http://127.0.0.1:{}/", port_); }

void HttpServer::Accept() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const MutexLock lock(mutex_);
    if (is_stopping_) {
      ::close(socket);
      return;
    }
    const int yes = 1;
    (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    ++connections_;
    sockets_.push_back(socket);
    threads_.emplace_back([this, socket] { Serve(socket); });
  }
}

void HttpServer::Serve(int socket) {
  HttpPeer peer(socket);
  std::string held;
  std::array<char, 4096> bytes;
  for (;;) {
    std::size_t end = held.find("\r\n\r\n");
    while (end == std::string::npos) {
      const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
      if (got <= 0) break;
      held.append(bytes.data(), static_cast<std::size_t>(got));
      end = held.find("\r\n\r\n");
    }
    if (end == std::string::npos) break;
    const HttpRequest request = ParseRequest(std::string_view(held).substr(0, end));
    held.erase(0, end + 4);
    ++requests_;
    Answer answer;
    {
      const MutexLock lock(mutex_);
      answer = answer_;
    }
    if (!answer(request, peer)) break;
  }
  sent_ += peer.sent();
  const MutexLock lock(mutex_);
  std::erase(sockets_, socket);
  ::close(socket);
}

std::string RangeAnswer(const HttpRequest& request, std::string_view file,
                        std::string_view fields) {
  unsigned long long first = 0;
  unsigned long long last = 0;
  if (std::sscanf(request.Field("range").c_str(), "bytes=%llu-%llu", &first, &last) != 2) {
    return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{}\r\n{}", file.size(), fields,
                       file);
  }
  if (first >= file.size()) {
    return fmt::format(
        "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n"
        "Content-Range: bytes */{}\r\n{}\r\n",
        file.size(), fields);
  }
  const std::string_view part = file.substr(first, last - first + 1);
  return fmt::format(
      "HTTP/1.1 206 Partial Content\r\nContent-Length: {}\r\nContent-Range: bytes {}-{}/{}\r\n"
      "{}\r\n{}",
      part.size(), first, first + part.size() - 1, file.size(), fields, part);
}

}  // namespace crawlsieve::testing
