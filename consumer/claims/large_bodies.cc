#include "consumer/claims/large_bodies.h"

#include <chrono>

namespace crawlsieve::consumer {

LargeBodies::Lease LargeBodies::Enter(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kLook{50};
  const MutexLock lock(mutex_);
  while (free_ == 0) {
    if (stop.stop_requested()) return nullptr;
    left_.WaitFor(mutex_, kLook);
  }
  --free_;
  return {this, [](void* self) { static_cast<LargeBodies*>(self)->Leave(); }};
}

void LargeBodies::Leave() {
  {
    const MutexLock lock(mutex_);
    ++free_;
  }
  left_.NotifyOne();
}

}  // namespace crawlsieve::consumer
