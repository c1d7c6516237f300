#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

// clang's thread-safety analysis: a member marked GUARDED_BY can't be touched without its lock
// in the `asan` preset. libstdc++'s std::mutex carries no annotations, hence Mutex below.
#if defined(__clang__)
#define CRAWLSIEVE_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define CRAWLSIEVE_THREAD_ANNOTATION(x)
#endif

#define GUARDED_BY(x) CRAWLSIEVE_THREAD_ANNOTATION(guarded_by(x))
#define REQUIRES(...) CRAWLSIEVE_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) CRAWLSIEVE_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

namespace crawlsieve {

/// std::mutex that clang's thread-safety analysis understands. Thread-safe.
class CRAWLSIEVE_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() CRAWLSIEVE_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() CRAWLSIEVE_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

/// Holds a Mutex for a scope.
class CRAWLSIEVE_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) CRAWLSIEVE_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() CRAWLSIEVE_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// Condition variable for Mutex. Callers loop over their condition, as spurious wake-ups happen.
class CondVar {
 public:
  void Wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  /// Returns false when `timeout` passed without a wake-up.
  template <typename Rep, typename Period>
  bool WaitFor(Mutex& mutex, std::chrono::duration<Rep, Period> timeout) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool woken = condition_.wait_for(lock, timeout) == std::cv_status::no_timeout;
    lock.release();
    return woken;
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace crawlsieve
