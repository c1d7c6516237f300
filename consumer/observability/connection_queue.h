#pragma once

#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <httplib.h>

namespace crawlsieve::consumer {

/// Connections on their way from the thread that accepts them to the few that answer them.
///
/// A client that has sent nothing yet takes none of those few: its connection is watched, and
/// handed on when there is something to read. 64 are watched at most, five seconds each. When more
/// come, the oldest are closed, so that clients that do ask are answered, and the process keeps its
/// open files for its state. Connections that can be read wait in a short queue. While it is full
/// the accepting thread waits, and clients wait in the kernel.
///
/// Thread-safe.
class ConnectionQueue final : public httplib::TaskQueue {
 public:
  /// Answers a connection and closes it. Called by several threads.
  using Serve = std::function<void(socket_t)>;

  /// Errors: kIo.
  [[nodiscard]] static Result<std::unique_ptr<ConnectionQueue>> Make(Serve serve);

  ConnectionQueue(const ConnectionQueue&) = delete;
  ConnectionQueue& operator=(const ConnectionQueue&) = delete;
  ~ConnectionQueue() override;

  /// Owns the socket from here on.
  void Add(socket_t socket) EXCLUDES(mutex_);

  /// What httplib does with a new connection. It comes back to Add.
  void enqueue(std::function<void()> task) override { task(); }

  /// Closes what is watched, serves what waits to be, and ends the threads. Nothing is to be added
  /// any more. May be repeated.
  void shutdown() override EXCLUDES(mutex_);

 private:
  struct Silent {
    socket_t socket;
    std::chrono::steady_clock::time_point until;
  };

  ConnectionQueue(Serve serve, int wake);
  void Work() EXCLUDES(mutex_);
  void Watch() EXCLUDES(mutex_);
  /// Moves what was accepted behind `silent`. False: shut down.
  bool TakeAccepted(std::deque<Silent>& silent) EXCLUDES(mutex_);
  void HandOn(socket_t socket) EXCLUDES(mutex_);

  const Serve serve_;
  const int wake_;  // an eventfd: the watching thread has something to look at
  Mutex mutex_;
  CondVar has_readable_;
  CondVar has_room_;
  std::vector<Silent> accepted_ GUARDED_BY(mutex_);
  std::deque<socket_t> readable_ GUARDED_BY(mutex_);
  bool shut_down_ GUARDED_BY(mutex_) = false;
  bool all_handed_on_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> workers_;
  std::jthread watcher_;  // last: the threads use the others
};

}  // namespace crawlsieve::consumer
