#include "consumer/observability/systemd_notifier.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// Zero where `text` is no number.
std::int64_t Number(std::string_view text) {
  std::int64_t number = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? number : 0;
}

/// The address of a socket's name. Zero bytes long if the name is none.
socklen_t AddressOf(std::string_view name, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  const bool is_name = name.starts_with('/') || name.starts_with('@');
  if (!is_name || name.size() >= sizeof(address.sun_path)) return 0;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name.starts_with('@')) address.sun_path[0] = '\0';
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
}

/// A line break would begin another assignment.
std::string OnOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

SystemdNotifier::Options SystemdNotifier::Options::FromEnvironment(
    std::chrono::milliseconds stop_timeout) {
  Options options;
  options.socket = Environment("NOTIFY_SOCKET");
  options.stop_timeout = stop_timeout;
  const std::string_view pid = Environment("WATCHDOG_PID");
  const bool is_ours = pid.empty() || Number(pid) == ::getpid();
  if (is_ours) options.watchdog = std::chrono::microseconds(Number(Environment("WATCHDOG_USEC")));
  return options;
}

SystemdNotifier::SystemdNotifier(Options options) : options_(std::move(options)) {
  if (options_.socket.empty()) return;
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

SystemdNotifier::~SystemdNotifier() {
  if (socket_ >= 0) ::close(socket_);
}

void SystemdNotifier::Send(const Report& report, Clock::time_point now) {
  if (!active()) return;
  std::string text;
  const bool tell_ready = report.ready && !report.stopping && !told_ready_;
  if (tell_ready) text += "READY=1\n";
  const bool tell_stopping = report.stopping && !told_stopping_;
  if (tell_stopping) {
    const std::chrono::microseconds limit = options_.stop_timeout;
    text += fmt::format("STOPPING=1\nEXTEND_TIMEOUT_USEC={}\n", limit.count());
  }
  const bool tell_status = report.status != told_status_;
  if (tell_status) text += fmt::format("STATUS={}\n", OnOneLine(report.status));

  const auto half = options_.watchdog / 2;
  const bool is_due = half.count() > 0 && (!last_watchdog_ || now - *last_watchdog_ >= half);
  const bool tell_watchdog = is_due && (report.stopping || report.silence < half);
  if (tell_watchdog) text += "WATCHDOG=1\n";

  if (text.empty() || !SendText(text)) return;
  told_ready_ |= tell_ready;
  told_stopping_ |= tell_stopping;
  told_status_ = report.status;
  if (tell_watchdog) last_watchdog_ = now;
}

bool SystemdNotifier::SendText(const std::string& text) const {
  sockaddr_un address{};
  const socklen_t size = AddressOf(options_.socket, address);
  if (size == 0) return false;
  const auto sent = ::sendto(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                             // NOLINTNEXTLINE(*-reinterpret-cast): how sockets take addresses
                             reinterpret_cast<const sockaddr*>(&address), size);
  return sent == static_cast<ssize_t>(text.size());
}

}  // namespace crawlsieve::consumer
