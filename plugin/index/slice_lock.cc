#include "plugin/index/slice_lock.h"

#include <cassert>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace crawlsieve {
namespace {

/// Lets some time pass, more when called again and again.
class Backoff {
 public:
  void Pause() {
    if (++pauses_ > 64) {
      std::this_thread::yield();
      return;
    }
#if defined(__x86_64__)
    _mm_pause();
#endif
  }

 private:
  int pauses_ = 0;
};

/// Threads count up, so that up to kSlots of them have slots of their own.
std::size_t ThreadNumber() {
  static std::atomic<std::size_t> threads = 0;
  thread_local const std::size_t number = threads++;
  return number;
}

}  // namespace

// A reader announces itself, then looks for writers; a writer announces itself, then looks for
// readers. Both steps are sequentially consistent, so at least one of the two sees the other.
std::size_t SliceLock::LockShared(Set set) {
  assert(set != 0);
  Backoff backoff;
  for (std::size_t slot = ThreadNumber() % kSlots;; slot = (slot + 1) % kSlots) {
    Set free = 0;
    if (!slots_[slot].reading.compare_exchange_strong(free, set)) {
      backoff.Pause();
      continue;
    }
    if ((writing_.load() & set) == 0) return slot;
    slots_[slot].reading.store(0);
    while ((writing_.load() & set) != 0) backoff.Pause();
  }
}

void SliceLock::UnlockShared(std::size_t ticket) {
  slots_[ticket].reading.store(0, std::memory_order_release);
}

void SliceLock::Lock(Set set) {
  assert(set != 0);
  Backoff backoff;
  Set others = writing_.load();
  while ((others & set) != 0 || !writing_.compare_exchange_weak(others, others | set)) {
    if ((others & set) != 0) {
      backoff.Pause();
      others = writing_.load();
    }
  }
  for (const Slot& slot : slots_) {
    while ((slot.reading.load() & set) != 0) backoff.Pause();
  }
}

void SliceLock::Unlock(Set set) { writing_.fetch_and(~set, std::memory_order_release); }

}  // namespace crawlsieve
