#include "plugin/base/thread_priority.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace crawlsieve {

void LowerThreadPriority() {
  const long thread = ::syscall(SYS_gettid);
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(thread), 19);
  constexpr int kOfAThread = 1;
  constexpr int kIdleClass = 3 << 13;
  (void)::syscall(SYS_ioprio_set, kOfAThread, thread, kIdleClass);
}

}  // namespace crawlsieve
