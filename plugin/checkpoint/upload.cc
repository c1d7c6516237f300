#include "plugin/checkpoint/upload.h"

#include "plugin/base/result.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crawlsieve {
namespace {

/// How soon a stop is noticed.
constexpr std::chrono::milliseconds kStep{100};

/// Whether the process ended in time.
bool EndsWithin(pid_t process, std::chrono::seconds time_limit, const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + time_limit;
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (handle < 0) return true;  // a kernel without: waitpid waits for as long as it takes
  pollfd ended{.fd = handle, .events = POLLIN, .revents = 0};
  int count = 0;
  while (count <= 0 && !stop.stop_requested()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    count = ::poll(&ended, 1, static_cast<int>(std::min(left, kStep).count()));
    if (count < 0 && errno != EINTR) break;
  }
  ::close(handle);
  return count > 0;
}

}  // namespace

Status Upload(const std::string& command, const std::filesystem::path& path, const std::string& key,
              std::chrono::seconds time_limit, const std::stop_token& stop) {
  const auto failed = [&](std::string_view what) {
    return MakeError(ErrorCode::kIo, fmt::format("upload of {} with {}: {}", key, command, what));
  };
  std::string program = command;
  std::string file = path.string();
  std::string name = key;
  const std::array<char*, 4> arguments{program.data(), file.data(), name.data(), nullptr};
  posix_spawn_file_actions_t actions;
  int code = ::posix_spawn_file_actions_init(&actions);
  if (code != 0) return failed(std::system_category().message(code));
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  // A script's own programs end with it: they are one group. Signals reach them, although the
  // service blocks some for its threads.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  pid_t process = 0;
  code =
      ::posix_spawnp(&process, program.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return failed(std::system_category().message(code));

  const bool in_time = EndsWithin(process, time_limit, stop);
  if (!in_time) ::kill(-process, SIGKILL);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return failed("its end is not to be seen");
  }
  if (!in_time && stop.stop_requested()) return failed("stopped before it was done");
  if (!in_time) return failed(fmt::format("not done within {} s", time_limit.count()));
  if (WIFSIGNALED(status)) return failed(fmt::format("ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) {
    return failed(fmt::format("ended with code {}", WEXITSTATUS(status)));
  }
  return {};
}

}  // namespace crawlsieve
