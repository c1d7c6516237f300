#include "consumer/observability/connection_queue.h"

#include "consumer/observability/http_stream.h"
#include "consumer/observability/logging.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kThreads = 4;
constexpr std::size_t kMostWaiting = 16;
constexpr std::size_t kMostSilent = 64;
constexpr std::chrono::seconds kSilentTime{5};

void Close(socket_t socket) {
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
}

/// Closes it before its time.
void CrowdOut(socket_t socket) {
  std::string client = "gone";
  int port = 0;
  FindPeer(socket, client, port);
  Close(socket);
  LogRepeating(LogLevel::kWarn, "http.silent_clients", "http", "connections that send nothing",
               {{"client", client},
                {"meaning", fmt::format("more than {} connections send nothing: the oldest was "
                                        "closed, so that others are answered",
                                        kMostSilent)}});
}

}  // namespace

Result<std::unique_ptr<ConnectionQueue>> ConnectionQueue::Make(Serve serve) {
  const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("can't watch connections: {}", std::strerror(errno)));
  }
  return std::unique_ptr<ConnectionQueue>(new ConnectionQueue(std::move(serve), wake));
}

ConnectionQueue::ConnectionQueue(Serve serve, int wake) : serve_(std::move(serve)), wake_(wake) {
  for (std::size_t i = 0; i < kThreads; ++i) {
    workers_.emplace_back([this] { Work(); });
  }
  watcher_ = std::jthread([this] { Watch(); });
}

ConnectionQueue::~ConnectionQueue() {
  shutdown();
  ::close(wake_);
}

void ConnectionQueue::Add(socket_t socket) {
  {
    const MutexLock lock(mutex_);
    while (accepted_.size() >= kMostWaiting || readable_.size() >= kMostWaiting) {
      has_room_.Wait(mutex_);
    }
    accepted_.push_back({socket, Clock::now() + kSilentTime});
  }
  ::eventfd_write(wake_, 1);
}

void ConnectionQueue::shutdown() {
  {
    const MutexLock lock(mutex_);
    shut_down_ = true;
  }
  ::eventfd_write(wake_, 1);
  if (watcher_.joinable()) watcher_.join();
  {
    const MutexLock lock(mutex_);
    all_handed_on_ = true;
  }
  has_readable_.NotifyAll();
  workers_.clear();
}

void ConnectionQueue::Work() {
  while (true) {
    socket_t socket = INVALID_SOCKET;
    {
      const MutexLock lock(mutex_);
      while (readable_.empty() && !all_handed_on_) has_readable_.Wait(mutex_);
      if (readable_.empty()) return;
      socket = readable_.front();
      readable_.pop_front();
      has_room_.NotifyOne();
    }
    serve_(socket);
  }
}

void ConnectionQueue::Watch() {
  std::deque<Silent> silent;  // oldest first
  std::vector<pollfd> watched;
  while (TakeAccepted(silent)) {
    watched.assign(1, {wake_, POLLIN, 0});
    for (const Silent& connection : silent) watched.push_back({connection.socket, POLLIN, 0});
    int pause = -1;
    if (!silent.empty()) {
      const auto left = std::chrono::ceil<milliseconds>(silent.front().until - Clock::now());
      pause = silent.size() > kMostSilent ? 0 : static_cast<int>(std::max(left.count(), 0L));
    }
    if (::poll(watched.data(), watched.size(), pause) < 0) continue;  // interrupted
    eventfd_t ignored = 0;
    if (watched[0].revents != 0) ::eventfd_read(wake_, &ignored);

    std::deque<Silent> left;
    const auto now = Clock::now();
    for (std::size_t i = 0; i < silent.size(); ++i) {
      if (watched[i + 1].revents != 0) {
        HandOn(silent[i].socket);
      } else if (silent[i].until <= now) {
        Close(silent[i].socket);
      } else {
        left.push_back(silent[i]);
      }
    }
    for (; left.size() > kMostSilent; left.pop_front()) CrowdOut(left.front().socket);
    silent = std::move(left);
  }
  for (const Silent& connection : silent) Close(connection.socket);
}

bool ConnectionQueue::TakeAccepted(std::deque<Silent>& silent) {
  const MutexLock lock(mutex_);
  silent.insert(silent.end(), accepted_.begin(), accepted_.end());
  accepted_.clear();
  has_room_.NotifyOne();
  return !shut_down_;
}

void ConnectionQueue::HandOn(socket_t socket) {
  {
    const MutexLock lock(mutex_);
    readable_.push_back(socket);
  }
  has_readable_.NotifyOne();
}

}  // namespace crawlsieve::consumer
